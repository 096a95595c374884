import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { withBar } from '../src/kernel/cli.ts'
import { addToken, serveFile } from '../test/support/process.ts'
import { openDice } from './seed/random.ts'
import { openClient } from './soak/client.ts'
import { judge, type Sample } from './soak/flat.ts'
import { growthOf, type Sizes, sizesOf } from './soak/growth.ts'
import { dawdle, mix } from './soak/mixture.ts'
import { compareAnswers, compareFile } from './soak/tally.ts'
import { type Kept, prepare } from './soak/world.ts'
import { fill } from './soak/writes.ts'
import { table } from './table.ts'

// A mixed load for as long as wanted, and whether the service stays as it was: npm run bench:soak -- --minutes 20 [--seed 7]
const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.minutes ?? 10) * 60
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const LANES = 8
const EVERY = Math.min(5, seconds / 60)

const folder = mkdtempSync(join(tmpdir(), 'almanac-soak-'))
const file = join(folder, 'a.db')
const token = await addToken(file)
const env = {
  RATE_LIMIT: '9999999',
  METRICS_TOKEN: 'soak',
  MEDIA_DIR: join(folder, 'media'),
}
const served = await serveFile(file, env)
const client = openClient(served.root)
const world = await prepare(client, token)
const lanes = Array.from({ length: LANES }, (): Kept[] => [])
await Promise.all(lanes.map((events, at) => fill(world, openDice(seed - at), events)))
client.close()

const began = performance.now()
const elapsed = () => (performance.now() - began) / 1000
const metrics = new URL('/metrics', served.root)

async function sample(): Promise<Sample> {
  const answer = await fetch(metrics, { headers: { authorization: 'Bearer soak', connection: 'close' } })
  const lines = (await answer.text()).split('\n').map((line) => line.split(' '))
  const of = (name: string) => Number(lines.find(([first]) => first === name)?.[1])
  return {
    at: elapsed(),
    resident: of('process_resident_memory_bytes'),
    heap: of('nodejs_heap_size_used_bytes'),
    delay: of('nodejs_eventloop_lag_p99_seconds'),
    file: of('almanac_database_bytes'),
    log: of('almanac_wal_bytes'),
    descriptors: of('process_open_fds'),
    writes: world.writes,
  }
}

await pause(1_000)
const idle = await sample()
const over = () => elapsed() > seconds || served.child.exitCode !== null
const samples: Sample[] = []
let warm: { sizes: Sizes; writes: number } | undefined
await withBar({ terminal: process.stdout.isTTY }, 'Soaking', async (progress) => {
  const clients = [
    ...lanes.map((events, at) => mix(world, openDice(seed + at), events, over)),
    dawdle(world, openDice(seed + LANES), over),
    dawdle(world, openDice(seed + LANES + 1), over),
  ]
  while (!over()) {
    await pause(EVERY * 1000)
    samples.push(await sample())
    // the first third is for warming up
    if (!warm && elapsed() > seconds / 3) warm = { sizes: sizesOf(file), writes: world.writes }
    progress(Math.min(elapsed(), seconds), seconds)
  }
  await Promise.all(clients)
})

const faults = [...client.faults]
client.close()
const alive = served.child.exitCode === null
const verdict = judge(samples)
faults.push(...verdict.faults)
const ended = alive ? await rest() : idle
/** The service once all clients are gone: connections that nobody holds any more are closed. */
async function rest() {
  let last = await sample()
  for (let at = 0; at < 100 && last.descriptors > idle.descriptors; at++) {
    await pause(100)
    last = await sample()
  }
  return last
}
if (ended.descriptors > idle.descriptors)
  faults.push(`${ended.descriptors} descriptors are open at the end, and were ${idle.descriptors}`)
// until what was scheduled is published
await pause(5_000)
const events = lanes.flat()
if (alive) faults.push(...(await compareAnswers(world, events)))
client.close()
served.child.kill('SIGTERM')
const code = await served.ended
if (code !== 0) faults.push(`the service ended with ${code}: ${served.output().slice(-2_000)}`)
const growth = growthOf(warm!.sizes, sizesOf(file), world.writes - warm!.writes)
faults.push(...(await compareFile(file, events)))

const kinds = new Set(faults.map((fault) => fault.replace(/\d+/g, 'n')))
for (const kind of [...kinds].slice(0, 20))
  process.stderr.write(`${faults.find((fault) => fault.replace(/\d+/g, 'n') === kind)}\n`)
process.stderr.write(
  `${table(
    ['grows', 'bytes a write'],
    growth.map(([name, bytes]) => [name, bytes.toFixed(0)]),
  )}\n`,
)
const requests = Object.values(client.statuses).reduce((sum, many) => sum + many, 0)
const errors = Object.entries(client.statuses).reduce(
  (sum, [status, many]) => sum + (/^5/.test(status) ? many : 0),
  0,
)
process.stdout.write(
  `${JSON.stringify({ seed, seconds: Math.round(elapsed()), requests, writes: world.writes, errors, statuses: client.statuses, events: events.length, flat: verdict.flat, log: verdict.log, perWrite: Math.round(verdict.perWrite), descriptors: { began: idle.descriptors, ended: ended.descriptors }, faults: faults.length })}\n`,
)
rmSync(folder, { recursive: true })
process.exitCode = faults.length === 0 ? 0 : 1
