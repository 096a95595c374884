import type { Asks, Attack } from './attack.ts'

/** Behind a trusted proxy: a client of the own machine has no budget. The second is the address of an office, with a normal client in it. */
const PUBLIC = { 'x-forwarded-for': '203.0.113.8' }
const OFFICE = { 'x-forwarded-for': '203.0.113.9' }
const LETTERS = 'aeioustrnlcdmpbghfvy'
const PAIRS = [...LETTERS].flatMap((first) => [...LETTERS].map((second) => first + second))

const get = (name: string, path: (at: number) => string, more: Partial<Asks> = {}): Asks => {
  const headers = more.shared ?? {}
  return { name, connections: 16, request: (at) => ({ method: 'GET', path: path(at), headers }), ...more }
}
const from =
  (path: (at: number) => string, headers: Record<string, string>): Asks['request'] =>
  (at) => ({ method: 'GET', path: path(at), headers })

/** So many pairs of letters that nobody asked for together before: the number of the question in the base of their number. */
function pairs(at: number, many: number): string {
  let left = at * 7_919 + 1
  return Array.from({ length: many }, (_, place) => {
    left = (left * 48_271 + place) % 2_147_483_647
    return PAIRS[left % PAIRS.length]!
  }).join('+')
}
const searchOf = (at: number) => `/events?search=${pairs(at, 20)}&at=${at}`
const monthOf = (at: number) => `//events/month/${2026 + (at % 3)}-1${at % 3}/?search=${pairs(at, 5)}`

/** Questions that are another one each time, so that no answer to an earlier one helps; and what becomes of others at the same address. */
export const QUESTIONS: Attack[] = [
  get('searches of 20 new words', searchOf),
  get('months with 5 new words', monthOf),
  get('months with 5 new words, from a public address', monthOf, { request: from(monthOf, PUBLIC) }),
  get('venues with 5 new words', (at) => `/venues?search=${pairs(at, 5)}&at=${at}`),
  get('lists of pictures', (at) => `/media?per_page=50&at=${at}`),
  get('suggestions for new words', (at) => `/suggest?q=${pairs(at, 2)}`),
  get('searches of 20 new words, from the private address of the normal client', searchOf, { shared: {} }),
  get('searches of 20 new words, from the public address of the normal client', searchOf, { shared: OFFICE }),
]
