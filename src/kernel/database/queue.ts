import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { carried, carry, carryNothing } from './context.ts'
import type { Db, Queries, Snapshot } from './db.ts'
import type { Replication } from './replica.ts'

type Job<T> = {
  work(tx: T): Promise<unknown>
  isLong: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Settled<T> = { job: Job<T>; value?: unknown; error?: unknown }

/**
 * The queue of the only writer: the jobs of one turn of the event loop share a transaction, and so one sync to disk. A long job has a
 * transaction of its own. With `replication` the queue brings what others wrote before them, and keeps what they write, except of `local` jobs.
 */
export function openQueue<T extends object>(
  db: Database.Database,
  tx: T,
  snapshot: Snapshot,
  replication?: Replication,
) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const shared: Line<T> = { waiting: [], replication }
  const local: Line<T> = { waiting: [], replication: undefined }
  let underWay = 0
  let running = false

  /**
   * Runs a job so that it may fail alone: in a savepoint, if the transaction has rows of others. SQLite keeps for a savepoint what each
   * page was, and walks through all of it at every statement, which makes a write of many rows several times as long.
   */
  async function runOne(job: Job<T>, isFirst: boolean): Promise<Settled<T>> {
    if (!isFirst) savepoint.run()
    try {
      const value = await job.work(tx)
      if (!isFirst) release.run()
      return { job, value }
    } catch (error) {
      // a full disk may have rolled back the transaction; then nothing more may be written, and all jobs have failed
      if (!db.inTransaction) throw error
      db.exec(isFirst ? 'ROLLBACK; BEGIN IMMEDIATE' : 'ROLLBACK TO one; RELEASE one')
      return { job, error }
    }
  }

  /**
   * One transaction around `work`; with `keeping`, what it writes is kept elsewhere as well. After the commit of a long one, the file takes
   * over its pages in a turn of the event loop of its own, because each of both holds it for some 20 ms.
   */
  async function transact(work: () => Promise<void>, keeping?: Replication, isLong = false) {
    try {
      snapshot.end()
      begin.run()
      await work()
      if (keeping) await keeping.keep()
      else replication?.forget()
      if (isLong) commitLong()
      else commit.run()
      snapshot.noteCommit()
    } catch (error) {
      if (db.inTransaction) db.exec('ROLLBACK')
      throw error
    }
  }

  function commitLong() {
    db.pragma('wal_autocheckpoint = 0')
    try {
      commit.run()
    } finally {
      db.pragma(`wal_autocheckpoint = ${CHECKPOINT}`)
    }
    const takeOver = () => db.open && !db.inTransaction && db.pragma('wal_checkpoint(PASSIVE)')
    // what fails here is done by a later commit, and told by it
    void Promise.allSettled([nextTurn().then(takeOver)])
  }

  async function runAll(jobs: Job<T>[], keeping: Replication | undefined): Promise<Settled<T>[]> {
    const settled: Settled<T>[] = []
    try {
      if (keeping?.isBehind()) await transact(() => keeping.catchUp())
      await transact(
        async () => {
          const pause = openPauses(tx)
          for (const job of jobs) {
            const isFirst = settled.every(({ error }) => error !== undefined)
            settled.push(await runOne(job, isFirst))
          }
          // the commit of many rows is a long step of its own; another copy is waited for anyway
          if (!keeping) await pause()
        },
        keeping,
        jobs.some(({ isLong }) => isLong),
      )
      return settled
    } catch (error) {
      return keeping ? afterFailure(error, settled, jobs, keeping) : failed(jobs, error)
    }
  }

  /** What was kept in spite of a failure counts as written, once it is here. */
  async function afterFailure(error: unknown, settled: Settled<T>[], jobs: Job<T>[], keeping: Replication) {
    try {
      if (!(await keeping.wasKept(error))) return failed(jobs, keeping.failure(error))
      await transact(() => keeping.catchUp())
      return settled
    } catch (later) {
      return failed(jobs, keeping.failure(later))
    }
  }

  async function runLine(line: Line<T>) {
    let refusal: unknown
    await line.replication?.take().catch((error) => {
      refusal = error
    })
    const jobs = line.waiting.splice(0, numberToShare(line.waiting))
    underWay = jobs.length
    const settled = refusal === undefined ? await runAll(jobs, line.replication) : failed(jobs, refusal)
    for (const { job, value, error } of settled) error === undefined ? job.resolve(value) : job.reject(error)
    underWay = 0
  }

  async function drain() {
    running = true
    while (local.waiting.length + shared.waiting.length > 0)
      for (const line of [local, shared]) if (line.waiting.length > 0) await runLine(line)
    running = false
  }

  const writeTo =
    (line: Line<T>) =>
    <R>(work: (tx: T) => Promise<R>, isLong = false): Promise<R> =>
      new Promise((resolve, reject) => {
        line.waiting.push({ work, isLong, resolve: resolve as (value: unknown) => void, reject })
        if (running) return
        running = true
        setImmediate(drain)
      })

  return {
    waiting: () => local.waiting.length + shared.waiting.length + underWay,
    /** Resolves once nothing is being written, unless another copy may keep it waiting. */
    async idle() {
      while (running && !replication) await nextTurn()
    },
    write: writeTo(shared),
    /** Runs a job whose rows stay in this file: they are not replicated, and wait for no other copy. */
    local: writeTo(local),
  }
}

/** Pages in the write-ahead log after which the file takes them over: 16 MB, for fewer of these steps under a load of writes. */
export const CHECKPOINT = 4_000

/** Jobs that share transactions. */
type Line<T> = { waiting: Job<T>[]; replication: Replication | undefined }

/** How many of the jobs share the next transaction: a long one has its own. */
function numberToShare(jobs: { isLong: boolean }[]): number {
  const long = jobs.findIndex(({ isLong }) => isLong)
  return long === -1 ? jobs.length : Math.max(1, long)
}

const failed = <T>(jobs: Job<T>[], error: unknown): Settled<T>[] => jobs.map((job) => ({ job, error }))

/** Number of receipts to keep: far more than writes can be in progress. */
const KEPT = 1_000

/** Runs `work`; its writes leave a receipt with this ID. */
export const withReceipt = (id: string, work: () => void) => carry({ receipt: id }, work)

/** Runs `work`; its writes leave no receipt. */
export const withoutReceipt = <T>(work: () => T): T => carryNothing(work)

/**
 * Wraps a job so that it stores a receipt with the current ID, if any, in its transaction. `findReceipt` then tells whether the job was committed,
 * even if nobody received the response.
 */
export function receipted<T>(work: (tx: Queries) => Promise<T>): (tx: Queries) => Promise<T> {
  const id = carried()?.receipt
  if (id === undefined) return work
  return async (tx) => {
    const before = tx.get<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from changes`).seq
    const value = await work(tx)
    // a linked record is created before the one that it is linked to, the dates of a series after it: what is told is the ID
    const told = typeof value === 'number' ? value : null
    tx.run(
      sql`insert or ignore into marks (mark, record_id) values (${id}, (select record_id from changes where seq > ${before} and operation = 'create' order by record_id is ${told} desc, seq desc limit 1))`,
    )
    tx.run(sql`delete from marks where id <= (select max(id) from marks) - ${KEPT}`)
    return value
  }
}

/** What a receipt tells of its write: the ID of the record that it created, if any. */
export type Receipt = { record: number | null }

/** The receipt with this ID if its write was committed, as far as this file knows; undefined if not. */
export function findReceipt(db: Pick<Db, 'rows'>, id: string): Receipt | undefined {
  const [row] = db.rows<[number | null]>('SELECT record_id FROM marks WHERE mark = ?', id)
  return row && { record: row[0] }
}

/** Milliseconds of work after which others get their turns, for as long at most. */
const MOST = 5
/** Milliseconds of a turn in which others had something to do. */
const BUSY = 0.2

/** The connections of this process that write, each to its file. */
export const writers = new Set<Database.Database>()

/**
 * Lets others have turns of the event loop once in a while, in a write of many rows: as many as they have something to do in, because a
 * request takes several, but no longer than the write worked. In memory readers share the connection of the writer, and would see half of
 * a write: there nobody has a turn. Nor has anybody where the process writes to the file by two databases: the other one would hold up the
 * event loop while it waits for the lock, and so wait in vain.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { $client: own } = tx as { $client: Database.Database }
  const isShared = () => [...writers].some((other) => other !== own && other.name === own.name)
  let since = performance.now()
  return async () => {
    if (own.memory || performance.now() - since < MOST || isShared()) return
    const paused = performance.now()
    let began: number
    do {
      began = performance.now()
      await new Promise(setImmediate)
      since = performance.now()
    } while (since - began >= BUSY && since - paused < MOST)
  }
}
