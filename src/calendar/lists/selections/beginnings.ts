import { type Term, wordsOf } from '../../../kernel/text/search.ts'
import { openSpellings } from '../spellings.ts'

/** Letters by which words are found among others. */
const HEAD = 2
const headOf = (word: string) => word.slice(0, HEAD)

/** One of 32 marks of how a word begins; none if it has a single letter. */
const markOf = (word: string) =>
  word.length < HEAD
    ? 0
    : 1 << ((Math.imul(word.charCodeAt(0), 0x9e3779b1) + Math.imul(word.charCodeAt(1), 0x2c1b3c6d)) >>> 27)
/** The marks of the words of a text. */
export const marksIn = (text: string) => wordsOf(text).reduce((all, word) => all | markOf(word), 0)
/** The marks that all texts with these terms have. */
export const marksOf = (terms: Term[]) =>
  terms.reduce((all, { text, how }) => (how === 'within' ? all : all | markOf(wordsOf(text)[0]!)), 0)

/** The next place from one on that has all marks; the length if there is none. */
export function nextWith(places: Int32Array, marks: number, from: number): number {
  let at = from
  while (at < places.length && (places[at]! & marks) !== marks) at++
  return at
}

/** Numbers of texts by the beginnings of words, and by words: a map for each word would take several times the memory. */
type Counts = Map<string, Map<string, number>>

/** The words of texts in several languages, with the number of texts that have each, by how they begin. */
export function openBeginnings() {
  const counts = new Map<string, Counts>()
  const spellings = openSpellings()
  return {
    /** Adds the words of a text, or takes them away. */
    count({ text, language }: { text: string; language: string }, by: 1 | -1) {
      const own: Counts = counts.get(language) ?? new Map()
      counts.set(language, own)
      for (const word of new Set(wordsOf(text))) {
        const head = headOf(word)
        const alike = own.get(head) ?? new Map<string, number>()
        own.set(head, alike)
        const before = alike.get(word) ?? 0
        alike.set(word, before + by)
        if (before === 0) spellings.add(word)
        if (before + by > 0) continue
        spellings.delete(word)
        alike.delete(word)
        if (alike.size === 0) own.delete(head)
      }
    },
    /** The words of a language, or of all, that begin with a text, and the number of texts with each. */
    *beginning(text: string, language: string | undefined): Iterable<[word: string, texts: number]> {
      for (const [spoken, own] of counts) {
        if (language !== undefined && language !== spoken) continue
        const heads =
          text.length < HEAD ? [...own.keys()].filter((head) => head.startsWith(text)) : [headOf(text)]
        for (const head of heads)
          for (const entry of own.get(head) ?? []) if (entry[0].startsWith(text)) yield entry
      }
    },
    /** Words with at most so many errors of typing, and how many these are. */
    near: spellings.near,
  }
}
