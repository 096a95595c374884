import Database from 'better-sqlite3'
import { tell } from './child.ts'
import { percentile } from './figures.ts'
import type { Figures } from './load.ts'
import { type Recorded, type Replayed, recordWrites, type WriteKind } from './record.ts'

// The baseline of writes: better-sqlite3 running what the service ran, with other IDs and texts, so many writes a commit.

/** What this process is asked for. */
export type Replay = { kind: WriteKind; count: number; group: number }

const file = process.env.DATABASE!
const recorded = await recordWrites(file, Number(process.env.EVENTS))
const db = new Database(file)
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('foreign_keys = ON')
db.pragma('wal_autocheckpoint = 4000')
db.pragma('cache_size = -16000')
db.pragma('temp_store = MEMORY')

type Run = (values: unknown[]) => unknown
const prepared = new Map<string, Run>()
function runner({ sql, reads }: Replayed): Run {
  const statement = db.prepare(sql)
  return reads ? (values) => statement.raw().all(values) : (values) => statement.run(values)
}
for (const { steps } of Object.values(recorded))
  for (const step of steps) if (!prepared.has(step.sql)) prepared.set(step.sql, runner(step))

const lastId = db.prepare("select seq from sqlite_sequence where name = 'posts'").pluck()
/** Events that were created here and are still there. */
const there: number[] = []
let number = 7_320_000_000

/** The values of a write with its own ID and number in the place of the recorded ones. */
function valuesFor({ id, number: old, steps }: Recorded, own: number): unknown[][] {
  const text = String(++number)
  return steps.map(({ values }) =>
    values.map((value) =>
      value === id ? own : typeof value === 'string' ? value.replaceAll(old, text) : value,
    ),
  )
}

function replay({ kind, count, group }: Replay): Figures {
  const write = recorded[kind]
  const runs = write.steps.map(({ sql }) => prepared.get(sql)!)
  // what the service puts off until all writes of a commit are done
  const last = write.steps.findIndex(({ sql }) => sql === 'RELEASE one') + 1
  const after = lastId.get() as number
  const ids =
    kind === 'create' ? Array.from({ length: count }, (_, at) => after + 1 + at) : there.slice(0, count)
  const waits: number[] = []
  let taken = 0
  const began = process.cpuUsage()
  let preparing = 0
  for (let at = 0; at < ids.length; at += group) {
    const before = process.cpuUsage()
    const values = ids.slice(at, at + group).map((id) => valuesFor(write, id))
    const { user, system } = process.cpuUsage(before)
    preparing += user + system
    const from = performance.now()
    db.exec('BEGIN IMMEDIATE')
    for (const all of values) for (let step = 0; step < last; step++) runs[step]!(all[step]!)
    for (const all of values) for (let step = last; step < runs.length; step++) runs[step]!(all[step]!)
    db.exec('COMMIT')
    const wait = performance.now() - from
    taken += wait
    waits.push(wait)
  }
  const { user, system } = process.cpuUsage(began)
  if (kind === 'create') there.push(...ids)
  if (kind === 'delete') there.splice(0, count)
  return {
    ...{ rate: ids.length / (taken / 1_000), cpu: (user + system - preparing) / ids.length },
    ...{ p50: percentile(waits, 0.5), p99: percentile(waits, 0.99), failures: 0, client: 0 },
  }
}

process.on('message', (message) => tell(replay(message as Replay)))
tell({ port: 0 })
