import { and, eq, sql } from 'drizzle-orm'
import fp from 'fastify-plugin'
import { posts } from '../../../drizzle/tables.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { openPauses } from '../../kernel/database/queue.ts'
import type { Warnings } from '../../kernel/server/log.ts'
import type { Site } from '../../kernel/site.ts'
import { toEpoch, toWall } from '../../kernel/time/dates.ts'
import { hasDates } from '../formats/records.ts'
import { project } from '../records/projection.ts'
import { emitChanged } from '../records/changed-fields.ts'
import type { Store } from '../store.ts'

/**
 * Publishes scheduled records whose time has come (D36). Cheap if none are due. A node whose clock is far off publishes none: nobody knows
 * whether that clock or PostgreSQL's is right, and what was published too early can not be taken back.
 */
export function openSchedule(db: Db, changes: Changes, site: Site) {
  const due = db.read
    .select({ at: sql<string | null>`min(${posts.date_utc})` })
    .from(posts)
    .where(eq(posts.status, 'future'))
    .prepare()
  let seen = -1
  let at = Number.POSITIVE_INFINITY
  /** When something is due next, in Unix milliseconds. */
  const next = () => {
    const { seq } = changes.latest()
    if (seq !== seen) {
      seen = seq
      const first = due.get()!.at
      at = first === null ? Number.POSITIVE_INFINITY : toEpoch(first, 'UTC')
    }
    return at
  }
  /** Whether something is due. */
  const isDue = () => next() <= site.clock() && db.replica?.status().clock.state !== 'wrong'
  return {
    next,
    isDue,
    async publish() {
      if (!isDue()) return
      await db.write((tx) => publishDue(tx, site), true)
    },
  }
}

async function publishDue(tx: Queries, site: Site) {
  const now = site.clock()
  const ripe = and(eq(posts.status, 'future'), sql`${posts.date_utc} <= ${toWall(now, 'UTC')}`)
  const pause = openPauses(tx)
  for (const post of await tx.update(posts).set({ status: 'publish' }).where(ripe).returning()) {
    const before = { post: { ...post, status: 'future' as const } }
    if (hasDates(post.kind)) await emitChanged({ tx, now, site }, before, { post })
    await project({ tx, site, now }, 'post', { before, after: { post } })
    await pause()
  }
}

/** Publishes due records before a request is answered; if the database can not be written, reads still work. */
export const schedule = fp<{ store: Store; warnings: Warnings }>(
  async (app, { store: { schedule }, warnings }) => {
    app.addHook('onRequest', (request, _reply, done) => {
      if (!schedule.isDue()) return void done()
      schedule
        .publish()
        .catch((err) =>
          warnings.warn('schedule', request.log, { err }, 'scheduled records could not be published'),
        )
        .then(() => done())
    })
  },
  { name: 'schedule', dependencies: ['auth'] },
)
