import { distance, hasTerm, type Term, wordsOf } from '../../../rules/text/query.ts'
import type { Scheduler, Task } from '../../../support/scheduler.ts'
import type { Limit } from '../../index/histogram.ts'
import { NOWHERE } from '../../index/rows.ts'
import type { Db } from '../../sqlite/db.ts'
import type { Listed } from './listed.ts'
import type { Found, Page, Selection } from './selection.ts'

/** Titles that are held: those of the events that come first, one of each series. */
const MOST = 20_000
/** Titles that one step reads. */
const STEP = 500
/** Words that one step compares. */
const MOST_COMPARED = 2_000
/** Seconds after which they are read again, because events end. */
const FRESH = 3_600

const TITLES = 'select id, folded_title, language from posts where id in (select value from json_each(?))'

/** A title in the order of starts. */
type Entry = { id: number; start: number; text: string; language: string }
type State = {
  at: number
  loaded: number
  last: number
  entries: Entry[]
  counts: Map<string, Map<string, number>>
}

/** The events that everybody finds in lists. */
const SEEN = { statuses: ['publish'], flags: { hidden: false } } as const
const over = (now: number): Limit => ({ side: 'end', than: '>', value: now, utc: true })

type Place = Pick<Entry, 'start' | 'id'>
const byPlace = (a: Place, b: Place) => a.start - b.start || a.id - b.id

/** The place of an entry in their order. */
function placeOf(entries: Entry[], entry: Place): number {
  let low = 0
  for (let high = entries.length; low < high; ) {
    const middle = (low + high) >> 1
    if (byPlace(entries[middle]!, entry) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * The titles of events that everybody sees and that are not over, in memory, with their words: what typing is answered from. They are read when
 * they are first asked for. A write adds and removes its own at the next question, so that no word of a draft is ever here.
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

  function count({ counts }: State, { text, language }: Entry, by: 1 | -1) {
    for (const word of new Set(wordsOf(text))) {
      const own = counts.get(word) ?? new Map<string, number>()
      counts.set(word, own)
      own.set(language, (own.get(language) ?? 0) + by)
      if (own.get(language) === 0) own.delete(language)
      if (own.size === 0) counts.delete(word)
    }
  }

  /** Reads titles of events that are seen and not over, in any order. */
  const read = (ids: number[], now: number): Entry[] => {
    const isOpen = calendar.within([over(now)])
    return db.rows<[number, string, string]>(TITLES, JSON.stringify(ids)).flatMap(([id, text, language]) => {
      const row = calendar.rowOf(id)
      return row !== NOWHERE && isSeen(row) && isOpen(row)
        ? [{ id, start: calendar.spanOf(row).starts, text, language }]
        : []
    })
  }

  function* readAll(ids: number[], now: number): Task<Entry[]> {
    const entries: Entry[] = []
    for (let from = 0; from < ids.length; from += STEP) {
      for (const entry of read(ids.slice(from, from + STEP), now)) entries.push(entry)
      yield
    }
    return entries.sort(byPlace)
  }

  function* load(now: number): Task<State> {
    const order = { by: 'start', descending: false } as const
    const selection: Selection = { ...SEEN, links: {}, dates: [over(now)], series: 'first', order }
    const at = journal.end()
    const { ids } = yield* list(selection, { page: 1, per_page: MOST })
    const entries = yield* readAll(ids, now)
    const last = ids.length < MOST ? Number.POSITIVE_INFINITY : entries.at(-1)!.start
    const made: State = { at, loaded: now, last, entries, counts: new Map() }
    for (const entry of entries) count(made, entry, 1)
    return made
  }

  /** Puts events that were written in the place of what they were; returns false if it is no longer known which were. */
  function catchUp(known: State, now: number): boolean {
    const ids = new Set<number>()
    for (; known.at < journal.end(); known.at++) {
      const move = journal.at(known.at)
      if (!move) return false
      ids.add(move.id)
    }
    if (ids.size === 0) return true
    known.entries = known.entries.filter((entry) => {
      if (ids.has(entry.id)) count(known, entry, -1)
      return !ids.has(entry.id)
    })
    for (const entry of read([...ids], now)) {
      if (entry.start > known.last) continue
      known.entries.splice(placeOf(known.entries, entry), 0, entry)
      count(known, entry, 1)
    }
    return true
  }

  const isFresh = ({ loaded }: State, now: number) => now - loaded < FRESH && now >= loaded

  /** The titles as they are now. */
  function* bring(now: number): Task<State> {
    while (!state || !catchUp(state, now) || !isFresh(state, now)) state = yield* load(now)
    return state
  }

  /** The titles as they are now. Those that are right but have been here for long are read again beside. */
  async function held(now: number): Promise<State> {
    if (!state || !catchUp(state, now)) return scheduler.run(bring(now))
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
    { entries }: State,
    terms: Term[],
    language: string | undefined,
    now: number,
  ): Iterable<Entry> {
    const isOpen = calendar.within([over(now)])
    for (const entry of entries)
      if (
        (language === undefined || entry.language === language) &&
        terms.every((term) => hasTerm(entry.text, term)) &&
        isOpen(calendar.rowOf(entry.id))
      )
        yield entry
  }

  return {
    /** Words of titles with at most so many errors of typing, and how many these are. */
    *near(word: string, most: number, now: number): Task<Map<string, number>> {
      const found = new Map<string, number>()
      let at = 0
      for (const other of [...(yield* bring(now)).counts.keys()]) {
        if (++at % MOST_COMPARED === 0) yield
        const errors = distance(word, other, most)
        if (errors !== undefined) found.set(other, errors)
      }
      return found
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
      const series = new Set<number>()
      const isAlone = terms.length === 1
      if (isAlone)
        for (const [word, own] of known.counts)
          if (word.startsWith(last.text))
            words.set(
              word,
              language === undefined
                ? [...own.values()].reduce((sum, one) => sum + one, 0)
                : (own.get(language) ?? 0),
            )
      for (const { id, text } of having(known, terms, language, now)) {
        if (!isAlone)
          for (const word of new Set(wordsOf(text)))
            if (word.startsWith(last.text)) words.set(word, (words.get(word) ?? 0) + 1)
        const of = calendar.seriesOf(calendar.rowOf(id))
        if (events.length < most && !series.has(of)) {
          events.push(id)
          if (of !== 0) series.add(of)
        }
        if (isAlone && events.length === most) break
      }
      return { words, events }
    },
  }
}
