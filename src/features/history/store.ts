import { and, asc, count, desc, eq, gte, inArray, sql } from 'drizzle-orm'
import { revisions, users } from '../../../drizzle/tables.ts'
import { columnsOf, type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** Changed members of a record by name, each with its value before and after. */
export type Changed = (typeof revisions.$inferSelect)['fields']
/** A change of a record, with the login and the name of the user who made it: null if the user is gone, or if the service made it. */
export type Revision = typeof revisions.$inferSelect & { login: string | null; name: string | null }
type Paging = { page: number; per_page: number }

/** Rows that are removed in one transaction. */
const BATCH = 1_000
const DAY = 86_400_000

const insertRevision = prepared((db) => db.insert(revisions).values(columnsOf(revisions)).prepare())

/** Notes what a write changed in a record, in its transaction. Without a user it was the service itself. */
export async function noteChanged(
  tx: Queries,
  { id, now, by = null }: { id: number; now: number; by?: number | null | undefined },
  fields: Changed,
) {
  await insertRevision(tx).execute({ id: null, post_id: id, at_utc: toWall(now, 'UTC'), by, fields })
}

const since = prepared((db) =>
  db
    .select()
    .from(revisions)
    .where(
      and(eq(revisions.post_id, sql.placeholder('post')), gte(revisions.id, sql.placeholder('revision'))),
    )
    .orderBy(asc(revisions.id))
    .prepare(),
)

/**
 * The values that members of a record had before one of its changes: those of the members that have been changed since. Undefined if the record
 * has no such change.
 */
export async function valuesBefore(
  tx: Queries,
  post: number,
  revision: number,
): Promise<Record<string, unknown> | undefined> {
  const rows = await since(tx).execute({ post, revision })
  if (rows[0]?.id !== revision) return undefined
  const values: Record<string, unknown> = {}
  for (const { fields } of rows.toReversed())
    for (const [name, [before]] of Object.entries(fields)) values[name] = before
  return values
}

/** The changes of events and series: reading them, and removing what is old. */
export function openRevisions(db: Db, site: Pick<Site, 'clock'>) {
  return {
    /** A page of the changes of a record, the latest first, and how many there are. */
    async list(post: number, { page, per_page }: Paging): Promise<{ rows: Revision[]; total: number }> {
      const where = eq(revisions.post_id, post)
      const found = await db.read
        .select({ revision: revisions, login: users.login, name: users.name })
        .from(revisions)
        .leftJoin(users, eq(users.id, revisions.by))
        .where(where)
        .orderBy(desc(revisions.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
      const [all] = await db.read.select({ total: count() }).from(revisions).where(where)
      return { rows: found.map(({ revision, ...by }) => ({ ...revision, ...by })), total: all!.total }
    },
    /** Removes a batch of changes that are older than so many days. Returns whether there may be more of them. */
    async removeOld(days: number): Promise<boolean> {
      const before = toWall(site.clock() - days * DAY, 'UTC')
      // in the order of their IDs, which is that of their times, so that no index is needed
      const first = db.read
        .select({ id: revisions.id, at: revisions.at_utc })
        .from(revisions)
        .orderBy(asc(revisions.id))
        .limit(BATCH)
        .all()
      const old = first.filter(({ at }) => at < before).map(({ id }) => id)
      if (old.length === 0) return false
      await db.write(async (tx) => void (await tx.delete(revisions).where(inArray(revisions.id, old))))
      return old.length === BATCH
    },
  }
}
