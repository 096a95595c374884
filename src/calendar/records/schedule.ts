import { and, eq, sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { openPauses } from '../../kernel/database/pauses.ts'
import type { Site } from '../../kernel/site.ts'
import { toEpoch, toWall } from '../../kernel/time/dates.ts'
import { hasDates } from '../formats/records.ts'
import { project } from './projection/project.ts'
import { keepRevision } from './revisions.ts'

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
  const isDue = () => next() <= site.clock() && db.node?.status().clock.state !== 'wrong'
  return {
    next,
    isDue,
    async settle() {
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
    if (hasDates(post.kind)) await keepRevision({ tx, now, site }, before, { post })
    await project({ tx, site, now }, 'post', { before, after: { post } })
    await pause()
  }
}
