import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { fold } from '../../src/kernel/text/text.ts'
import { type Random, skewed } from './random.ts'

const LANGUAGES = ['english', 'french', 'spanish'] as const
/** Words of each language. */
const WORDS = 100_000

/** Words of an event's title and of its two paragraphs. */
export const TITLE = 4
export const PARAGRAPH = 40
const DRAWN = TITLE + 2 * PARAGRAPH

/** Letters by which a rare word may be shorter than a frequent one. */
const BLUR = 8

/** So many words of a language, evenly from A to Z. */
function wordsOf(language: (typeof LANGUAGES)[number]): string[] {
  const require = createRequire(new URL('../../tools/package.json', import.meta.url))
  const all = require(`an-array-of-${language}-words`) as string[]
  const plain = all.filter((word) => /^\p{L}{2,}$/u.test(word))
  return Array.from({ length: WORDS }, (_, at) => plain[Math.floor((at * plain.length) / WORDS)]!)
}

let lists: string[][] | undefined
function listsOf(): string[][] {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../tools/install.js', import.meta.url))], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return LANGUAGES.map(wordsOf)
}

/** The words of three languages, most frequent first: the rarer, the longer. */
export function vocabularyOf(random: Random): string[] {
  lists ??= listsOf()
  const ranked = lists.map((words) =>
    words
      .map((word) => ({ word, rank: word.length + BLUR * random() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ word }) => word),
  )
  return [...new Set(Array.from({ length: WORDS }, (_, at) => ranked.map((words) => words[at]!)).flat())]
}

/** So many words, the first of the vocabulary most often. */
export const textOf = (random: Random, vocabulary: string[], length: number) =>
  Array.from({ length }, () => vocabulary[skewed(random, vocabulary.length)]).join(' ')

/** For each word, and each part of words up to `longest` letters: the share of events in whose text it occurs. */
export function sharesOf(vocabulary: string[], longest = 4): Map<string, number> {
  const drawn = new Map<string, number>()
  for (const [at, word] of vocabulary.entries()) {
    // skewed() draws this one when a cube root falls between these two
    const likely = Math.cbrt((at + 1) / vocabulary.length) - Math.cbrt(at / vocabulary.length)
    for (const part of partsOf(fold(word), longest)) drawn.set(part, (drawn.get(part) ?? 0) + likely)
  }
  return new Map([...drawn].map(([part, likely]) => [part, 1 - (1 - likely) ** DRAWN]))
}

function partsOf(word: string, longest: number): Set<string> {
  const parts = new Set([word])
  for (let from = 0; from < word.length; from++)
    for (let to = from + 1; to <= Math.min(word.length, from + longest); to++) parts.add(word.slice(from, to))
  return parts
}
