import { BEGINS_IN_WORD, ENDS_IN_WORD, RUNS, type Term, UNSPACED } from '../../kernel/text/search.ts'

/** Letters, digits and marks in a row, of scripts whose texts have spaces between words. */
const SPACED = new RegExp(`(?:(?!${UNSPACED.source})${RUNS.source.slice(0, -1)})+`, 'gu')
const ALL_SPACED = new RegExp(`^${SPACED.source}$`, 'u')
/** Longer words are kept as pieces of twice this length, so that each part of this length is within one of them. */
const PART = 32
/** Stands where a word or a piece of one was cut from more letters. */
const CUT = '+'
/** Stands before a character or a pair of characters, as it stands before no word. */
export const GRAM = ' '
/** Longer parts of words are looked for in the words, shorter ones have a gram of their own. */
const LONGEST_GRAM = 2
/** Grams that are looked up for a term; more would hardly make fewer events likely. */
const MOST_GRAMS = 6

/** Adds a word, or its pieces if it is long. */
function addWord(word: string, isCut: { before: boolean; after: boolean }, to: Set<string>) {
  const letters = word.length > 2 * PART ? [...word] : [word]
  let at = 0
  for (let isLast = false; !isLast; at += PART) {
    isLast = letters.length <= at + 2 * PART
    const before = at > 0 || isCut.before ? CUT : ''
    const after = !isLast || isCut.after ? CUT : ''
    to.add(before + letters.slice(at, at + 2 * PART).join('') + after)
  }
}

/** Adds the words of a folded text to a set, and returns it. What scripts without spaces write between them are no words. */
export function wordsOf(folded: string, to = new Set<string>()): Set<string> {
  for (const run of folded.match(RUNS) ?? []) {
    if (!UNSPACED.test(run)) addWord(run, { before: false, after: false }, to)
    else
      for (const { 0: word, index } of run.matchAll(SPACED))
        addWord(word, { before: index > 0, after: index + word.length < run.length }, to)
  }
  return to
}

/** Greater than any code point. Two code points become one number, which costs a third of two strings in a set. */
const BASE = 2 ** 21
const SPACE = 32

/** All characters of a folded text, and all pairs that stand side by side, without white space: a number each. */
export function gramsOf(folded: string): Set<number> {
  const found = new Set<number>()
  let last = 0
  for (let at = 0; at < folded.length; at++) {
    const code = folded.codePointAt(at)!
    if (code > 0xffff) at++
    if (code > SPACE) {
      found.add(code)
      if (last > SPACE) found.add(last * BASE + code)
    }
    last = code
  }
  return found
}

/** A gram as a token. */
const tokenOf = (gram: number) =>
  GRAM +
  (gram < BASE ? String.fromCodePoint(gram) : String.fromCodePoint(Math.floor(gram / BASE), gram % BASE))
/** The number of a gram that is a token. */
export const gramOf = (token: string) =>
  [...token.slice(GRAM.length)].reduce((number, character) => number * BASE + character.codePointAt(0)!, 0)

/** By what a folded text is found: its words, and its grams. */
export const tokensOf = (folded: string): Set<string> =>
  wordsOf(folded, new Set([...gramsOf(folded)].map(tokenOf)))

/** A part of words: where they begin with it, end with it, or anywhere. */
export type Part = { text: string; begins: boolean; ends: boolean }
/** What all texts with a term have. If it is exact, no other texts have it, and none has to be read. */
export type Plan = { parts: Part[]; grams: string[]; isExact: boolean }

const lengthOf = (text: string) => [...text].length

/** How a term is looked for. */
export function planOf({ text, how }: Pick<Term, 'text' | 'how'>): Plan {
  if (how === 'within' && lengthOf(text) <= LONGEST_GRAM)
    return { parts: [], grams: [GRAM + text], isExact: true }
  const parts: Part[] = []
  const grams: string[] = []
  for (const { 0: run, index: from } of text.matchAll(SPACED)) {
    const to = from + run.length
    const begins = from === 0 ? how !== 'within' : !ENDS_IN_WORD.test(text.slice(Math.max(0, from - 2), from))
    const ends = to === text.length ? how === 'whole' : !BEGINS_IN_WORD.test(text.slice(to, to + 2))
    const isLong = lengthOf(run) > PART
    const part = isLong
      ? { text: [...run].slice(0, PART).join(''), begins, ends: false }
      : { text: run, begins, ends }
    if (run === text) return { parts: [part], grams: [], isExact: !isLong }
    // many words begin or end with one or two letters
    if (lengthOf(run) <= LONGEST_GRAM && !(begins && ends)) grams.push(GRAM + run)
    else parts.push(part)
  }
  const others = [...gramsOf(text)]
    .map(tokenOf)
    .filter((gram) => !ALL_SPACED.test(gram.slice(1)))
    .sort((a, b) => b.length - a.length)
  return { parts, grams: [...grams, ...others].slice(0, MOST_GRAMS), isExact: false }
}
