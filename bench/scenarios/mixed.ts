import type { Sending, Sent } from '../client.ts'
import { copyData, type DataSet } from '../data.ts'
import { inTurn } from '../figures.ts'
import { type Figures, load, middle, type Request, warm } from '../load.ts'
import { BOTH, CLIENT, type Server, startProgram, startScript } from '../process.ts'
import { created } from '../record.ts'
import { byRate } from '../results.ts'
import { even, openRandom } from '../seed/random.ts'
import { dates, distinct, repeated, type Scenario } from './reads.ts'
import { searchesOf } from './search.ts'
import { CONNECTIONS, type Reading, ROOT, type World } from './world.ts'

/** One request of so many writes. */
const SHARE = 20

/** Reads among which every twentieth request creates an event, beside the same reads alone. */
export async function measureMixed(world: World) {
  const scenarios = [
    repeated('95 % list, repeated, 5 % creates', '/events'),
    distinct('95 % list, other dates, 5 % creates', (random) => `/events?${dates(random)}`),
  ].filter(({ name }) => name.includes(world.only))
  if (scenarios.length === 0) return
  const copy = copyData(world.data)
  const server = await startScript('server.ts', { DATABASE: copy.file, WRITER: 'on' })
  for (const scenario of scenarios) await measureOne(world, server, scenario)
  await server.stop()
  copy.remove()
}

async function measureOne(
  { data, rounds, seconds, add }: World,
  server: Server,
  { name, requests }: Scenario,
) {
  const shape = { connections: CONNECTIONS, seconds }
  await warm(server, requests(0), shape)
  await warm(server, withWrites(requests(0), data, server.tokens), shape)
  const [baseline, figures] = (
    await inTurn(
      rounds,
      (round) => load(server, requests(round + 1), shape),
      (round) => load(server, withWrites(requests(round + 1), data, server.tokens), shape),
    )
  ).map(middle) as [Figures, Figures]
  add({
    ...{ group: 'mixed', scenario: name, connections: CONNECTIONS, bytes: 0, against: 'the reads alone' },
    ...{ ...figures, baseline, ...byRate(figures, baseline) },
  })
}

/** Reads with a create in the place of every twentieth. */
function withWrites(reads: Request[], data: DataSet, tokens: string[]): Request[] {
  const random = openRandom(reads.length)
  const size = Math.max(reads.length, SHARE * tokens.length)
  const many = Array.from({ length: size }, (_, at) => reads[at % reads.length]!)
  for (let at = 0; at < size; at += SHARE)
    many[at + even(random, SHARE)] = createOf(data, tokens[(at / SHARE) % tokens.length]!)
  return many
}

const createOf = (data: DataSet, token: string): Request => ({
  method: 'POST',
  path: `${ROOT}/events`,
  headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
  body: JSON.stringify({ ...created('@@@@@@@@', data), description: 'Some text of it.' }),
})

export const BESIDE = 'list, other dates, beside 5 % searches'

/** Searches of all requests. */
const SEARCHES = 0.05
/** Searches of all kinds that the share is made of. */
const SEARCHED = [
  'search, rare word',
  'search, word in 1 to 5 %',
  'search, word in 20 to 60 %',
  'search, two letters',
]

/**
 * Lists beside searches and the same lists alone, in turn; only the lists are timed. How many searches belong to the lists is known only when
 * these are answered: each round sends as many as belonged to the one before.
 */
export async function measureBeside(world: Reading) {
  if (!BESIDE.includes(world.only)) return
  const { data, rounds, seconds, server, add } = world
  const client = await startScript('client.ts', {}, CLIENT)
  const { requests } = distinct(BESIDE, (random) => `/events?${dates(random)}`)
  const kinds = searchesOf(data.events).filter(({ name }) => SEARCHED.includes(name))
  const random = openRandom(data.events)
  let sent = 0
  const search = (): Request => {
    const { pathOf } = kinds[sent++ % kinds.length]!
    return { path: `${ROOT}${pathOf(random)}&x=beside-${sent}` }
  }
  const shape = { connections: CONNECTIONS, seconds }
  await warm(server, requests(0), shape)
  let rate = (await load(server, requests(0), shape)).rate
  const figures: Figures[] = []
  const alone: Figures[] = []
  // round 0 finds how many lists are answered beside searches
  for (let round = 0; round <= rounds; round++) {
    const pace = (rate * SEARCHES) / (1 - SEARCHES)
    const searches = Array.from({ length: Math.max(1, Math.round(pace * seconds)) }, search)
    const [measured, told] = await Promise.all([
      load(server, requests(round), shape),
      client.ask<Sent>({ ...sending(server, searches), pace }),
    ])
    rate = measured.rate
    const baseline = await load(server, requests(round), shape)
    if (round === 0) continue
    figures.push({ ...measured, failures: measured.failures + told.failures })
    alone.push(baseline)
  }
  await client.stop()
  const [own, baseline] = [middle(figures), middle(alone)]
  add({
    ...{ group: 'mixed', scenario: BESIDE, connections: CONNECTIONS, bytes: 0, against: 'the lists alone' },
    ...{ ...own, baseline, ...byRate(own, baseline) },
  })
}

const sending = ({ url }: Server, requests: Request[]): Sending => ({
  ...{ url, requests },
  connections: CONNECTIONS,
})

const NAME = 'list, other dates, WORKERS=2'

/**
 * Two processes beside one, on uncached lists, of the program as people start it. All cores are open to both and to the
 * client, which takes its share from them: two processes can not be twice as fast.
 */
export async function measureWorkers({ data, rounds, seconds, only, add }: World) {
  if (!NAME.includes(only)) return
  const { requests } = distinct(NAME, (random) => `/events?${dates(random)}`)
  const shape = { connections: CONNECTIONS, seconds, cores: BOTH }
  const copy = copyData(data) // one service has a database
  const [one, two] = [
    await startProgram({ DATABASE: data.file, MAX_DELAY: '0', WORKERS: '1' }, BOTH),
    await startProgram({ DATABASE: copy.file, MAX_DELAY: '0', WORKERS: '2' }, BOTH),
  ]
  for (const server of [one, two]) await warm(server, requests(0), shape)
  const ways = [one, two].map((server) => (round: number) => load(server, requests(round + 1), shape))
  const [baseline, figures] = (await inTurn(rounds, ...ways)).map(middle) as [Figures, Figures]
  await one.stop()
  await two.stop()
  copy.remove()
  add({
    ...{ group: 'processes', scenario: NAME, connections: CONNECTIONS, bytes: 0, against: 'one process' },
    ...{ ...figures, baseline, ...byRate(figures, baseline) },
    possible: possible(baseline),
  })
}

/** One process and the client have a core each; two processes and the client share two. */
const possible = ({ cpu, client }: Figures) => (2 * cpu) / (cpu + client)
