import type { Server } from '../process.ts'
import { even, openRandom, type Random, skewed } from '../seed/random.ts'
import { sharesOf, vocabularyOf } from '../seed/vocabulary.ts'
import { day, distinct, measure } from './reads.ts'
import { type Reading, ROOT } from './world.ts'

/** Searches of a round; a slow one is not sent more often than this within a second. */
const MANY = 4_000
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const ALL_DATES = `start_date=${day(-4_000)}&end_date=${day(4_000)}`

/** What is asked for, and whether the totals of its answers say how many events it finds. */
type Asked = {
  name: string
  pathOf(random: Random): string
  textOf(random: Random): string
  isCounted?: boolean
}

/** Searches by how many events their texts occur in, none of them often enough in turn for a cache by text to help. */
export function searchesOf(events: number): Asked[] {
  const vocabulary = vocabularyOf(openRandom(events))
  const shares = sharesOf(vocabulary)
  const parts = (letters: number, least: number, most: number) => {
    const found = [...shares].filter(
      ([part, share]) =>
        (letters === 3 ? part.length >= 3 : part.length === letters) && share >= least && share < most,
    )
    return (random: Random) => found[even(random, found.length)]![0]
  }
  const common = parts(3, 0.2, 0.6)
  const rare = parts(3, 0, 0.002)
  /** Letters that stand in no word in this order. */
  const absent = (length: number) => (random: Random) => {
    for (;;) {
      const text = Array.from({ length }, () => LETTERS[even(random, LETTERS.length)]).join('')
      if (!shares.has(text.slice(0, 4))) return text
    }
  }
  const search = (name: string, textOf: (random: Random) => string, dates?: string): Asked => ({
    name: `search, ${name}`,
    textOf,
    pathOf: (random) => `/events?search=${encodeURIComponent(textOf(random))}${dates ? `&${dates}` : ''}`,
    isCounted: true,
  })
  /** A word as it is typed, the frequent ones more often. */
  const word = (random: Random) => {
    const own = vocabulary[skewed(random, vocabulary.length)]!
    return own.length > 4 ? own : `${own} ${vocabulary[skewed(random, vocabulary.length)]}`
  }
  const long = vocabulary.filter(({ length }) => length > 6)
  const known = new Set(vocabulary)
  /** A word with two letters in each other's place, such that it is none. */
  const misspelt = (random: Random): string => {
    const own = long[skewed(random, long.length)]!
    const at = 1 + even(random, own.length - 2)
    const other = own.slice(0, at) + own[at + 1] + own[at] + own.slice(at + 2)
    return known.has(other) ? misspelt(random) : other
  }
  const typed = (name: string, textOf: (random: Random) => string, path = '/events'): Asked => ({
    name,
    textOf,
    pathOf: (random) => `${path}?q=${encodeURIComponent(textOf(random))}`,
  })
  const begun = (random: Random) => {
    const own = long[skewed(random, long.length)]!
    return own.slice(0, 2 + even(random, 3))
  }
  return [
    search('rare word', rare),
    search('word in 1 to 5 %', parts(3, 0.01, 0.05)),
    search('word in 20 to 60 %', common),
    search('two such words', (random) => `${common(random)} ${common(random)}`),
    search('two letters', parts(2, 0.3, 1)),
    search('one letter', parts(1, 0, 1.1)),
    search('no hit', absent(6)),
    search('two letters, no hit', absent(2)),
    search('rare word, all dates', rare, ALL_DATES),
    search('word in 20 to 60 %, all dates', common, ALL_DATES),
    search('two letters, no hit, all dates', absent(2), ALL_DATES),
    { ...typed('q, a word', word), isCounted: true },
    typed('q, two words', (random) => `${word(random)} ${word(random)}`),
    typed('q, misspelt', misspelt),
    typed('suggest', begun, '/suggest'),
  ]
}

/** Measures searches over one connection, so that latency is the search's own. */
export async function measureSearch(world: Reading) {
  for (const asked of searchesOf(world.data.events)) {
    if (!asked.name.includes(world.only)) continue
    const { name, pathOf, isCounted } = asked
    const result = await measure(world, 'search', distinct(name, pathOf, { count: MANY, connections: 1 }))
    world.add(
      isCounted ? { ...result, share: await shareOf(world.server, asked, world.data.events) } : result,
    )
  }
}

/** The share of all events that these texts find, by the totals of a few answers. */
async function shareOf({ url }: Server, { pathOf }: Asked, events: number): Promise<number> {
  const random = openRandom(1)
  let found = 0
  const sample = 5
  for (let at = 0; at < sample; at++) {
    const answer = await fetch(`${url}${ROOT}${pathOf(random)}&${ALL_DATES}`)
    found += ((await answer.json()) as { total: number }).total
  }
  return found / sample / events
}
