import type { Db } from '../../../kernel/database/db.ts'
import { insert, sorted } from '../../../kernel/tasks/collections.ts'
import type { Scheduler, Task } from '../../../kernel/tasks/scheduler.ts'
import { hasTerm, type Term, wordsOf } from '../../../kernel/text/search.ts'
import type { Limit } from '../../index/histogram.ts'
import { NOWHERE } from '../../index/rows.ts'
import { marksIn, marksOf, nextWith, openBeginnings } from './beginnings.ts'
import type { Listed } from './listed.ts'
import type { Found, Page, Selection } from './selection.ts'

/** Titles that are held: those of the events that come first, one of each series. */
const MOST = 20_000
/** Titles that one step reads. */
const STEP = 500
/** Seconds after which they are read again, because events end. */
const FRESH = 3_600
/** Seconds after which a question waits for them, because too many of the events they tell of are over. */
const OLD = 2 * FRESH
/** Series whose next dates are looked up one by one; of more, everything is read again in steps. */
const MOST_SERIES = 20

const TITLES =
  'select id, folded_title, posts.language, utc_ends from posts join listings on event_id = id where id in (select value from json_each(?))'
/** Of each series the next date that everybody sees. */
const NEXT = `select (select id from posts join listings on event_id = id
    where posts.parent_id = value and listings.status = 'publish' and not hidden and utc_ends > ? order by starts, id limit 1)
  from json_each(?)`

/** A title in the order of starts, with the end in seconds of UTC, and the series of which this is the next date; 0 for a single event. */
type Entry = {
  id: number
  start: number
  ends: number
  series: number
  text: string
  language: string
  /** Marks of the beginnings of its words. */
  begins: number
}
type State = {
  at: number
  loaded: number
  last: number
  /** When the first of the dates ends that stand for series. */
  due: number
  entries: Entry[]
  /** The marks of the entries, in their order. */
  begins: Int32Array
  words: ReturnType<typeof openBeginnings>
}

/** The events that everybody finds in lists. */
const SEEN = { statuses: ['publish'], flags: { hidden: false } } as const
const over = (now: number): Limit => ({ side: 'end', than: '>', value: now, utc: true })

const byPlace = (a: Entry, b: Entry) => a.start - b.start || a.id - b.id

const dueOf = (entries: Entry[]) =>
  entries.reduce(
    (due, { series, ends }) => (series === 0 ? due : Math.min(due, ends)),
    Number.POSITIVE_INFINITY,
  )

const beginsOf = (entries: Entry[]) => Int32Array.from(entries, ({ begins }) => begins)

/**
 * The titles of events that everybody sees and that are not over, in memory, with their words: what typing is answered from. They are read when
 * they are first asked for. A write adds and removes its own at the next question, so that no word of a draft is ever here. For a series stands its next
 * date, until that is over or written.
 */
export function openTitles(
  db: Db,
  { calendar, journal }: Pick<Listed, 'calendar' | 'journal'>,
  scheduler: Scheduler,
  list: (selection: Selection, page: Page) => Task<Found>,
) {
  let state: State | undefined
  let isReading = false
  const isSeen = calendar.compile(SEEN)

  /** Reads titles of events that are seen and not over, in any order. */
  const read = (ids: number[], now: number): Entry[] => {
    const isOpen = calendar.within([over(now)])
    const rows = db.rows<[number, string, string, number]>(TITLES, JSON.stringify(ids))
    return rows.flatMap(([id, text, language, ends]) => {
      const row = calendar.rowOf(id)
      return row !== NOWHERE && isSeen(row) && isOpen(row)
        ? [
            {
              ...{
                id,
                start: calendar.spanOf(row).starts,
                ends,
                series: calendar.seriesOf(row),
                text,
                language,
              },
              begins: marksIn(text),
            },
          ]
        : []
    })
  }

  function* readAll(ids: number[], now: number): Task<Entry[]> {
    const entries: Entry[] = []
    for (let from = 0; from < ids.length; from += STEP) {
      for (const entry of read(ids.slice(from, from + STEP), now)) entries.push(entry)
      yield
    }
    return yield* sorted(entries, byPlace)
  }

  function* load(now: number): Task<State> {
    const order = { by: 'start', descending: false } as const
    const selection: Selection = { ...SEEN, links: {}, dates: [over(now)], series: 'first', order }
    const at = journal.end()
    const { ids } = yield* list(selection, { page: 1, per_page: MOST })
    const entries = yield* readAll(ids, now)
    const last = ids.length < MOST ? Number.POSITIVE_INFINITY : entries.at(-1)!.start
    const made: State = {
      ...{ at, loaded: now, last, due: dueOf(entries), entries, begins: beginsOf(entries) },
      words: openBeginnings(),
    }
    for (const entry of entries) made.words.count(entry, 1)
    return made
  }

  /** What has to be looked up again since: single events, and series. Undefined if it is no longer known. */
  function written(known: State, now: number) {
    const ids = new Set<number>()
    const series = new Set<number>()
    for (; known.at < journal.end(); known.at++) {
      const move = journal.at(known.at)
      if (!move) return undefined
      ids.add(move.id)
      for (const of of [move.series, calendar.seriesOf(calendar.rowOf(move.id))]) if (of) series.add(of)
    }
    if (now >= known.due)
      for (const entry of known.entries) if (entry.series && entry.ends <= now) series.add(entry.series)
    return series.size > MOST_SERIES ? undefined : { ids, series }
  }

  /** Puts events that were written, and the next dates of series, in the place of what was here; returns false if it is no longer known which. */
  function catchUp(known: State, now: number): boolean {
    const those = written(known, now)
    if (!those) return false
    const { ids, series } = those
    if (ids.size + series.size === 0) return true
    const isStale = (entry: Entry) => ids.has(entry.id) || series.has(entry.series)
    for (const entry of known.entries) if (isStale(entry)) known.words.count(entry, -1)
    known.entries = known.entries.filter((entry) => !isStale(entry))
    const single = [...ids].filter((id) => calendar.seriesOf(calendar.rowOf(id)) === 0)
    const next = db.rows<[number | null]>(NEXT, now, JSON.stringify([...series])).flat()
    for (const entry of read([...single, ...next] as number[], now)) {
      if (entry.start > known.last) continue
      insert(known.entries, entry, byPlace)
      known.words.count(entry, 1)
    }
    known.due = dueOf(known.entries)
    known.begins = beginsOf(known.entries)
    return true
  }

  const isFresh = ({ loaded }: State, now: number, seconds = FRESH) => now - loaded < seconds && now >= loaded

  /** The titles as they are now. */
  function* bring(now: number): Task<State> {
    while (!state || !catchUp(state, now) || !isFresh(state, now)) state = yield* load(now)
    return state
  }

  /** The titles as they are now. Those that are right but have been here for long are read again beside. */
  async function held(now: number): Promise<State> {
    if (!state || !catchUp(state, now) || !isFresh(state, now, OLD)) return scheduler.run(bring(now))
    if (!isFresh(state, now) && !isReading) {
      isReading = true
      const done = () => {
        isReading = false
      }
      Promise.resolve(scheduler.run(bring(now))).then(done, done)
    }
    return state
  }

  /** The entries that have all terms and are not over, in the order of their starts. */
  function* having(
    { entries, begins }: State,
    terms: Term[],
    language: string | undefined,
    now: number,
  ): Iterable<Entry> {
    const isOpen = calendar.within([over(now)])
    const marks = marksOf(terms)
    for (let at = nextWith(begins, marks, 0); at < entries.length; at = nextWith(begins, marks, at + 1)) {
      const entry = entries[at]!
      if (
        (language === undefined || entry.language === language) &&
        terms.every((term) => hasTerm(entry.text, term)) &&
        isOpen(calendar.rowOf(entry.id))
      )
        yield entry
    }
  }

  return {
    /** Words of titles with at most so many errors of typing, and how many these are. */
    *near(word: string, most: number, now: number): Task<Map<string, number>> {
      const { words } = yield* bring(now)
      return words.near(word, most)
    },
    /**
     * What is typed in titles: the events that come first, one of each series, and how many titles have each word that begins with the last term. `now` are
     * seconds of UTC.
     */
    async find(terms: Term[], language: string | undefined, now: number, most: number) {
      const known = await held(now)
      const last = terms.at(-1)!
      const words = new Map<string, number>()
      const events: number[] = []
      const isAlone = terms.length === 1
      if (isAlone)
        for (const [word, titles] of known.words.beginning(last.text, language))
          words.set(word, (words.get(word) ?? 0) + titles)
      for (const { id, text } of having(known, terms, language, now)) {
        if (!isAlone)
          for (const word of new Set(wordsOf(text)))
            if (word.startsWith(last.text)) words.set(word, (words.get(word) ?? 0) + 1)
        if (events.length < most) events.push(id)
        if (isAlone && events.length === most) break
      }
      return { words, events }
    },
  }
}
