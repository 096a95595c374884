import { copyData, type DataSet } from '../data.ts'
import { type Figures, load, middle, type Request, warm } from '../load.ts'
import { type Server, startScript } from '../process.ts'
import { created } from '../record.ts'
import { byRate } from '../results.ts'
import { even, openRandom } from '../seed/random.ts'
import { dates, distinct, repeated, type Scenario } from './lists.ts'
import { CONNECTIONS, ROOT, type World } from './world.ts'

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
  const mixed: Figures[] = []
  const alone: Figures[] = []
  await warm(server, requests(0), shape)
  await warm(server, withWrites(requests(0), data, server.tokens), shape)
  for (let round = 1; round <= rounds; round++) {
    alone.push(await load(server, requests(round), shape))
    mixed.push(await load(server, withWrites(requests(round), data, server.tokens), shape))
  }
  const figures = middle(mixed)
  const baseline = middle(alone)
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
