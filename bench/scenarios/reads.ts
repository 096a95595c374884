import { type Figures, load, middle } from '../load.ts'
import type { Server } from '../process.ts'
import { byCpu, type Result } from '../results.ts'
import { listScenarios, type Scenario } from './lists.ts'
import { CONNECTIONS, type Reading, ROOT, WARM } from './world.ts'

/** Measures what is read, search apart, each beside the bare limit of the same bytes. */
export async function measureReads(world: Reading) {
  const first = await fetch(`${world.server.url}${ROOT}/events`)
  const { total_pages } = (await first.json()) as { total_pages: number }
  await load(world.limit, [{ path: '/' }], { connections: CONNECTIONS, seconds: WARM })
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
  const bare = [{ path: '/' }]
  await load(server, requests(0), { connections, seconds: WARM })
  const measured: Figures[] = []
  const limits: Figures[] = []
  for (let round = 1; round <= rounds; round++) {
    measured.push(await load(server, requests(round), { connections, seconds }))
    limits.push(await load(limit, bare, { connections, seconds }))
  }
  const figures = middle(measured)
  const baseline = middle(limits)
  return {
    ...{ group, scenario: name, connections, bytes: bytes.length, against: 'ready bytes' },
    ...{ ...figures, baseline, ...byCpu(figures, baseline) },
  }
}

async function firstAnswer(server: Server, { path, headers = {} }: { path: string; headers?: object }) {
  const url = server.url + path.replace('@@@@@@@@', '0')
  const answer = await fetch(url, { headers: { ...headers } })
  if (answer.status >= 400) throw new Error(`${path} is answered with ${answer.status}`)
  return Buffer.from(await answer.arrayBuffer())
}
