import type { Server } from '../process.ts'
import { even, openRandom, type Random } from '../seed/random.ts'
import { sharesOf, vocabularyOf } from '../seed/vocabulary.ts'
import { day, distinct, type Scenario } from './lists.ts'
import { measure } from './reads.ts'
import { type Reading, ROOT } from './world.ts'

/** Searches of a round; a slow one is not sent more often than this within a second. */
const MANY = 4_000
const ALL_DATES = `start_date=${day(-4_000)}&end_date=${day(4_000)}`

type Texts = { name: string; textOf(random: Random): string; dates?: string }

/** Texts by how many events they occur in, none of them often enough in turn for a cache by text to help. */
export function searchesOf(events: number): Texts[] {
  const shares = sharesOf(vocabularyOf(openRandom(events)))
  const parts = (letters: number, least: number, most: number) => {
    const found = [...shares].filter(
      ([part, share]) =>
        (letters === 3 ? part.length >= 3 : part.length === letters) && share >= least && share < most,
    )
    return (random: Random) => found[even(random, found.length)]![0]
  }
  const common = parts(3, 0.2, 0.6)
  // every second letter is one that no word has
  const absent = (length: number) => (random: Random) =>
    Array.from({ length }, (_, at) => {
      const letters = at % 2 ? 'hjkqwxyz' : 'abcdefghijklmnopqrstuvwxyz'
      return letters[even(random, letters.length)]
    }).join('')
  return [
    { name: 'search, rare word', textOf: parts(3, 0, 0.002) },
    { name: 'search, word in 1 to 5 %', textOf: parts(3, 0.01, 0.05) },
    { name: 'search, word in 20 to 60 %', textOf: common },
    { name: 'search, two such words', textOf: (random) => `${common(random)} ${common(random)}` },
    { name: 'search, two letters', textOf: parts(2, 0.3, 1) },
    { name: 'search, one letter', textOf: parts(1, 0, 1.1) },
    { name: 'search, no hit', textOf: absent(6) },
    { name: 'search, two letters, no hit', textOf: absent(2) },
    { name: 'search, rare word, all dates', textOf: parts(3, 0, 0.002), dates: ALL_DATES },
    { name: 'search, word in 20 to 60 %, all dates', textOf: common, dates: ALL_DATES },
    { name: 'search, two letters, no hit, all dates', textOf: absent(2), dates: ALL_DATES },
  ]
}

/** Measures searches over one connection, so that latency is the search's own. */
export async function measureSearch(world: Reading) {
  for (const texts of searchesOf(world.data.events)) {
    if (!texts.name.includes(world.only)) continue
    const result = await measure(world, 'search', scenarioOf(texts))
    world.add({ ...result, share: await shareOf(world.server, texts, world.data.events) })
  }
}

const scenarioOf = ({ name, textOf, dates }: Texts): Scenario =>
  distinct(
    name,
    (random) => `/events?search=${encodeURIComponent(textOf(random))}${dates ? `&${dates}` : ''}`,
    { count: MANY, connections: 1 },
  )

/** The share of all events that these texts find, by the totals of a few answers. */
async function shareOf({ url }: Server, { textOf }: Texts, events: number): Promise<number> {
  const random = openRandom(1)
  let found = 0
  const sample = 5
  for (let at = 0; at < sample; at++) {
    const answer = await fetch(
      `${url}${ROOT}/events?search=${encodeURIComponent(textOf(random))}&${ALL_DATES}`,
    )
    found += ((await answer.json()) as { total: number }).total
  }
  return found / sample / events
}
