import { execFileSync } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import Database from 'better-sqlite3'
import { type DataSet, openData } from './data.ts'
import { startScript } from './process.ts'
import type { Result, Run } from './results.ts'
import { measureBeside } from './scenarios/beside.ts'
import { measureMixed } from './scenarios/mixed.ts'
import { measureReads } from './scenarios/reads.ts'
import { measureSearch } from './scenarios/search.ts'
import { measureStart } from './scenarios/start.ts'
import { measureWorkers } from './scenarios/workers.ts'
import type { World } from './scenarios/world.ts'
import { measureWrites } from './scenarios/writes.ts'

export type Options = {
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
