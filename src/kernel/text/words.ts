import { fold } from './text.ts'

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

/** The words of a search for venues and organizers: runs of letters, digits and hyphens, folded (reference §2.1), without redundant ones. */
export const readWords = (search: string): string[] =>
  neededWanted(
    fold(search)
      .split(/[^\p{L}\p{N}-]+/u)
      .filter(Boolean),
  )
