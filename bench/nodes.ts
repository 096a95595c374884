import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { openDatabase } from '../src/database.ts'
import { prepareCopy } from '../src/features/nodes/copy.ts'
import { moveToPostgres } from '../src/features/nodes/move.ts'
import { withBar } from '../src/kernel/cli.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { openFile } from '../test/support/process.ts'
import type { Sending, Sent } from './client.ts'
import { copyData, openData, temporaryFolder } from './data.ts'
import { inTurn, median, percentile, short, table, whole } from './figures.ts'
import { load } from './load.ts'
import { BOTH, type Server, startProgram, startScript } from './process.ts'
import { created } from './record.ts'
import { ROOT } from './scenarios/world.ts'

// Nodes on PostgreSQL beside one file: npm run bench:nodes -- [--events 100000] [--creates 2000] [--seconds 5]
const { values } = parseArgs({
  options: { events: { type: 'string' }, creates: { type: 'string' }, seconds: { type: 'string' } },
})
const events = Number(values.events ?? 100_000)
const creates = Number(values.creates ?? 2_000)
const seconds = Number(values.seconds ?? 5)
const AT_ONCE = 32
const SAMPLES = 300
/** A credential may write 6,000 times a minute. */
const TOKENS = 50

const folder = temporaryFolder()
const data = await openData(events)
const own = copyData(data)
const tokens = await addTokens(own.file)
const ends: (() => unknown)[] = []
const cluster = await startPostgres({ teardown: (end: () => unknown) => void ends.push(end) } as never)
const rows: string[][] = []
const say = (what: string, figure: string, beside = '') => {
  rows.push([what, figure, beside])
  process.stdout.write(`${what}: ${figure} ${beside}\n`)
}

async function addTokens(file: string): Promise<string[]> {
  const store = openFile(file)
  const made = []
  for (let at = 0; at < TOKENS; at++)
    made.push((await store.tokens.add(1, 'bench', ['read', 'write'], null)).token)
  store.db.close()
  return made
}

let number = 9_000_000_000
const requestsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...{ method: 'POST', path: `${ROOT}/events`, body: JSON.stringify(created(String(++number), data)) },
    headers: { authorization: `Bearer ${tokens[at % TOKENS]}`, 'content-type': 'application/json' },
  }))

/** Creates events through all these servers at once, 32 at a time in all; gives creates a second. */
async function createThrough(servers: Server[], clients: Server[], count: number): Promise<number> {
  const began = performance.now()
  const share = Math.ceil(AT_ONCE / servers.length)
  const sent = await Promise.all(
    servers.map((server, at) => {
      const sending: Sending = {
        url: server.url,
        requests: requestsOf(Math.ceil(count / servers.length)),
        connections: share,
      }
      return clients[at]!.ask<Sent>(sending)
    }),
  )
  const failures = sent.reduce((sum, { failures }) => sum + failures, 0)
  if (failures > 0) throw new Error(`${failures} creates failed`)
  return (count / (performance.now() - began)) * 1_000
}

/** The median of three measurements after one that warms up. */
const thrice = async (measure: () => Promise<number>) => median((await inTurn(4, measure))[0]!.slice(1))

async function readsOf(server: Server, headers: Record<string, string>) {
  const shape = { connections: AT_ONCE, seconds, cores: BOTH }
  await load(server, [{ path: `${ROOT}/events`, headers }], { ...shape, seconds: 2 })
  return load(server, [{ path: `${ROOT}/events`, headers }], shape)
}

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const began = performance.now()
  const value = await work()
  return [(performance.now() - began) / 1_000, value]
}

/** Milliseconds from the answer of one node until another shows an event to everyone. */
async function travelTimes(one: Server, other: Server): Promise<number[]> {
  const waits: number[] = []
  for (const { path, ...request } of requestsOf(SAMPLES)) {
    const answer = await fetch(one.url + path, request)
    const { id } = (await answer.json()) as { id: number }
    const began = performance.now()
    for (;;) {
      const seen = await fetch(`${other.url}${ROOT}/events/${id}`)
      await seen.arrayBuffer()
      if (seen.status === 200) break
      await pause(1)
    }
    waits.push(performance.now() - began)
  }
  return waits
}

try {
  const clients = await Promise.all([1, 2, 3].map(() => startScript('client.ts', {}, BOTH)))
  const bearer = { authorization: `Bearer ${tokens[0]}` }

  const single = await startProgram({ DATABASE: own.file }, BOTH)
  const alone = await thrice(() => createThrough([single], clients, creates))
  const read = await readsOf(single, {})
  const signed = await readsOf(single, bearer)
  await single.stop()
  say('one file: creates a second', whole(alone))

  const [moved] = await timed(() =>
    moveToPostgres({
      url: cluster.url,
      file: own.file,
      mediaDir: join(folder, 'media'),
      progress() {},
      allowMissing: false,
      signal: new AbortController().signal,
    }),
  )
  say(`moving ${whole(events)} events to PostgreSQL`, `${short(moved)} s`)
  const env = (at: number) => ({ DATABASE: cluster.url, REPLICA: join(folder, `${at}.db`) })
  const [taken] = await timed(() => take(env(0).REPLICA))
  say(`taking a copy of ${whole(events)} events`, `${short(taken)} s`)

  const nodes: Server[] = []
  for (const count of [1, 2, 3]) {
    nodes.push(await startProgram(env(count), BOTH))
    const rate = await thrice(() => createThrough(nodes, clients, creates))
    say(
      `${count} node${count === 1 ? '' : 's'}: creates a second`,
      whole(rate),
      `${(rate / alone).toFixed(2)} of one file`,
    )
  }
  for (const [who, headers, before] of [
    ['without', {}, read],
    ['with', bearer, signed],
  ] as const) {
    const there = await readsOf(nodes[0]!, headers)
    say(
      `reads ${who} credentials a second`,
      whole(there.rate),
      `${(there.rate / before.rate).toFixed(2)} of one file, CPU ${short(there.cpu)} against ${short(before.cpu)} µs`,
    )
  }
  const waits = await travelTimes(nodes[0]!, nodes[1]!)
  const at = (share: number) => short(percentile(waits, share))
  say('until a write is seen on another node', `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)

  const before = await seqOf()
  for (let round = 0; round < 5; round++) await createThrough(nodes, clients, creates)
  const groups = (await seqOf()) - before
  for (const node of nodes) await node.stop()
  const [opened] = await timed(() => catchUp(env(0).REPLICA))
  const all = await seqOf()
  say(
    'catching up',
    `${whole(groups)} groups of ${whole(5 * creates)} creates were the last of ${whole(all)}`,
    `${short(opened)} s in all`,
  )
  for (const client of clients) await client.stop()
  process.stdout.write(`\n${table(['what', 'figure', 'beside'], rows)}\n`)
} finally {
  for (const end of ends) await end()
}

async function take(file: string) {
  await withBar({ terminal: process.stderr.isTTY }, 'Taking a copy', (progress) =>
    prepareCopy({ url: cluster.url, file }, { print() {}, progress }),
  )
}

/** Opens the copy, which brings what it lacks, and closes it. */
async function catchUp(file: string) {
  const db = await openDatabase(readConfig({ DATABASE: cluster.url, REPLICA: file }))
  db.close()
}

async function seqOf(): Promise<number> {
  const [row] = await cluster.ask<{ seq: number }>('select seq from almanac.head')
  return Number(row!.seq)
}
