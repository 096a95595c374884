import type Database from 'better-sqlite3'
import type { Turn } from './turn.ts'

type Job<T> = {
  work(tx: T): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Settled<T> = { job: Job<T>; value?: unknown; error?: unknown }

/** What is to be done at the end of the transaction that runs on a connection. */
const endings = new WeakMap<object, (() => Promise<void>)[]>()

/**
 * Does `work` once all writes of the transaction are done, if the one that asks succeeds: what SQLite would flush at every
 * savepoint, as FTS5 does, costs less at the end. Where it fails, all of the transaction fails.
 */
export const beforeCommit = (tx: object, work: () => Promise<void>) => void endings.get(tx)!.push(work)

/** One writer: the works of a turn of the event loop go into one transaction, so that they share one sync to disk. */
export function openQueue<T extends object>(db: Database.Database, tx: T, turn: Turn) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const ending: (() => Promise<void>)[] = []
  endings.set(tx, ending)
  let waiting: Job<T>[] = []
  let underWay = 0
  let running = false

  async function runOne(job: Job<T>): Promise<Settled<T>> {
    savepoint.run()
    const before = ending.length
    try {
      const value = await job.work(tx)
      release.run()
      return { job, value }
    } catch (error) {
      // a full disk may have rolled back everything: nothing may be written after that, and all have failed
      if (!db.inTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      ending.length = before
      return { job, error }
    }
  }

  async function runAll(jobs: Job<T>[]): Promise<Settled<T>[]> {
    try {
      turn.end()
      begin.run()
      const settled: Settled<T>[] = []
      ending.length = 0
      for (const job of jobs) settled.push(await runOne(job))
      for (const work of ending) await work()
      commit.run()
      turn.noteCommit()
      return settled
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      return jobs.map((job) => ({ job, error }))
    }
  }

  async function drain() {
    running = true
    while (waiting.length > 0) {
      const jobs = waiting
      waiting = []
      underWay = jobs.length
      for (const { job, value, error } of await runAll(jobs))
        error === undefined ? job.resolve(value) : job.reject(error)
      underWay = 0
    }
    running = false
  }

  return {
    waiting: () => waiting.length + underWay,
    write<R>(work: (tx: T) => Promise<R>): Promise<R> {
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (value: unknown) => void, reject })
        if (!running) {
          running = true
          setImmediate(drain)
        }
      })
    },
  }
}
