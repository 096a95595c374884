import { Bits, type Numbers, read } from '../index/bits.ts'
import { NOWHERE, type Rows } from '../index/rows.ts'
import type { Db } from '../sqlite/db.ts'
import { gramOf, SEALED, SHORTEST } from '../sqlite/text-index.ts'
import { inRanges } from './ranges.ts'
import type { Steps } from './slices.ts'

/** Tokens of the index that one query looks for: to begin with one takes a millisecond where it is common. */
const MOST_TOKENS = 6
/** A word of one or two letters stands in more events than one of three, and takes longer. */
const SHORT_TOKENS = 4

const lengthOf = (word: string) => [...word].length
const isShort = (word: string) => lengthOf(word) < SHORTEST
const quoted = (word: string) => `"${word.replaceAll('"', '""')}"`

/** Of words of so many letters every second trigram is asked for: of shorter ones it saves nothing, of longer ones trying takes long. */
const SPARSE = { least: 6, most: 12 }

/** Whether the trigrams at these places of a word fit into a stretch of its length in another way than as the word. */
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

/** The places of every second trigram of some letters, and of the last. */
function sparse(letters: string[]): number[] {
  const last = letters.length - SHORTEST
  return letters.flatMap((_, at) => ((at % 2 === 0 && at < last) || at === last ? [at] : []))
}

/** What the index is asked for to find a word. */
type Term = {
  text: string
  tokens: number
  /** Whether it finds the word and nothing else, so that no text has to be looked into. */
  isExact: boolean
}

/**
 * What finds a word of three letters or more: every second of its trigrams and the last, so near to each other that they fit only
 * where the word stands. Where they fit in another way as well, as those of "banana", all of them in a row. Of a longer word its beginning.
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

/** Whether the index finds a word and nothing else. */
export const isExact = (word: string) => isShort(word) || termOf(word).isExact

/** Words that are asked for together, those that find less first, by their length. */
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

/** The rows of events in which all words of a group occur; in what is open to all, or in what is under a password. */
export function* found(
  { rows }: Db,
  events: Pick<Rows, 'rowOf' | 'size' | 'parts'>,
  group: string[],
  sealed: boolean,
): Steps<Bits> {
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
