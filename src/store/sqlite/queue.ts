import type Database from 'better-sqlite3'
import type { Turn } from './turn.ts'

type Job<T> = {
  work(tx: T): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Settled<T> = { job: Job<T>; value?: unknown; error?: unknown }

/** Jobs for the end of the current transaction of a connection. */
const endings = new WeakMap<object, (() => Promise<void>)[]>()

/**
 * Runs `work` after all writes of the transaction, if the calling write succeeds. FTS5 flushes at every savepoint, so writing to it
 * once at the end costs less. If `work` fails, the whole transaction fails.
 */
export const beforeCommit = (tx: object, work: () => Promise<void>) => void endings.get(tx)!.push(work)

/** The queue of the only writer: the jobs of one turn of the event loop share a transaction, and so one sync to disk. */
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
      // a full disk may have rolled back the transaction; then nothing more may be written, and all jobs have failed
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
