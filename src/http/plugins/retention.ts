import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Store } from '../../store/store.ts'
import type { Warnings } from './warnings.ts'

/** Milliseconds between two looks at the log of changes, and between two batches while nobody writes. */
const EVERY = 60_000
const PAUSE = 50

type Timer = { clear(): void }
/** Runs something after so many milliseconds, unless it is cleared before. */
export type Later = (run: () => void, milliseconds: number) => Timer

export const later: Later = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref()
  return { clear: () => clearTimeout(timer) }
}

/**
 * Removes old rows of the log of changes: a batch every minute while there are writes, one after the other while there are none. Of
 * several nodes, the one that leads does so. Returns a function that stops it.
 */
export function retain(
  { db, changes, sync }: Pick<Store, 'db' | 'changes' | 'sync'>,
  days: number,
  { warnings, log }: { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger },
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
    sync.compact(days).then(
      (isMore) => again(isMore && changes.latest().seq === seq ? PAUSE : EVERY),
      (err) => {
        warnings.warn('retention', log, { err }, 'old changes could not be removed')
        again(EVERY)
      },
    )
  }
  return () => {
    isStopped = true
    timer.clear()
  }
}

/** Keeps the log of changes for so many days. For the process that writes. */
export const retention = fp<{ store: Store; days: number | undefined; warnings: Warnings }>(
  async (app, { store, days, warnings }) => {
    if (days === undefined) return
    const stop = retain(store, days, { warnings, log: app.log })
    app.addHook('preClose', async () => stop())
  },
  { name: 'retention' },
)
