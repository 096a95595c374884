import { and, eq, sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import { isDraft, type Post } from '../../formats/records.ts'
import { canPublish } from '../../rules/roles.ts'
import type { Site } from '../../rules/site.ts'
import { toEpoch, toUtc, toWall } from '../../rules/time/dates.ts'
import { inZone, readMoment } from '../../rules/time/moments.ts'
import type { Changes } from '../changes/changes.ts'
import type { Db, Queries } from '../sqlite/db.ts'
import type { PostKind } from './posts.ts'
import { project } from './projection/project.ts'
import type { PostInput, Write } from './write.ts'

/**
 * Status and publication dates after a write (D36, reference §4.5). `publish` from a contributor becomes `pending`; with a future date
 * it becomes `future`. A date that was sent, or with which the record was published, is kept whatever the status becomes (D1).
 */
export function publication(
  w: Write,
  kind: PostKind,
  input: PostInput,
  self?: Post,
): Pick<Post, 'status' | 'date' | 'date_utc'> {
  const { zone } = w.site
  const read = (value: string, as: string) => inZone(readMoment(value, { now: w.now, zone: as })!, as)
  const here = toWall(w.now, zone)
  let status = input.status ?? self?.status ?? (canPublish(w.caller) ? 'publish' : 'draft')
  if (input.status && !canPublish(w.caller) && (status === 'publish' || status === 'future'))
    status = 'pending'
  let date = self?.date ?? here
  let utc = self?.date_utc ?? ''
  if (input.date_utc) {
    utc = read(input.date_utc, 'UTC')
    date = input.date ? read(input.date, zone) : toWall(toEpoch(utc, 'UTC'), zone)
  } else if (input.date) {
    date = read(input.date, zone)
    // a new date of a venue or organizer does not change its date in UTC, as recorded
    if (!self || kind === 'event') utc = toUtc(date, zone)
  }
  // without a date in the input, a record has that of its first publication; drafts, also in the trash, have none yet
  const waits = isDraft(status) || (status === 'trash' && self !== undefined)
  if (utc === '' && !waits) {
    if (date <= here) date = here
    utc = toUtc(date, zone)
  }
  if (status === 'publish' || status === 'future') status = utc > toWall(w.now, 'UTC') ? 'future' : 'publish'
  return { status, date, date_utc: utc }
}

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
  /** The time of the next publication, in Unix milliseconds. */
  const next = () => {
    const { seq } = changes.latest()
    if (seq !== seen) {
      seen = seq
      const first = due.get()!.at
      at = first === null ? Number.POSITIVE_INFINITY : toEpoch(first, 'UTC')
    }
    return at
  }
  /** Whether a record is due. */
  const isDue = () => next() <= site.clock() && db.node?.status().clock.state !== 'wrong'
  return {
    next,
    isDue,
    async settle() {
      if (isDue()) await db.write((tx) => publishDue(tx, site))
    },
  }
}

async function publishDue(tx: Queries, site: Site) {
  const now = site.clock()
  const ripe = and(eq(posts.status, 'future'), sql`${posts.date_utc} <= ${toWall(now, 'UTC')}`)
  for (const post of await tx.update(posts).set({ status: 'publish' }).where(ripe).returning())
    await project({ tx, site, now }, 'post', {
      before: { post: { ...post, status: 'future' } },
      after: { post },
    })
}
