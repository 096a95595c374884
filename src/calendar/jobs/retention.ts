import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Warnings } from '../../kernel/server/warnings.ts'
import { type Later, later } from '../../kernel/tasks/later.ts'
import type { Pictures } from '../media/pictures.ts'
import type { Store } from '../store.ts'

/** Milliseconds between two checks of the log of changes, and between two batches while nobody writes. */
const EVERY = 60_000
const PAUSE = 50

type Reporting = { warnings: Pick<Warnings, 'warn'>; log: FastifyBaseLogger }
type Removal = {
  /** Removes a batch of what is older; returns whether there may be more. */
  remove(store: Store, days: number): Promise<boolean>
  /** What is said where that fails. */
  failed: string
}

/** How that goes which is kept for so many days. */
const REMOVALS = {
  changes: { remove: ({ sync }, days) => sync.compact(days), failed: 'old changes could not be removed' },
  audit: {
    remove: ({ audit }, days) => audit.removeOld(days),
    failed: 'old entries of the audit log could not be removed',
  },
  revisions: {
    remove: ({ revisions }, days) => revisions.removeOld(days),
    failed: 'old changes of events could not be removed',
  },
  // answers are kept for a day in any case
  answers: { remove: ({ kept }) => kept.removeOld(), failed: 'answers that are over could not be removed' },
  submitters: {
    remove: ({ submissions }, days) => submissions.forget(days),
    failed: 'names and addresses of who submitted events could not be forgotten',
  },
} satisfies Record<string, Removal>
type Kept = keyof typeof REMOVALS

/**
 * Removes what is older than so many days: a batch every minute while there are writes, one after the other while there are none. Of several
 * nodes, the one that leads does so. Returns a function that stops it.
 */
export function retain(
  store: Store,
  name: Kept,
  days: number,
  { warnings, log }: Reporting,
  wait: Later = later,
): () => void {
  const { db, changes } = store
  const { remove, failed }: Removal = REMOVALS[name]
  let timer = wait(removeBatch, EVERY)
  let isStopped = false
  const again = (milliseconds: number) => {
    if (!isStopped) timer = wait(removeBatch, milliseconds)
  }
  function removeBatch() {
    if (!db.leads() || db.waiting() > 0) return again(EVERY)
    const { seq } = changes.latest()
    remove(store, days).then(
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

type RetentionOptions = {
  store: Store
  /** Days for which each is kept; without a number nothing is removed. */
  days: Partial<Record<Kept, number | undefined>>
  warnings: Warnings
}

/** Keeps the log of changes, the audit log and the changes of events for so many days each. For the process that writes. */
export const retention = fp<RetentionOptions>(
  async (app, { store, days, warnings }) => {
    const to = { warnings, log: app.log }
    const stops = (Object.keys(REMOVALS) as Kept[]).flatMap((name) => {
      const kept = days[name]
      return kept === undefined ? [] : [retain(store, name, kept, to)]
    })
    app.addHook('preClose', async () => {
      for (const stop of stops) stop()
    })
  },
  { name: 'retention' },
)

/** Milliseconds between two searches for files that no picture has. */
const SWEEP_EVERY = 3_600_000

/**
 * Deletes the files of pictures that another node deleted, once this node knows of it, and what uploads left where several nodes keep
 * their files. For the process that writes.
 */
export const leftovers = fp<{ db: Pick<Store['db'], 'leads' | 'onApplied'>; pictures: Pictures }>(
  async (app, { db, pictures }) => {
    const erase = () =>
      pictures
        .eraseDeleted()
        .catch((err) => app.log.warn({ err }, 'files of deleted pictures could not be deleted'))
    async function sweep() {
      await erase()
      if (!db.leads()) return
      const files = await pictures.sweepShare().catch((err) => {
        app.log.warn({ err }, 'files that uploads left behind could not be deleted')
        return 0
      })
      if (files > 0) app.log.info({ files }, 'files that uploads left behind were deleted')
    }
    db.onApplied(['media'], erase)
    const timer = setInterval(sweep, SWEEP_EVERY).unref()
    app.addHook('preClose', async () => clearInterval(timer))
  },
  { name: 'leftovers' },
)
