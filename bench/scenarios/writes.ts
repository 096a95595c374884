import type { Sending, Sent } from '../client.ts'
import { copyData, type DataSet } from '../data.ts'
import { type Figures, middle, type Request } from '../load.ts'
import { CLIENT, type Server, startScript, TICK } from '../process.ts'
import type { Replay } from '../raw.ts'
import { created, updated, WRITES, type WriteKind } from '../record.ts'
import { byRate } from '../results.ts'
import { CONNECTIONS, ROOT, type World } from './world.ts'

/** Writes a second of measuring: so that a round takes about as long as one of reads. */
const PACE = { 1: 200, [CONNECTIONS]: 1_000 }
/** Writes before measuring: V8 compiles the code of writes again and again until some two thousand were made. */
const WARMING = 2_000

let number = 7_330_000_000

function requestOf(data: DataSet, kind: WriteKind, token: string, id: number | undefined): Request {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  if (kind === 'create') {
    const body = JSON.stringify(created(String(++number), data))
    return { method: 'POST', path: `${ROOT}/events`, headers, body }
  }
  if (kind === 'update') {
    const body = JSON.stringify(updated(String(++number)))
    return { method: 'PUT', path: `${ROOT}/events/${id}`, headers, body }
  }
  const { authorization } = headers
  return { method: 'DELETE', path: `${ROOT}/events/${id}?force=true`, headers: { authorization } }
}

/** Creates, updates and deletes events, one by one and many at once, each beside SQLite alone doing the same. */
export async function measureWrites(world: World) {
  if (!WRITES.some((kind) => kind.includes(world.only))) return
  const [own, raws] = [copyData(world.data), copyData(world.data)]
  const server = await startScript('server.ts', { DATABASE: own.file, WRITER: 'on' })
  const raw = await startScript('raw.ts', { DATABASE: raws.file, EVENTS: String(world.data.events) })
  const client = await startScript('client.ts', {}, CLIENT)
  for (const connections of [1, CONNECTIONS] as const)
    await measureAt(world, { data: world.data, server, raw, client }, connections)
  for (const process of [server, raw, client]) await process.stop()
  own.remove()
  raws.remove()
}

type Parties = { data: DataSet; server: Server; raw: Server; client: Server }
type Pair = { measured: Figures[]; baseline: Figures[] }

async function measureAt(world: World, parties: Parties, connections: 1 | typeof CONNECTIONS) {
  const found: Record<WriteKind, Pair> = {
    create: { measured: [], baseline: [] },
    update: { measured: [], baseline: [] },
    delete: { measured: [], baseline: [] },
  }
  // round 0 warms up
  for (let round = 0; round <= world.rounds; round++) {
    const count = round === 0 ? WARMING : Math.ceil(PACE[connections]! * world.seconds)
    let ids: number[] = []
    for (const kind of WRITES) {
      const measured = await send(parties, kind, ids, count, connections)
      if (kind === 'create') ids = measured.ids
      const replay: Replay = { kind, count, group: connections }
      const baseline = await parties.raw.ask<Figures>(replay)
      if (round === 0) continue
      found[kind].measured.push(measured)
      found[kind].baseline.push(baseline)
    }
  }
  for (const kind of WRITES) {
    const figures = middle(found[kind].measured)
    const baseline = middle(found[kind].baseline)
    world.add({
      ...{ group: 'writes', scenario: connections === 1 ? kind : `${kind}, ${connections} at once` },
      ...{ connections, bytes: 0, against: 'raw SQLite', ...figures, baseline, ...byRate(figures, baseline) },
    })
  }
}

/** Sends writes of a kind, each once; those that change or delete take these IDs. */
export async function send(
  { data, server, client }: Omit<Parties, 'raw'>,
  kind: WriteKind,
  ids: number[],
  count: number,
  connections: number,
): Promise<Figures & { ids: number[] }> {
  const requests = Array.from({ length: count }, (_, at) =>
    requestOf(data, kind, server.tokens[at % server.tokens.length]!, ids[at]),
  )
  const sending: Sending = { url: server.url, requests, connections }
  const before = server.cpu()
  const sent = await client.ask<Sent>(sending)
  return { ...sent, cpu: Math.max(server.cpu() - before, TICK) / count }
}
