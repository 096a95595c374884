import type { Asks, Attack } from './attack.ts'

/** Behind a trusted proxy: a client of the own machine has no budget. The second is the address of an office, with a normal client in it. */
const PUBLIC = { 'x-forwarded-for': '203.0.113.8' }
const OFFICE = { 'x-forwarded-for': '203.0.113.9' }
/** The letters of generated words, in which these take turns: others occur in no text, and what asks for one is answered at once. */
const CONSONANTS = [...'bcdfglmnprstv']
const VOWELS = [...'aeiou']
const LETTERS = [...CONSONANTS, ...VOWELS]
/** Parts of words that are longer than what the index has by itself, so that all words are looked through for each. */
const PARTS = CONSONANTS.flatMap((first) =>
  VOWELS.flatMap((vowel) => CONSONANTS.map((last) => first + vowel + last)),
)
const PAIRS = CONSONANTS.flatMap((first) => VOWELS.map((vowel) => first + vowel))

const get = (name: string, path: (at: number) => string, more: Partial<Asks> = {}): Asks => {
  const headers = more.shared ?? {}
  return { name, connections: 16, request: (at) => ({ method: 'GET', path: path(at), headers }), ...more }
}
const from =
  (path: (at: number) => string, headers: Record<string, string>): Asks['request'] =>
  (at) => ({ method: 'GET', path: path(at), headers })

/** So many of these texts, in an order and a choice that nobody asked for before. */
function some(texts: readonly string[], many: number, at: number): string[] {
  const left = [...texts]
  let state = at * 7_919 + 1
  return Array.from({ length: many }, (_, place) => {
    state = (state * 48_271 + place) % 2_147_483_647
    return left.splice(state % left.length, 1)[0]!
  })
}
const parts = (many: number, at: number) => some(PARTS, many, at).join('+')
/** A search of all letters in another order each time. */
export const lettersOf = (at: number) =>
  `/events?search=${some(LETTERS, LETTERS.length, at).join('+')}&at=${at}`
/** A search of a phrase: all texts with both halves are read for it, which are nearly all. */
const phraseOf = (at: number) => `/events?search=%22${some(PAIRS, 2, at).join('+')}%22&at=${at}`
const searchOf = (at: number) => `/events?search=${parts(20, at)}&at=${at}`
const monthOf = (at: number) => `//events/month/${2026 + (at % 3)}-1${at % 3}/?search=${parts(5, at)}`

/** Questions that are another one each time, so that no answer to an earlier one helps; and what becomes of others at the same address. */
export const QUESTIONS: Attack[] = [
  get('searches of 18 letters, in another order each time', lettersOf),
  get('searches of 20 new words', searchOf),
  get('searches of a new phrase', phraseOf),
  get('searches of a new phrase, from a public address', phraseOf, { request: from(phraseOf, PUBLIC) }),
  get('months with 5 new words', monthOf),
  get('months with 5 new words, from a public address', monthOf, { request: from(monthOf, PUBLIC) }),
  get('venues with 5 new words', (at) => `/venues?search=${parts(5, at)}&at=${at}`),
  get('lists of pictures', (at) => `/media?per_page=50&at=${at}`),
  get('suggestions for a new word', (at) => `/suggest?q=${parts(1, at)}`),
  get('searches of 20 new words, from the private address of the normal client', searchOf, { shared: {} }),
  get('searches of 20 new words, from the public address of the normal client', searchOf, { shared: OFFICE }),
]
