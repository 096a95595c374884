import { Bits, read } from '../bits.ts'
import type { Db } from './db.ts'
import { inRanges } from './ranges.ts'
import { gramOf, SEALED, SHORTEST } from './search.ts'
import type { Steps } from './slices.ts'

/** Letters of a word that the index is asked for: of longer ones the beginning, and the rest is looked for in texts. */
const LONGEST = 32
/** Trigrams of one query: each has to be opened, which takes some microseconds, before the first event is looked at. */
const MOST_TRIGRAMS = 40

const lengthOf = (word: string) => [...word].length
/** Whether the index finds a word by its beginning alone. */
export const isCut = (word: string) => lengthOf(word) > LONGEST
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

/**
 * What finds a long word: every second of its trigrams and the last, so near to each other that they fit only where the word
 * stands. Where they fit in another way as well, as those of "banana", all of them in a row.
 */
export function termOf(word: string): string {
  const letters = [...word]
  const last = letters.length - SHORTEST
  if (letters.length < SPARSE.least || letters.length > SPARSE.most) return quoted(word)
  const places = letters.flatMap((_, at) => ((at % 2 === 0 && at < last) || at === last ? [at] : []))
  if (fitsOtherwise(letters, places)) return quoted(word)
  const trigrams = places.map((at) => quoted(letters.slice(at, at + SHORTEST).join('')))
  return `NEAR(${trigrams.join(' ')}, ${last - 1})`
}

/** Words that are asked for together: short ones, or long ones of not too many trigrams. Those that find less come first, by their length. */
export function groupsOf(words: string[]): string[][] {
  const short = words.filter((word) => lengthOf(word) < SHORTEST)
  const groups: string[][] = []
  let room = 0
  for (const word of words.filter((word) => !short.includes(word)).sort((a, b) => b.length - a.length)) {
    const trigrams = Math.min(lengthOf(word), LONGEST)
    if (trigrams > room) {
      groups.push([])
      room = MOST_TRIGRAMS
    }
    groups.at(-1)!.push(word)
    room -= trigrams
  }
  return short.length > 0 ? [...groups, short] : groups
}

/** The events below `size` in which all words of a group occur; in what is open to all, or in what is under a password. */
export function* found({ rows }: Db, group: string[], sealed: boolean, size: number): Steps<Bits> {
  const isShort = lengthOf(group[0]!) < SHORTEST
  const table = isShort ? 'grams' : sealed ? 'sealed' : 'search'
  const sign = sealed ? SEALED : ''
  const terms = group.map((word) =>
    isShort ? quoted(sign + gramOf(word)) : termOf([...word].slice(0, LONGEST).join('')),
  )
  const query = `select coalesce(cast(group_concat(rowid) as blob), x'') from ${table} where ${table} match ? and rowid between ? and ?`
  const bits = new Bits(size)
  yield* inRanges(size - 1, (from, to) => {
    const [row] = rows<[Buffer]>(query, terms.join(' AND '), from, to)
    read(row![0], bits)
  })
  return bits
}
