import { fold } from './text.ts'

/** Folded texts that must, and that must not, occur. */
export type SearchTerms = { wanted: string[]; unwanted: string[] }

/** Most words of one search; those that say nothing beside others do not count. */
export const MOST_WORDS = 20
/** What is wrong with a search that has more. */
export const MANY_WORDS = `must have at most ${MOST_WORDS} different words.`

/** Texts without those that others make needless, looked at in the order of `isBefore`; one more than may be at most. */
function needed(
  texts: string[],
  isBefore: (a: string, b: string) => number,
  isNeedless: (text: string, beside: string) => boolean,
): string[] {
  const kept: string[] = []
  for (const text of [...texts].sort(isBefore)) {
    if (kept.length > MOST_WORDS) break
    if (!kept.some((other) => isNeedless(text, other))) kept.push(text)
  }
  return kept
}
/** What stands inside another text occurs wherever that does. */
const neededWanted = (texts: string[]) =>
  needed(
    texts,
    (a, b) => b.length - a.length,
    (text, beside) => beside.includes(text),
  )
/** What has another text inside is excluded with that. */
const neededUnwanted = (texts: string[]) =>
  needed(
    texts,
    (a, b) => a.length - b.length,
    (text, beside) => text.includes(beside),
  )

/** Reads a search: words, `"phrases"`, each with `-` in front excluded. Gives them folded, without those that add nothing. */
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

/** Whether a search has more words than are looked for. */
export const hasManyWords = ({ wanted, unwanted }: SearchTerms) =>
  wanted.length + unwanted.length > MOST_WORDS

/** The words of a search for venues and organizers: runs of letters, digits and hyphens, folded (reference §2.1), without those that add nothing. */
export const readWords = (search: string): string[] =>
  neededWanted(
    fold(search)
      .split(/[^\p{L}\p{N}-]+/u)
      .filter(Boolean),
  )
