import { fold } from './text.ts'

/** Runs of letters, digits and marks, which are the words of a text. */
const RUNS = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts whose texts have no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * What is looked for: a word or phrase as a whole, a word by its beginning, or, in scripts without spaces, a part of a text. The text is folded.
 */
export type Term = { text: string; how: 'whole' | 'beginning' | 'within' }
/** What people search for: what must occur, and what must not. */
export type Terms = { wanted: Term[]; unwanted: Term[] }

/** The words of a folded text. */
export const wordsOf = (folded: string): string[] => folded.match(RUNS) ?? []

const termOf = (text: string, how: Term['how']): Term =>
  UNSPACED.test(text) ? { text, how: 'within' } : { text, how }

/** A phrase from its first word to its last; undefined without any. */
function phraseOf(folded: string): Term | undefined {
  const words = wordsOf(folded)
  if (words.length === 0) return undefined
  const end = folded.lastIndexOf(words.at(-1)!) + words.at(-1)!.length
  return termOf(folded.slice(folded.indexOf(words[0]!), end), 'whole')
}

const unique = (terms: Term[]) => [
  ...new Map(terms.map((term) => [`${term.how} ${term.text}`, term])).values(),
]

/**
 * Reads what a person typed: words and `"phrases"`; a `-` in front excludes one. The last word counts by its beginning, unless it is a phrase or
 * excluded.
 */
export function readQuery(text: string): Terms {
  const wanted: Term[] = []
  const unwanted: (Term | undefined)[] = []
  let last: Term | undefined
  for (const [, minus, phrase, word] of text
    .replace(/\p{Cc}/gu, ' ')
    .matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    last = undefined
    const folded = fold(phrase ?? word!)
    if (minus) unwanted.push(phraseOf(folded))
    else if (phrase !== undefined) wanted.push(...(phraseOf(folded) ? [phraseOf(folded)!] : []))
    else {
      wanted.push(...wordsOf(folded).map((own) => termOf(own, 'whole')))
      last = wanted.at(-1)
    }
  }
  if (last?.how === 'whole') wanted[wanted.length - 1] = { ...last, how: 'beginning' }
  return { wanted: unique(wanted), unwanted: unique(unwanted.filter((term) => term !== undefined)) }
}

const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u
const BEGINS_IN_WORD = /^[\p{L}\p{N}\p{M}]/u

/** Whether a folded text has a term: a word of its own, not a part of one, unless the script has no spaces. */
export function hasTerm(folded: string, { text, how }: Term): boolean {
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) {
    if (how === 'within') return true
    if (ENDS_IN_WORD.test(folded.slice(Math.max(0, at - 2), at))) continue
    const end = at + text.length
    if (how === 'beginning' || !BEGINS_IN_WORD.test(folded.slice(end, end + 2))) return true
  }
  return false
}

/** Letters from which on a word may be another with one error, and with two. */
const ONE_ERROR = 5
const TWO_ERRORS = 9

/** How many errors of typing a word may have. Numbers have none. */
export function errorsIn(word: string): number {
  if (!/^\p{L}+$/u.test(word) || UNSPACED.test(word)) return 0
  const { length } = [...word]
  return length >= TWO_ERRORS ? 2 : length >= ONE_ERROR ? 1 : 0
}

/**
 * The number of errors of typing between two words, up to `most`: letters that are missing, too many or wrong, and neighbours that
 * changed places (optimal string alignment). Undefined if there are more.
 */
export function distance(a: string, b: string, most: number): number | undefined {
  const [from, to] = [[...a], [...b]]
  if (Math.abs(from.length - to.length) > most) return undefined
  let before: number[] = []
  let last = to.map((_, at) => at)
  last.push(to.length)
  for (const [row, letter] of from.entries()) {
    const next = [row + 1]
    for (const [at, other] of to.entries()) {
      const change = last[at]! + (letter === other ? 0 : 1)
      const swap =
        letter === to[at - 1] && other === from[row - 1] ? before[at - 1]! + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, last[at + 1]! + 1, next[at]! + 1))
    }
    if (Math.min(...next) > most) return undefined
    before = last
    last = next
  }
  return last.at(-1)! <= most ? last.at(-1)! : undefined
}

/** Words as they were typed, with those that they were taken as. */
export type Corrections = ReadonlyMap<string, string>

/** What a person typed, with the words that it was taken as. */
export const correctedText = (text: string, corrections: Corrections): string =>
  text.replace(RUNS, (run) => corrections.get(fold(run)) ?? run)
