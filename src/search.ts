import { fold } from './text.ts'

/** Folded texts that must, and that must not, occur. */
export type SearchTerms = { wanted: string[]; unwanted: string[] }

/** Reads a search: words, `"phrases"`, each with `-` in front excluded. Gives them folded. */
export function readSearch(search: string): SearchTerms {
  const terms: SearchTerms = { wanted: [], unwanted: [] }
  for (const [, minus, phrase, word] of search.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const text = fold(phrase ?? word!)
    if (text !== '') (minus ? terms.unwanted : terms.wanted).push(text)
  }
  return terms
}

/** The words of a search for venues and organizers: runs of letters, digits and hyphens, folded (reference §2.1). */
export const readWords = (search: string): string[] =>
  fold(search)
    .split(/[^\p{L}\p{N}-]+/u)
    .filter(Boolean)
