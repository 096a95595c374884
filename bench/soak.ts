import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { withBar } from '../src/kernel/cli.ts'
import { findDamage, findDifferences } from '../test/support/damage.ts'
import { addToken, openFile, serveFile } from '../test/support/process.ts'
import { temporaryFolder } from './data.ts'
import { table } from './figures.ts'
import { openDice } from './seed/random.ts'
import { openClient } from './soak/client.ts'
import { growthOf, judge, type Sample, type Sizes, sizesOf } from './soak/flat.ts'
import { dawdle, fill, type Kept, mix, prepare, TORN, type World } from './soak/mixture.ts'

// A mixed load for as long as wanted, and whether the service stays as it was: npm run bench:soak -- --minutes 20 [--seed 7]
const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const seconds = Number(values.minutes ?? 10) * 60
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const LANES = 8
const EVERY = Math.min(5, seconds / 60)

const folder = temporaryFolder()
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
process.exitCode = faults.length === 0 ? 0 : 1

/** What the service answers otherwise than is to be expected of the writes that it acknowledged. */
async function compareAnswers(
  { client, categories, tags, venues }: World,
  events: Kept[],
): Promise<string[]> {
  const found: string[] = []
  const shown = events.filter(({ status }) => status === 'publish')
  const compare = (what: string, is: number, wanted: number) => {
    if (is !== wanted) found.push(`${what}: ${is}, not ${wanted}`)
  }
  const total = async (filter: string) => {
    const path = `/events?start_date=0001-01-01&end_date=9999-12-31&per_page=1${filter}`
    const { status, body } = await client.send({ path, right: [200, 404] })
    return status === 404 ? 0 : (body.total as number)
  }
  const linked = (name: 'category' | 'tag' | 'venue', id: number) =>
    shown.filter((event) => event[name] === id).length
  compare('events', await total(''), shown.length)
  for (const [plural, name, ids] of [
    ['categories', 'category', categories],
    ['tags', 'tag', tags],
  ] as const)
    for (const id of ids) {
      const wanted = linked(name, id)
      compare(`count of ${name} ${id}`, (await client.send({ path: `/${plural}/${id}` })).body.count, wanted)
      compare(`events of ${name} ${id}`, await total(`&${plural}=${id}`), wanted)
    }
  for (const id of venues) compare(`events at ${id}`, await total(`&venue=${id}`), linked('venue', id))
  return found
}

/** What of the file is damaged, not as derived, or otherwise than was acknowledged. */
async function compareFile(file: string, events: Kept[]): Promise<string[]> {
  const { db, site } = openFile(file)
  const found = [...findDamage(db), ...(await findDifferences(db, site))]
  const rows = db.read.values<[number, string, string]>(
    sql`select id, title, status from posts where kind = 'event' and title <> ${TORN}`,
  )
  const wanted = new Map(events.map((event) => [event.id, event]))
  for (const [id, title, status] of rows) {
    const event = wanted.get(id)
    if (event?.title !== title || event.status !== status)
      found.push(`event ${id} is ${title}, ${status}, not ${event?.title}, ${event?.status}`)
    wanted.delete(id)
  }
  for (const { id } of wanted.values()) found.push(`event ${id} is lost`)
  const [[files]] = db.read.values<[number]>(sql`select count(*) from media`) as [[number]]
  if (files > 0) found.push(`${files} pictures were removed and are still there`)
  db.close()
  return found
}
