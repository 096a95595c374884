import { fold } from './text.ts'

/** Runs of letters, digits and marks, which are the words of a text. */
export const RUNS = /[\p{L}\p{N}\p{M}]+/gu
/** Scripts whose texts have no spaces between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/**
 * What is looked for: a word or phrase as a whole, a word by its beginning, or, in scripts without spaces, a part of a text. The text is folded.
 */
export type Term = {
  text: string
  how: 'whole' | 'beginning' | 'within'
  /** Stood in quotes, and so is never taken as another. */
  quoted?: true
}
/** What people search for: what must occur, and what must not. */
export type Terms = { wanted: Term[]; unwanted: Term[] }

/** The words of a folded text. */
export const wordsOf = (folded: string): string[] => folded.match(RUNS) ?? []

const termOf = (text: string, how: Term['how']): Term =>
  UNSPACED.test(text) ? { text, how: 'within' } : { text, how }

/** A phrase from its first word to its last, if it has any. */
function phraseIn(folded: string): Term[] {
  const words = wordsOf(folded)
  const last = words.at(-1)
  if (last === undefined) return []
  const end = folded.lastIndexOf(last) + last.length
  return [{ ...termOf(folded.slice(folded.indexOf(words[0]!), end), 'whole'), quoted: true }]
}

const unique = (terms: Term[]) => [
  ...new Map(terms.map((term) => [`${term.how} ${term.text}`, term])).values(),
]

/**
 * Reads what a person typed: words and `"phrases"`; a `-` in front excludes one. The last word counts by its beginning, unless it is a phrase or
 * excluded.
 */
export function readQuery(text: string): Terms {
  const terms: Terms = { wanted: [], unwanted: [] }
  let isLast = false
  for (const [, minus, phrase, word] of text
    .replace(/\p{Cc}/gu, ' ')
    .matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const folded = fold(phrase ?? word!)
    const isPhrase = minus !== '' || phrase !== undefined
    const found = isPhrase ? phraseIn(folded) : wordsOf(folded).map((own) => termOf(own, 'whole'))
    if (minus) terms.unwanted.push(...found)
    else terms.wanted.push(...found)
    if (found.length > 0) isLast = !isPhrase
  }
  const last = terms.wanted.at(-1)
  if (isLast && last?.how === 'whole') terms.wanted[terms.wanted.length - 1] = { ...last, how: 'beginning' }
  return { wanted: unique(terms.wanted), unwanted: unique(terms.unwanted) }
}

export const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u
export const BEGINS_IN_WORD = /^[\p{L}\p{N}\p{M}]/u

/** Whether a folded text has a term: a word of its own, not a part of one, unless the script has no spaces. */
export function hasTerm(folded: string, { text, how }: Pick<Term, 'text' | 'how'>): boolean {
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
  if (Math.abs(a.length - b.length) > most) return undefined
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    // further from the diagonal there are more errors than that
    const from = Math.max(1, row - most)
    const to = Math.min(b.length, row + most)
    const next: number[] = new Array(b.length + 1).fill(most + 1)
    if (from === 1) next[0] = row
    let least = next[from - 1]!
    for (let at = from; at <= to; at++) {
      const isSame = a[row - 1] === b[at - 1]
      let errors = Math.min(last[at - 1]! + (isSame ? 0 : 1), last[at]! + 1, next[at - 1]! + 1)
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1]
      if (isSwapped) errors = Math.min(errors, before[at - 2]! + 1)
      next[at] = errors
      least = Math.min(least, errors)
    }
    if (least > most) return undefined
    before = last
    last = next
  }
  const errors = last[b.length]!
  return errors <= most ? errors : undefined
}

/** Words as they were typed, with those that they were taken as. */
export type Corrections = ReadonlyMap<string, string>

/** What a person typed, with the words that it was taken as. */
export const correctedText = (text: string, corrections: Corrections): string =>
  text.replace(RUNS, (run) => corrections.get(fold(run)) ?? run)
