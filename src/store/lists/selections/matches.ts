import type { Task } from '../../../support/scheduler.ts'
import { Bits, type Numbers, read } from '../../index/bits.ts'
import { NOWHERE, type Rows } from '../../index/rows.ts'
import type { Db } from '../../sqlite/db.ts'
import { gramOf, SEALED, SHORTEST } from '../../sqlite/text-index.ts'

/** Tokens of the index in one query. Starting with a common token takes a millisecond. */
const MOST_TOKENS = 6
/** Words of one or two letters occur in more events than words of three, and take longer. */
const SHORT_TOKENS = 4

const lengthOf = (word: string) => [...word].length
/** Whether a word has no trigram. */
export const isShort = (word: string) => lengthOf(word) < SHORTEST
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

/** Lengths of words that are searched by every second trigram. For shorter words it saves nothing; for longer ones the test takes too long. */
const SPARSE = { least: 6, most: 12 }

/** Whether the trigrams at these places of a word also fit into a text of its length that is not the word. */
function fitsOtherwise(letters: string[], places: number[]): boolean {
  const stretch: (string | undefined)[] = letters.map(() => undefined)
  const put = (next: number): boolean => {
    if (next === places.length) return letters.some((letter, at) => stretch[at] !== letter)
    const own = letters.slice(places[next]!, places[next]! + SHORTEST)
    for (let to = 0; to <= letters.length - SHORTEST; to++) {
      const before = stretch.slice(to, to + SHORTEST)
      if (own.some((letter, at) => (before[at] ?? letter) !== letter)) continue
      stretch.splice(to, SHORTEST, ...own)
      if (put(next + 1)) return true
      stretch.splice(to, SHORTEST, ...before)
    }
    return false
  }
  return put(0)
}

/** The places of every second trigram and of the last one, for a number of letters. */
function sparse(letters: string[]): number[] {
  const last = letters.length - SHORTEST
  return letters.flatMap((_, at) => ((at % 2 === 0 && at < last) || at === last ? [at] : []))
}

/** The query that finds a word in the index. */
type Term = {
  text: string
  tokens: number
  /** Whether it finds only the word, so that no text has to be checked. */
  isExact: boolean
}

/**
 * Finds a word of three letters or more: by every second trigram and the last, so near to each other that they fit only
 * the word. If they also fit otherwise, as in "banana", by all trigrams in a row. A longer word is searched by its beginning.
 */
export function termOf(word: string): Term {
  const letters = [...word]
  const places = sparse(letters)
  const isSparse = letters.length >= SPARSE.least && letters.length <= SPARSE.most
  if (isSparse && !fitsOtherwise(letters, places)) {
    const trigrams = places.map((at) => quoted(letters.slice(at, at + SHORTEST).join('')))
    const text = `NEAR(${trigrams.join(' ')}, ${letters.length - SHORTEST - 1})`
    return { text, tokens: places.length, isExact: true }
  }
  const tokens = letters.length - SHORTEST + 1
  if (tokens <= MOST_TOKENS) return { text: quoted(word), tokens, isExact: true }
  const length = letters.length > SPARSE.most ? SPARSE.most : MOST_TOKENS + SHORTEST - 1
  return { ...termOf(letters.slice(0, length).join('')), isExact: false }
}

/** Whether the index finds only the word. */
export const isExact = (word: string) => isShort(word) || termOf(word).isExact

/** Groups of words for one query each, longest first, since these find least. */
export function groupsOf(words: string[]): string[][] {
  const groups: string[][] = []
  let room = 0
  for (const word of [...words].sort((a, b) => b.length - a.length)) {
    const tokens = isShort(word) ? SHORT_TOKENS : termOf(word).tokens
    if (tokens > room || isShort(word)) {
      groups.push([])
      room = MOST_TOKENS
    }
    groups.at(-1)!.push(word)
    room -= tokens
  }
  return groups
}

/** Adds the rows of events whose IDs are read to a set. */
export const toRows = ({ rowOf }: Pick<Rows, 'rowOf'>, set: Pick<Numbers, 'add'>) => ({
  add(id: number) {
    const row = rowOf(id)
    if (row !== NOWHERE) set.add(row)
  },
})

/** The rows of events that contain all words of a group, in the public or the protected index. */
export function* found(
  { rows }: Db,
  events: Pick<Rows, 'rowOf' | 'size' | 'parts'>,
  group: string[],
  sealed: boolean,
): Task<Bits> {
  const [table, terms] = isShort(group[0]!)
    ? ['grams', group.map((word) => quoted((sealed ? SEALED : '') + gramOf(word)))]
    : [sealed ? 'sealed' : 'search', group.map((word) => termOf(word).text)]
  const query = `select coalesce(cast(group_concat(rowid) as blob), x'') from ${table} where ${table} match ? and rowid between ? and ?`
  const bits = new Bits(events.size())
  const set = toRows(events, bits)
  const ends = events.parts()
  yield* inRanges(ends.length, (from, to) => {
    const [row] = rows<[Buffer]>(query, terms.join(' AND '), (ends[from - 2] ?? 0) + 1, ends[to - 1])
    read(row![0], set)
  })
  return bits
}

/** Milliseconds that a range aims to take. */
const AIM = 5
/** Parts of a thousand events in the first range, before the speed is known. */
const FIRST = 50
/** Shorter ranges save nothing: FTS5 takes a millisecond or more to start with a common word, wherever the range begins. */
const SHORTEST_RANGE = 50

/** Splits the numbers from 1 to `last` into ranges, one a step. The time of each range decides the length of the next. */
function* inRanges(last: number, ask: (from: number, to: number) => void): Task<void> {
  let length = FIRST
  for (let from = 1; from <= last; ) {
    // the rest in equal parts: a short one at the end would take as long to start
    const left = last - from + 1
    const to = from + Math.ceil(left / Math.max(1, Math.round(left / length))) - 1
    const began = performance.now()
    ask(from, to)
    length = Math.max(SHORTEST_RANGE, ((to - from + 1) * AIM) / Math.max(1, performance.now() - began))
    from = to + 1
    yield
  }
}
