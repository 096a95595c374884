import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { freePort } from '../test/support/ports.ts'
import { type DataSet, openData } from './data.ts'
import { inTurn, median } from './figures.ts'
import { memoryOf, SERVER, STARTED, start, startScript } from './process.ts'
import type { Result, Run, Start } from './results.ts'
import { measureBeside, measureMixed, measureWorkers } from './scenarios/mixed.ts'
import { measureReads } from './scenarios/reads.ts'
import { measureSearch } from './scenarios/search.ts'
import { ROOT, type World } from './scenarios/world.ts'
import { measureWrites } from './scenarios/writes.ts'

type Options = {
  events: number
  rounds: number
  seconds: number
  only: string
  /** Whether scenarios that write are run, on copies of the data set. */
  writes: boolean
}

/** Runs the scenarios on one data set, one after the other; `told` hears each result. */
export async function run(options: Options, told: (result: Result) => void): Promise<Run> {
  const { events, rounds, seconds, only } = options
  execFileSync('npm', ['run', '-s', 'build']) // what is started as people start it
  const data = await openData(events)
  const { file: _, ...sizes } = data
  const found: Run = {
    ...{ made: new Date().toISOString(), machine: machine(), rounds, seconds, data: sizes, results: [] },
    index: indexOf(data),
  }
  const add = (result: Result) => {
    found.results.push(result)
    told(result)
  }
  const world: World = { data, rounds, seconds, only, add }
  if (only === '') found.start = await measureStart(world)
  const server = await startScript('server.ts', { DATABASE: data.file })
  const limit = await startScript('limit.ts')
  const reading = { ...world, server, limit }
  await measureReads(reading)
  if (only === '') found.memory = server.memory()
  await measureSearch(reading)
  if (only === '') found.memory = Math.max(found.memory!, server.memory())
  await measureBeside(reading)
  await server.stop()
  await limit.stop()
  await measureWorkers(world)
  if (!options.writes) return found
  await measureWrites(world)
  await measureMixed(world)
  return found
}

/** The bytes of the tables of the index of words, and of their own indexes. */
function indexOf({ file }: DataSet): number {
  const db = new Database(file, { readonly: true })
  const tables =
    "select name from sqlite_schema where tbl_name in ('words', 'postings', 'long_postings', 'unindexed')"
  const bytes = db.prepare(`select sum(pgsize) from dbstat where name in (${tables})`).pluck().get() as number
  db.close()
  return bytes
}

function machine(): Run['machine'] {
  const db = new Database(':memory:')
  const sqlite = db.prepare('select sqlite_version()').pluck().get() as string
  db.close()
  const all = cpus()
  const gigabytes = Math.round(totalmem() / 2 ** 30)
  return {
    cpu: all[0]!.model,
    cores: all.length,
    gigabytes,
    node: process.versions.node,
    sqlite,
    load: loadavg()[0]!,
  }
}

/** The least that can answer: Node.js alone. */
const BARE = [
  process.execPath,
  '-e',
  "require('node:http').createServer((q, r) => r.end()).listen(process.env.PORT, '127.0.0.1')",
]

/** From spawning the program to its first list, beside Node.js alone answering nothing, in turn. */
async function measureStart({ data, rounds }: World): Promise<Start> {
  const [programs, bares] = (
    await inTurn(
      rounds + 1,
      () => startOnce(STARTED, { DATABASE: data.file }),
      () => startOnce(BARE, {}),
    )
  ).map((all) => all.slice(1)) as [Started[], Started[]] // the first time warms the disk's cache
  const of = (all: Started[], name: keyof Started) => median(all.map((one) => one[name]))
  return {
    milliseconds: of(programs, 'milliseconds'),
    memory: of(programs, 'memory'),
    bare: of(bares, 'milliseconds'),
  }
}

type Started = { milliseconds: number; memory: number }

/** Starts a program with a PORT, waits for its first list of events, and stops it. */
export async function startOnce(args: string[], env: Record<string, string>): Promise<Started> {
  const port = await freePort()
  const began = performance.now()
  const child = start(SERVER, args, [], { ...env, PORT: String(port) })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (!(await answers(`http://127.0.0.1:${port}${ROOT}/events`))) {
    if (child.exitCode !== null) throw new Error('the program ended before it answered')
    await sleep(2)
  }
  const milliseconds = performance.now() - began
  const memory = memoryOf(child.pid!)
  child.kill('SIGTERM')
  await ended
  return { milliseconds, memory }
}

async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}
