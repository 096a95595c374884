import { count, eq, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { media, posts, users } from '../../../drizzle/tables.ts'
import type { LimitSet, Limits, Role } from '../../kernel/access/rights.ts'
import type { Ownership, User } from '../../kernel/access/users.ts'
import { type Changes, openFollowing } from '../../kernel/database/changes.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { invalid, type Problems } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { resolveLimits } from './access.ts'
import { project } from './projection.ts'

const MOST_KNOWN = 500

/** Problems with limits that somebody with a role is to get; what they name that was named `before` may be gone. */
async function limitProblems(
  tx: Queries,
  role: Role,
  limits: LimitSet | null,
  before: LimitSet | null = null,
): Promise<Problems> {
  if (limits === null) return {}
  if (role === 'administrator')
    return { limits: 'must be null for an administrator, who has the rights for all events.' }
  for (const [name, kind, known] of [
    ['categories', 'category', sql`select 1 from terms where taxonomy = 'category' and id = `],
    ['venues', 'venue', sql`select 1 from posts where kind = 'venue' and id = `],
  ] as const)
    for (const id of limits[name])
      if (!before?.[name].includes(id) && tx.get(sql`${known}${id}`) === undefined)
        return { limits: `There is no ${kind} with ID ${id}.` }
  return {}
}

/** Moves the records of a user to another user. */
async function reassign(tx: Queries, site: Site, from: User, to: number | undefined) {
  const [owned] = await tx.select({ total: count() }).from(posts).where(eq(posts.author_id, from.id))
  const [files] = await tx.select({ total: count() }).from(media).where(eq(media.author_id, from.id))
  const total = owned!.total + files!.total
  if (total === 0) return
  const [heir] =
    to === undefined || to === from.id ? [] : await tx.select().from(users).where(eq(users.id, to))
  if (!heir)
    throw invalid({
      reassign: `must be the ID of another user, who takes over the ${total} records of ${from.login}.`,
    })
  const w = { tx, site, now: site.clock() }
  const given = { author_id: heir.id }
  for (const post of await tx.update(posts).set(given).where(eq(posts.author_id, from.id)).returning())
    await project(w, 'post', { before: { post: { ...post, author_id: from.id } }, after: { post } })
  for (const row of await tx.update(media).set(given).where(eq(media.author_id, from.id)).returning())
    await project(w, 'media', { before: row, after: row })
}

/** What users have to do with the records of the calendar. */
export const ownership: Ownership = { limitProblems, reassign }

/** What the limits of users and tokens mean now: read again once a category or a venue was written. */
export function openLimits(db: Db, changes: Changes) {
  const known = new LRUCache<string, Limits>({ max: MOST_KNOWN })
  const forget = () => known.clear()
  const follow = openFollowing(changes, ['category', 'venue'], { on: forget, reset: forget })
  return {
    /** The limits of a caller, of whom each set has to hold; undefined, and nothing is read, if there is none. */
    of(...stored: (LimitSet | null)[]): Limits | undefined {
      const given = stored.filter((set) => set !== null)
      if (given.length === 0) return undefined
      follow()
      const key = JSON.stringify(given)
      const limits = known.get(key) ?? resolveLimits(db.read, given)
      known.set(key, limits)
      return limits
    },
  }
}
export type OpenLimits = ReturnType<typeof openLimits>
