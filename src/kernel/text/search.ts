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

/** Folded texts that must occur, and those that must not. */
export type SearchTerms = { wanted: string[]; unwanted: string[] }

/** Greatest number of words in a search. Redundant words do not count. */
export const MOST_WORDS = 20
/** The message about a search with more. */
export const MANY_WORDS = `must have at most ${MOST_WORDS} different words.`
/** The message about a search with none, which would find everything. */
export const NO_WORD = 'must have at least one word.'

/** Texts without the redundant ones, considered in the order of `isBefore`; at most one more than allowed. */
function needed(
  texts: string[],
  isBefore: (a: string, b: string) => number,
  isNeedless: (text: string, beside: string) => boolean,
): string[] {
  const left: string[] = []
  for (const text of [...texts].sort(isBefore)) {
    if (left.length > MOST_WORDS) break
    if (!left.some((other) => isNeedless(text, other))) left.push(text)
  }
  return left
}
/** A text inside another one occurs wherever that occurs. */
const neededWanted = (texts: string[]) =>
  needed(
    texts,
    (a, b) => b.length - a.length,
    (text, beside) => beside.includes(text),
  )
/** Excluding a text also excludes all longer texts that contain it. */
const neededUnwanted = (texts: string[]) =>
  needed(
    texts,
    (a, b) => a.length - b.length,
    (text, beside) => text.includes(beside),
  )

/** Reads a search: words and `"phrases"`; a `-` in front excludes one. Returns them folded, without redundant ones. */
export function readSearch(search: string): SearchTerms {
  const terms: SearchTerms = { wanted: [], unwanted: [] }
  for (const [, minus, phrase, word] of search
    .replace(/\p{Cc}/gu, ' ')
    .matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const text = fold(phrase ?? word!)
    if (text !== '') (minus ? terms.unwanted : terms.wanted).push(text)
  }
  return { wanted: neededWanted(terms.wanted), unwanted: neededUnwanted(terms.unwanted) }
}

/** Whether a search has more words than allowed. */
export const hasManyWords = ({ wanted, unwanted }: Record<keyof SearchTerms, readonly unknown[]>) =>
  wanted.length + unwanted.length > MOST_WORDS

/** The words of a search for names: runs of letters, digits and hyphens, folded (reference §2.1), without redundant ones. */
export const readWords = (search: string): string[] =>
  neededWanted(
    fold(search)
      .split(/[^\p{L}\p{N}-]+/u)
      .filter(Boolean),
  )

/** How much two titles have in common, from 0 to 1: their shared words among all (Dice). Case and accents do not count. */
export function likeness(one: string, other: string): number {
  const [a, b] = [new Set(wordsOf(fold(one))), new Set(wordsOf(fold(other)))]
  const shared = [...a].filter((word) => b.has(word)).length
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size)
}
