import type Database from 'better-sqlite3'
import { endTurns, noteCommit } from './turn.ts'

type Job<T> = {
  work(tx: T): Promise<unknown>
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Settled<T> = { job: Job<T>; value?: unknown; error?: unknown }

/** One writer: the works of a turn of the event loop go into one transaction, so that they share one sync to disk. */
export function openQueue<T>(db: Database.Database, tx: T) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  let waiting: Job<T>[] = []
  let underWay = 0
  let running = false

  async function runOne(job: Job<T>): Promise<Settled<T>> {
    savepoint.run()
    try {
      const value = await job.work(tx)
      release.run()
      return { job, value }
    } catch (error) {
      // a full disk may have rolled back everything: nothing may be written after that, and all have failed
      if (!db.inTransaction) throw error
      db.exec('ROLLBACK TO one; RELEASE one')
      return { job, error }
    }
  }

  async function runAll(jobs: Job<T>[]): Promise<Settled<T>[]> {
    try {
      endTurns()
      begin.run()
      const settled: Settled<T>[] = []
      for (const job of jobs) settled.push(await runOne(job))
      commit.run()
      noteCommit()
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
