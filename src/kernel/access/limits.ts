import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { resolveLimits } from '../../calendar/records/access.ts'
import { type Changes, openFollowing } from '../database/changes.ts'
import type { Db, Queries } from '../database/db.ts'
import type { Problems } from '../errors.ts'
import type { LimitSet, Limits, Role } from './roles.ts'

const MOST_KNOWN = 500

/** Limits as the audit log tells them. */
export const inWords = (limits: LimitSet | null) =>
  limits === null
    ? 'none'
    : `categories ${limits.categories.join(', ') || '-'}; venues ${limits.venues.join(', ') || '-'}`

/** Problems with limits that somebody with a role is to get; what they name that was named `before` may be gone. */
export async function limitProblems(
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
