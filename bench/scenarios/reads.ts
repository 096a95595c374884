import { type Figures, load, median, middle, type Request, type Shape, warm } from '../load.ts'
import type { Server } from '../process.ts'
import { byCpu, type Result } from '../results.ts'
import { listScenarios, type Scenario } from './lists.ts'
import { CONNECTIONS, type Reading, ROOT } from './world.ts'

/** Measures what is read, search apart, each beside the bare limit of the same bytes. */
export async function measureReads(world: Reading) {
  const first = await fetch(`${world.server.url}${ROOT}/events`)
  const { total_pages } = (await first.json()) as { total_pages: number }
  await warm(world.limit, [{ path: '/' }], { connections: CONNECTIONS, seconds: 1 })
  for (const scenario of listScenarios(world.data, total_pages, first.headers.get('etag')!))
    if (scenario.name.includes(world.only)) world.add(await measure(world, 'reads', scenario))
}

/** Measures a scenario and the bare limit of the same bytes in turn. */
export async function measure(
  { server, limit, rounds, seconds }: Reading,
  group: Result['group'],
  { name, requests, connections = CONNECTIONS }: Scenario,
): Promise<Result> {
  const bytes = await firstAnswer(server, requests(0)[0]!)
  await fetch(limit.url, { method: 'PUT', body: new Uint8Array(bytes) })
  const shape = await shapeFor(server, requests(0), { connections, seconds })
  await warm(server, requests(0), shape)
  const measured: Figures[] = []
  const limits: Figures[] = []
  for (let round = 1; round <= rounds; round++) {
    measured.push(await load(server, requests(round), shape))
    limits.push(await load(limit, [{ path: '/' }], { connections, seconds }))
  }
  const figures = middle(measured)
  const baseline = middle(limits)
  return {
    ...{ group, scenario: name, connections: shape.connections, bytes: bytes.length, against: 'ready bytes' },
    ...{ ...figures, baseline, ...byCpu(figures, baseline) },
  }
}

/** Requests that a connection sends in a round at least, where a longer round makes that possible. */
const EACH = 10
const LONGEST = 10

/** Fewer connections and longer rounds for what is slow: what is under way when a round ends is not counted. */
async function shapeFor(
  server: Server,
  requests: Request[],
  { connections, seconds }: Shape,
): Promise<Shape> {
  const waits: number[] = []
  for (const request of requests.slice(1, 6).concat(requests).slice(0, 5)) {
    const began = performance.now()
    await firstAnswer(server, request)
    waits.push((performance.now() - began) / 1_000)
  }
  const wait = median(waits)
  return {
    connections: Math.max(1, Math.min(connections, Math.floor(seconds / EACH / wait))),
    seconds: Math.min(LONGEST, Math.max(seconds, Math.ceil((wait * EACH) / 2))),
  }
}

let asked = 0
async function firstAnswer(server: Server, { path, headers = {} }: Request) {
  const url = server.url + path.replace('@@@@@@@@', `first-${++asked}`)
  const answer = await fetch(url, { headers })
  if (answer.status >= 400) throw new Error(`${path} is answered with ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}
