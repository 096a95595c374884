import { setImmediate as nextTurn } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type { Queries, Snapshot } from './db.ts'
import { isAlone } from './file.ts'

/**
 * What may take part in each group commit, the transaction that the jobs of one turn share: `openDb` is given one where rows are kept
 * elsewhere as well, and without one nothing of this runs. For each group, and only after the one before it is answered:
 *
 * 1. `before`, while more jobs may still join the group;
 * 2. if that says so, `apply` in a transaction of its own, which is committed;
 * 3. the jobs in the transaction of the group, each so that it can fail alone;
 * 4. `keep` in that transaction, after the last of them;
 * 5. the commit of the file, and the answers.
 *
 * If 2, 3, 4 or 5 throws, the transaction under way is rolled back, and `outcome` says what came of the group. Local jobs, whose rows are of
 * this file alone, form groups of their own that have 3, `forget` and 5.
 */
export type Group = {
  /** Begins a group, and returns whether `apply` has to bring something first. If it throws, the jobs get the error and nothing is begun. */
  before(): Promise<boolean>
  /** Brings to this file what was written elsewhere. */
  apply(): Promise<void>
  /** Keeps elsewhere what the jobs wrote. What it throws fails the whole group. */
  keep(): Promise<void>
  /** In the place of `keep`, before the commit of rows that came by `apply` or are of this file alone. */
  forget(): void
  /**
   * After a failure. Throws the error that the jobs are answered with, unless what they wrote was kept in spite of it: then `apply` runs again,
   * in a transaction of its own, and the jobs have succeeded. If that fails too, this is called with the new error, and throws.
   */
  outcome(error: unknown): Promise<void>
}

type Job = {
  work(tx: Queries): Promise<unknown>
  isLong: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}
type Result = { job: Job; value?: unknown; error?: unknown }
/** Jobs that wait to share transactions, and what takes part in these. */
type Pending = { waiting: Job[]; group: Group | undefined }

/**
 * The queue of the only writer: the jobs of one turn of the event loop share a transaction, and so one sync to disk. A long job has a
 * transaction of its own. `group` takes part in all of them but those of local jobs.
 */
export function openQueue(db: Database.Database, tx: Queries, snapshot: Snapshot, group: Group | undefined) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const shared: Pending = { waiting: [], group }
  const local: Pending = { waiting: [], group: undefined }
  let underWay = 0
  let running = false

  /**
   * Runs a job so that it may fail alone: in a savepoint, if the transaction has rows of others. SQLite keeps for a savepoint what each
   * page was, and walks through all of it at every statement, which makes a write of many rows several times as long.
   */
  async function runOne(job: Job, isFirst: boolean): Promise<Result> {
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
   * One transaction around `work`, whose rows are kept elsewhere by `keeping`, if given. After the commit of a long one, the file takes
   * over its pages in a turn of the event loop of its own, because each of both holds it for some 20 ms.
   */
  async function transact(work: () => Promise<void>, keeping?: Group, isLong = false) {
    try {
      snapshot.end()
      begin.run()
      await work()
      if (keeping) await keeping.keep()
      else group?.forget()
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
    // what fails here is done by a later commit, and reported by it
    void Promise.allSettled([nextTurn().then(takeOver)])
  }

  /** Runs jobs in one transaction; `results` gets what came of each. */
  const runJobs = (jobs: Job[], results: Result[], keeping?: Group) =>
    transact(
      async () => {
        const pause = openPauses(tx)
        for (const job of jobs) {
          const isFirst = results.every(({ error }) => error !== undefined)
          results.push(await runOne(job, isFirst))
          await pause()
        }
      },
      keeping,
      jobs.some(({ isLong }) => isLong),
    )

  /** The transactions of a group whose rows are kept elsewhere as well. */
  async function runKept(jobs: Job[], results: Result[], keeping: Group, isBehind: boolean) {
    const bring = () => transact(() => keeping.apply())
    try {
      if (isBehind) await bring()
      await runJobs(jobs, results, keeping)
    } catch (error) {
      await keeping.outcome(error)
      await bring().catch((later) => keeping.outcome(later))
    }
  }

  async function runGroup({ waiting, group: keeping }: Pending) {
    let isBehind = false
    let refusal: unknown
    if (keeping)
      try {
        isBehind = await keeping.before()
      } catch (error) {
        refusal = error
      }
    const jobs = waiting.splice(0, numberToShare(waiting))
    underWay = jobs.length
    let results: Result[] = []
    try {
      if (refusal !== undefined) throw refusal
      if (keeping) await runKept(jobs, results, keeping, isBehind)
      else await runJobs(jobs, results)
    } catch (error) {
      results = jobs.map((job) => ({ job, error }))
    }
    for (const { job, value, error } of results) error === undefined ? job.resolve(value) : job.reject(error)
    underWay = 0
  }

  async function drain() {
    running = true
    while (local.waiting.length + shared.waiting.length > 0)
      for (const pending of [local, shared]) if (pending.waiting.length > 0) await runGroup(pending)
    running = false
  }

  const writeTo =
    ({ waiting }: Pending) =>
    <R>(work: (tx: Queries) => Promise<R>, isLong = false): Promise<R> =>
      new Promise((resolve, reject) => {
        waiting.push({ work, isLong, resolve: resolve as (value: unknown) => void, reject })
        if (running) return
        running = true
        setImmediate(drain)
      })

  return {
    waiting: () => local.waiting.length + shared.waiting.length + underWay,
    /** Resolves once nothing is being written. It does not wait for what `group` does, which may take long. */
    async idle() {
      while (running && !group) await nextTurn()
    },
    write: writeTo(shared),
    /** Runs a job whose rows are of this file alone: `group` neither keeps them nor holds them up. */
    local: writeTo(local),
  }
}

/** Pages in the write-ahead log after which the file takes them over: 16 MB, for fewer of these steps under a load of writes. */
export const CHECKPOINT = 4_000

/** How many of the jobs share the next transaction: a long one has its own. */
function numberToShare(jobs: Job[]): number {
  const long = jobs.findIndex(({ isLong }) => isLong)
  return long === -1 ? jobs.length : Math.max(1, long)
}

/** Milliseconds of work after which others get their turns, for as long at most. */
const MOST = 5
/** Milliseconds of a turn in which others had something to do. */
const BUSY = 0.2

/** The connections of this process that write, each to its file. */
export const writers = new Set<Database.Database>()

/**
 * Lets others have turns of the event loop once in a while, in long work: as many as they have something to do in, because a request takes
 * several, but no longer than the work took. Nobody has a turn while `mayPause` says no.
 */
export function openTurns(mayPause = () => true): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < MOST || !mayPause()) return
    const paused = performance.now()
    let began: number
    do {
      began = performance.now()
      await new Promise(setImmediate)
      since = performance.now()
    } while (since - began >= BUSY && since - paused < MOST)
  }
}

/**
 * Turns for others in a write of many rows. In memory, and where the disk is full, readers share the connection of the writer, and would see half of
 * a write: there nobody has a turn. Nor has anybody where the process writes to the file by two databases: the other one would hold up the event loop while it
 * waits for the lock, and so wait in vain.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { $client: own } = tx as { $client: Database.Database }
  const isShared = () => [...writers].some((other) => other !== own && other.name === own.name)
  return openTurns(() => !own.memory && !isAlone(own) && !isShared())
}
