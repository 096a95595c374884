import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Changes } from '../database/changes.ts'
import type { Db } from '../database/db.ts'
import type { Warnings } from '../server/log.ts'

type Timer = { clear(): void }
/** Runs something after so many milliseconds, unless it is cleared before. */
export type Later = (run: () => void, milliseconds: number) => Timer

/** Runs it by a timer of Node, which keeps no process alive. */
export const later: Later = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref()
  return { clear: () => clearTimeout(timer) }
}

/**
 * Runs `look` again and again. It returns the milliseconds until the next time, and so does `fail`, which is called where it throws.
 * Returns a function that stops this, and resolves once nothing is under way; `look` is told of it by the signal.
 */
export function repeat(
  look: (stop: AbortSignal) => number | Promise<number>,
  { first, fail, wait }: { first: number; fail(error: unknown): number; wait: Later },
): () => Promise<void> {
  const stop = new AbortController()
  let underWay = Promise.resolve()
  let timer = wait(run, first)
  const again = (milliseconds: number) => {
    if (!stop.signal.aborted) timer = wait(run, milliseconds)
  }
  function run() {
    try {
      const next = look(stop.signal)
      if (typeof next === 'number') again(next)
      else underWay = next.then(again, (error) => again(fail(error)))
    } catch (error) {
      again(fail(error))
    }
  }
  return () => {
    stop.abort()
    timer.clear()
    return underWay
  }
}

/** Milliseconds between two looks at the log of changes, and between two batches while nobody writes. */
const EVERY = 60_000
const PAUSE = 50

/** Rows that are kept for some time. */
export type Kept = {
  /** Removes a batch of what is older; returns whether there may be more. */
  remove(): Promise<boolean>
  /** What is said where that fails. */
  failed: string
}
type Database = { db: Pick<Db, 'leads' | 'waiting'>; changes: Pick<Changes, 'latest'> }
type Reporting = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }

declare module 'fastify' {
  interface FastifyInstance {
    /** Has what is older removed again and again, by the process that writes. */
    retain(kept: Kept): void
  }
}

/**
 * Removes what is older: a batch every minute while there are writes, one after the other while there are none. Of several
 * nodes, the one that leads does so. Returns a function that stops it.
 */
export function retain(
  { db, changes }: Database,
  { remove, failed }: Kept,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => void {
  let timer = wait(look, EVERY)
  let isStopped = false
  const again = (milliseconds: number) => {
    if (!isStopped) timer = wait(look, milliseconds)
  }
  function look() {
    if (!db.leads() || db.waiting() > 0) return again(EVERY)
    const { seq } = changes.latest()
    remove().then(
      (isMore) => again(isMore && changes.latest().seq === seq ? PAUSE : EVERY),
      (err) => {
        warnings.warn('retention', log, { err }, failed)
        again(EVERY)
      },
    )
  }
  return () => {
    isStopped = true
    timer.clear()
  }
}

/** Lets parts of the service have old rows removed, where this process writes. */
export const retention = fp<Database & { warnings: Warnings; writes: boolean }>(
  async (app, { db, changes, warnings, writes }) => {
    const stops: (() => void)[] = []
    app.decorate('retain', (kept) => {
      if (writes) stops.push(retain({ db, changes }, kept, { warnings, log: app.log }))
    })
    app.addHook('preClose', async () => {
      for (const stop of stops) stop()
    })
  },
  { name: 'retention' },
)
