import type { Db } from '../../kernel/database/db.ts'
import { insert, sorted } from '../../kernel/sorting.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import { hasTerm, type Term, wordsOf } from '../../kernel/text/search.ts'
import type { DateLimit } from '../index/day-histogram.ts'
import type { LiveIndex } from '../index/event-index.ts'
import { NO_ROW } from '../index/rows.ts'
import { openSpellings } from './corrections.ts'
import type { NamedRecord, Names } from './names.ts'
import { type IdPage, type Paging, type Selection, type Spend, stepCost } from './selection.ts'

/** Letters by which words are found among others. */
const HEAD = 2
const headOf = (word: string) => word.slice(0, HEAD)

/** One of 32 bits for how a word begins; none if it has a single letter. */
const prefixBit = (word: string) =>
  word.length < HEAD
    ? 0
    : 1 << ((Math.imul(word.charCodeAt(0), 0x9e3779b1) + Math.imul(word.charCodeAt(1), 0x2c1b3c6d)) >>> 27)
/** The bits of the words of a text. */
const prefixBitsOf = (text: string) => wordsOf(text).reduce((all, word) => all | prefixBit(word), 0)
/** The bits that all texts with these terms have. */
const requiredBits = (terms: Term[]) =>
  terms.reduce((all, { text, how }) => (how === 'within' ? all : all | prefixBit(wordsOf(text)[0]!)), 0)

/** The next place from one on that has all bits; the length if there is none. */
function nextWithBits(places: Int32Array, bits: number, from: number): number {
  let at = from
  while (at < places.length && (places[at]! & bits) !== bits) at++
  return at
}

/** Numbers of texts by the beginnings of words, and by words: a map for each word would take several times the memory. */
type Counts = Map<string, Map<string, number>>

/** The words of texts in several languages, with the number of texts that have each, by how they begin. */
function openPrefixWords() {
  const counts = new Map<string, Counts>()
  const spellings = openSpellings()
  return {
    /** Adds the words of a text, or takes them away. */
    count({ text, language }: { text: string; language: string }, by: 1 | -1) {
      const own: Counts = counts.get(language) ?? new Map()
      counts.set(language, own)
      for (const word of new Set(wordsOf(text))) {
        const head = headOf(word)
        const alike = own.get(head) ?? new Map<string, number>()
        own.set(head, alike)
        const before = alike.get(word) ?? 0
        alike.set(word, before + by)
        if (before === 0) spellings.add(word)
        if (before + by > 0) continue
        spellings.delete(word)
        alike.delete(word)
        if (alike.size === 0) own.delete(head)
      }
    },
    /** The words of a language, or of all, that begin with a text, and the number of texts with each. */
    *startingWith(text: string, language: string | undefined): Iterable<[word: string, texts: number]> {
      for (const [spoken, own] of counts) {
        if (language !== undefined && language !== spoken) continue
        const heads =
          text.length < HEAD ? [...own.keys()].filter((head) => head.startsWith(text)) : [headOf(text)]
        for (const head of heads)
          for (const entry of own.get(head) ?? []) if (entry[0].startsWith(text)) yield entry
      }
    },
    /** Words with at most so many errors of typing, and how many these are. */
    near: spellings.near,
  }
}

/** Titles that are in memory: those of the events that come first, one of each series. */
const MOST_TITLES = 20_000
/** Titles that one step reads. */
const STEP = 500
/** Seconds after which they are read again, because events end. */
const FRESH = 3_600
/** Seconds after which a question waits for them, because too many of their events are over. */
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
  /** Bits for how its words begin. */
  prefixBits: number
}
type State = {
  at: number
  loaded: number
  last: number
  /** When the first of the dates ends that stand for series. */
  due: number
  entries: Entry[]
  /** The bits of the entries, in their order. */
  prefixBits: Int32Array
  words: ReturnType<typeof openPrefixWords>
}

/** The events that everybody finds in lists. */
const SEEN = { statuses: ['publish'], flags: { hidden: false } } as const
const over = (now: number): DateLimit => ({ side: 'end', than: '>', value: now, utc: true })

const byPlace = (a: Entry, b: Entry) => a.start - b.start || a.id - b.id

const dueOf = (entries: Entry[]) =>
  entries.reduce(
    (due, { series, ends }) => (series === 0 ? due : Math.min(due, ends)),
    Number.POSITIVE_INFINITY,
  )

const prefixBitsOfAll = (entries: Entry[]) => Int32Array.from(entries, ({ prefixBits }) => prefixBits)

/**
 * The titles of events that everybody sees and that are not over, in memory, with their words: what typing is answered from. They are read when
 * they are first asked for. A write adds and removes its own at the next question, so that no word of a draft is ever here. For a series stands its next
 * date, until that is over or written.
 */
export function openTitles(
  db: Db,
  { index, journal }: Pick<LiveIndex, 'index' | 'journal'>,
  scheduler: Scheduler,
  list: (selection: Selection, page: Paging) => Task<IdPage>,
) {
  let state: State | undefined
  let isReading = false
  const isSeen = index.matcher(SEEN)

  /** Reads titles of events that are seen and not over, in any order. */
  const read = (ids: number[], now: number): Entry[] => {
    const isOpen = index.within([over(now)])
    const rows = db.rows<[number, string, string, number]>(TITLES, JSON.stringify(ids))
    return rows.flatMap(([id, text, language, ends]) => {
      const row = index.rowOf(id)
      return row !== NO_ROW && isSeen(row) && isOpen(row)
        ? [
            {
              id,
              start: index.spanOf(row).starts,
              ends,
              series: index.seriesOf(row),
              text,
              language,
              prefixBits: prefixBitsOf(text),
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
    const { ids } = yield* list(selection, { page: 1, per_page: MOST_TITLES })
    const entries = yield* readAll(ids, now)
    const last = ids.length < MOST_TITLES ? Number.POSITIVE_INFINITY : entries.at(-1)!.start
    const made: State = {
      at,
      loaded: now,
      last,
      due: dueOf(entries),
      entries,
      prefixBits: prefixBitsOfAll(entries),
      words: openPrefixWords(),
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
      for (const of of [move.series, index.seriesOf(index.rowOf(move.id))]) if (of) series.add(of)
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
    const single = [...ids].filter((id) => index.seriesOf(index.rowOf(id)) === 0)
    const next = db.rows<[number | null]>(NEXT, now, JSON.stringify([...series])).flat()
    for (const entry of read([...single, ...next] as number[], now)) {
      if (entry.start > known.last) continue
      insert(known.entries, entry, byPlace)
      known.words.count(entry, 1)
    }
    known.due = dueOf(known.entries)
    known.prefixBits = prefixBitsOfAll(known.entries)
    return true
  }

  const isFresh = ({ loaded }: State, now: number, seconds = FRESH) => now - loaded < seconds && now >= loaded

  /** The titles as they are now. */
  function* current(now: number): Task<State> {
    while (!state || !catchUp(state, now) || !isFresh(state, now)) state = yield* load(now)
    return state
  }

  /** The titles as they are now. Those that are right but have been here for long are read again beside. */
  async function available(now: number): Promise<State> {
    if (!state || !catchUp(state, now) || !isFresh(state, now, OLD)) return scheduler.run(current(now))
    if (!isFresh(state, now) && !isReading) {
      isReading = true
      const done = () => {
        isReading = false
      }
      Promise.resolve(scheduler.run(current(now))).then(done, done)
    }
    return state
  }

  /** The entries that have all terms and are not over, in the order of their starts. */
  function* matching(
    { entries, prefixBits }: State,
    terms: Term[],
    language: string | undefined,
    now: number,
  ): Iterable<Entry> {
    const isOpen = index.within([over(now)])
    const bits = requiredBits(terms)
    for (
      let at = nextWithBits(prefixBits, bits, 0);
      at < entries.length;
      at = nextWithBits(prefixBits, bits, at + 1)
    ) {
      const entry = entries[at]!
      if (
        (language === undefined || entry.language === language) &&
        terms.every((term) => hasTerm(entry.text, term)) &&
        isOpen(index.rowOf(entry.id))
      )
        yield entry
    }
  }

  return {
    /** Words of titles with at most so many errors of typing, and how many these are. */
    *near(word: string, most: number, now: number): Task<Map<string, number>> {
      const { words } = yield* current(now)
      return words.near(word, most)
    },
    /**
     * What is typed in titles: the events that come first, one of each series, and how many titles have each word that begins with the last term. `now` are
     * seconds of UTC.
     */
    async find(terms: Term[], language: string | undefined, now: number, most: number) {
      const known = await available(now)
      const last = terms.at(-1)!
      const words = new Map<string, number>()
      const events: number[] = []
      const isAlone = terms.length === 1
      if (isAlone)
        for (const [word, titles] of known.words.startingWith(last.text, language))
          words.set(word, (words.get(word) ?? 0) + titles)
      for (const { id, text } of matching(known, terms, language, now)) {
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

/** What visitors may mean by what they typed, as everybody sees it. */
export type Suggested = {
  /** Words that begin with the last one, those of most titles and names first. */
  words: string[]
  venues: NamedRecord[]
  organizers: NamedRecord[]
  categories: NamedRecord[]
  /** IDs of events that are not over, the next first. */
  events: number[]
}

/** Suggestions of each kind. */
const MOST_SUGGESTED = 5

const NOTHING: Suggested = { words: [], venues: [], organizers: [], categories: [], events: [] }

type Typed = { terms: Term[]; language: string | undefined; now: number; spend?: Spend | undefined }

/** Records in one language: those of it, and others without a translation into it. */
function inLanguage(all: NamedRecord[], language: string | undefined): NamedRecord[] {
  if (language === undefined) return all
  const translated = new Set(all.flatMap((one) => (one.language === language ? (one.group ?? []) : [])))
  return all.filter((one) => one.language === language || one.group === null || !translated.has(one.group))
}

/** Names that begin with what was typed first, then those of most events, then by name. */
const byRank =
  ({ text }: Term) =>
  (a: NamedRecord, b: NamedRecord) =>
    Number(!a.lines[0]?.startsWith(text)) - Number(!b.lines[0]?.startsWith(text)) ||
    b.count - a.count ||
    a.name.localeCompare(b.name) ||
    a.id - b.id

type Used = [word: string, times: number]
const byUse = (a: Used, b: Used) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)

/** The words that are used most, of thousands that are not sorted for it. */
function mostUsed(words: Iterable<Used>): string[] {
  const first: Used[] = []
  for (const used of words) {
    if (first.length === MOST_SUGGESTED && byUse(first[MOST_SUGGESTED - 1]!, used) < 0) continue
    insert(first, used, byUse)
    first.length = Math.min(first.length, MOST_SUGGESTED)
  }
  return first.map(([word]) => word)
}

/** Suggests from names and titles in memory. */
export function openSuggestions(
  names: Names,
  titles: ReturnType<typeof openTitles>,
  ready: () => Promise<unknown>,
) {
  /** The records and events that have all terms in one name or title, and how many have each word that begins with the last one. */
  async function find(terms: Term[], { language, now, spend }: Omit<Typed, 'terms'>, most: number) {
    spend?.(stepCost(terms.length)) // every name and title is looked at
    const { words, events } = await titles.find(terms, language, now, most)
    const records = inLanguage(names.matching(terms), language).sort(byRank(terms[0]!))
    const { text } = terms.at(-1)!
    for (const { lines } of records)
      for (const word of new Set(lines.flatMap(wordsOf)))
        if (word.startsWith(text)) words.set(word, (words.get(word) ?? 0) + 1)
    words.delete(text)
    return { words, events, records }
  }

  return async ({ terms, ...rest }: Typed): Promise<Suggested> => {
    const last = terms.at(-1)
    if (!last) return NOTHING
    await ready()
    const { words, events, records } = await find(terms, rest, MOST_SUGGESTED)
    // words of a search need not stand in one title
    const ranked = mostUsed(words.size > 0 ? words : (await find([last], rest, 0)).words)
    const of = (kind: NamedRecord['kind']) =>
      records
        .filter((named) => named.kind === kind && (kind !== 'category' || named.count > 0))
        .slice(0, MOST_SUGGESTED)
    return {
      words: ranked,
      venues: of('venue'),
      organizers: of('organizer'),
      categories: of('category'),
      events,
    }
  }
}
