import { type Random, skewed } from './random.ts'

const SYLLABLES =
  'ba be bi bo bu ca co da de di do fa fe ga go la le li lo lu ma me mi mo mu na ne ni no pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo'.split(
    ' ',
  )
const WORDS = 20_000

/** Words of an event's title and of its two paragraphs. */
export const TITLE = 4
export const PARAGRAPH = 40
const DRAWN = TITLE + 2 * PARAGRAPH

/** Words from syllables: the rarer, the longer. */
export function vocabularyOf(random: Random): string[] {
  const found = new Set<string>()
  while (found.size < WORDS) {
    const length = 2 + Math.floor(Math.log2(1 + found.size) / 5 + random())
    found.add(Array.from({ length }, () => SYLLABLES[Math.floor(random() * SYLLABLES.length)]).join(''))
  }
  return [...found]
}

/** So many words, the first of the vocabulary most often. */
export const textOf = (random: Random, vocabulary: string[], length: number) =>
  Array.from({ length }, () => vocabulary[skewed(random, vocabulary.length)]).join(' ')

/** For each word, and each part of words up to `longest` letters: the share of events in whose text it occurs. */
export function sharesOf(vocabulary: string[], longest = 5): Map<string, number> {
  const drawn = new Map<string, number>()
  for (const [at, word] of vocabulary.entries()) {
    // skewed() draws this one when a cube root falls between these two
    const likely = Math.cbrt((at + 1) / vocabulary.length) - Math.cbrt(at / vocabulary.length)
    for (const part of partsOf(word, longest)) drawn.set(part, (drawn.get(part) ?? 0) + likely)
  }
  return new Map([...drawn].map(([part, likely]) => [part, 1 - (1 - likely) ** DRAWN]))
}

function partsOf(word: string, longest: number): Set<string> {
  const parts = new Set([word])
  for (let from = 0; from < word.length; from++)
    for (let to = from + 1; to <= Math.min(word.length, from + longest); to++) parts.add(word.slice(from, to))
  return parts
}
