import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Changes } from '../database/changes.ts'
import type { Db } from '../database/db.ts'
import type { Warnings } from '../server/warnings.ts'
import { type Later, later } from '../tasks/later.ts'

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
