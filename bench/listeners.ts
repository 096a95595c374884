import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { copyData, openData } from './data.ts'
import type { Asked, Heard } from './listeners/crowd.ts'
import { CLIENT, startScript } from './process.ts'
import { megabytes, short, table, whole } from './table.ts'

// What listeners of `GET /changes` cost: npm run bench:listeners -- [--sizes 0,1000,5000] [--refreshed 1000]
const { values } = parseArgs({ options: { sizes: { type: 'string' }, refreshed: { type: 'string' } } })
const sizes = (values.sizes ?? '0,1000,5000').split(',').map(Number)
const refreshed = Number(values.refreshed ?? 1_000)
const WRITES = 50
/** Milliseconds between two writes, and seconds in which nothing is written. */
const EVERY = 100
const IDLE = 10

const data = await openData(Math.max(1_000, refreshed))
const copy = copyData(data)
const env = { DATABASE: copy.file, WRITER: 'on', LISTENERS: '100000' }
const server = await startScript('server.ts', env)
const root = `${server.url}/calendar/events/v1`
const headers = { authorization: `Bearer ${server.tokens[0]}`, 'content-type': 'application/json' }
const port = Number(new URL(server.url).port)
const path = '/calendar/events/v1/changes?kind=event'

const { events } = (await (
  await fetch(`${root}/events?start_date=2000-01-01&end_date=2100-01-01&per_page=1`)
).json()) as {
  events: { id: number }[]
}
const event = `${root}/events/${events[0]!.id}`

/** Writes a word into an event, and gives the time at which that was answered. */
async function write(word: string): Promise<bigint> {
  const answer = await fetch(event, { method: 'PATCH', headers, body: JSON.stringify({ title: word }) })
  const at = process.hrtime.bigint()
  if (answer.status !== 200) throw new Error(await answer.text())
  await answer.arrayBuffer()
  return at
}

/** Milliseconds of CPU a second while nothing happens. */
async function idle() {
  const before = server.cpu()
  await pause(IDLE * 1_000)
  return (server.cpu() - before) / 1_000 / IDLE
}

const at = (sorted: number[], share: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

/** The longest answer of a probe every few milliseconds while something runs, in milliseconds, and the greatest memory. */
async function probed<T>(work: Promise<T>) {
  let running = true
  let longest = 0
  let memory = 0
  const done = work.finally(() => {
    running = false
  })
  while (running) {
    const began = performance.now()
    await (await fetch(`${server.url}/healthz`)).arrayBuffer()
    longest = Math.max(longest, performance.now() - began)
    memory = Math.max(memory, server.memory())
    await pause(5)
  }
  return { value: await done, longest, memory }
}

/** Tells the log of so many events that others refreshed, and at last of one that was written. */
function refresh() {
  const db = new Database(copy.file)
  db.prepare(
    `insert into changes (kind, record_id, operation, at_utc, was_status, was_author, was_language, was_hidden, touched)
     select 'event', event_id, 'refresh', datetime('now'), status, author_id, language, hidden, 0 from listings
     where event_id in (select event_id from listings limit ?)`,
  ).run(refreshed)
  db.close()
}

let word = 0
const rows: string[][] = []
const bursts: string[][] = []
const crowd = await startScript('listeners/crowd.ts', {}, CLIENT)
const ask = (asked: Asked) => crowd.ask<Heard>(asked)
for (let at = 0; at < 200; at++) await write(`Warm ${++word}`)
let bare = server.memory()

for (const size of sizes) {
  await ask({ port, path, size })
  await pause(1_000)
  const memory = server.memory()
  if (size === 0) bare = memory
  const resting = await idle()
  const waits: number[] = []
  const before = server.cpu()
  const began = performance.now()
  for (let turn = 0; turn < WRITES; turn++) {
    const title = `Word ${++word}.`
    const heard = ask({ word: title })
    const answered = await write(title)
    const { at } = await heard
    waits.push(Number(BigInt(at) - answered) / 1e6)
    await pause(EVERY)
  }
  const seconds = (performance.now() - began) / 1_000
  const cpu = ((server.cpu() - before) / 1_000 - resting * seconds) / WRITES
  waits.sort((a, b) => a - b)
  rows.push([
    whole(size),
    size === 0
      ? megabytes(memory)
      : `${megabytes(memory)} (${short((memory - bare) / size / 1_000)} kB each)`,
    short(resting),
    short(cpu),
    ...(size === 0 ? ['', ''] : [short(at(waits, 0.5)), short(at(waits, 1))]),
  ])
  if (size === 0 || size > 1_000) continue
  const start = performance.now()
  const sent = (await ask({ port, path, size })).bytes
  const last = `Burst ${++word}.`
  const heard = ask({ word: last })
  refresh()
  await write(last)
  const { value, longest, memory: peak } = await probed(heard)
  const took = (performance.now() - start) / 1_000
  bursts.push([
    whole(size),
    whole(refreshed),
    megabytes(value.bytes - sent),
    short(took),
    short(longest),
    megabytes(peak),
  ])
}
console.log(
  table(['listeners', 'memory', 'CPU ms/s idle', 'CPU ms a write', 'heard after ms, p50', 'longest'], rows),
)
console.log(
  `\n${table(['listeners', 'events refreshed at once', 'sent', 'seconds', 'longest answer to others, ms', 'greatest memory'], bursts)}`,
)
await crowd.stop()
await server.stop()
copy.remove()
