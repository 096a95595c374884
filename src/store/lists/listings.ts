import { and, eq, inArray, or, type SQL } from 'drizzle-orm'
import { listings } from '../../../drizzle/tables.ts'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import type { EventRow, Post } from '../../formats/v1.ts'
import { secondsOf } from '../../rules/dates.ts'
import { type Caller, canEdit, canReadOthers, canWrite } from '../../rules/roles.ts'
import type { Where } from '../index/calendar.ts'
import type { LinkKind } from '../records/links.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../sqlite/db.ts'

export const LINK_KINDS = ['venue', 'organizer', 'category', 'tag'] as const satisfies readonly LinkKind[]

type Listing = typeof listings.$inferSelect

const upsert = prepared((db) =>
  db
    .insert(listings)
    .values(columnsOf(listings))
    .onConflictDoUpdate({ target: listings.event_id, set: excludedOf(listings) })
    .prepare(),
)

/** What the row of an event has to be. */
export const deriveListing = (post: Post, event: EventRow): Listing => ({
  event_id: post.id,
  status: post.status,
  hidden: event.hide_from_listings,
  author_id: post.author_id,
  language: post.language,
  parent_id: post.parent_id,
  starts: secondsOf(event.start_date),
  ends: secondsOf(event.end_date),
  utc_starts: secondsOf(event.utc_start_date),
  utc_ends: secondsOf(event.utc_end_date),
  featured: event.featured,
  ticketed: event.ticketed,
  protected: post.password_hash !== null,
})

/** Derives the row that lists of events are made from, after a write to the event. */
export async function saveListing(tx: Queries, post: Post, event: EventRow) {
  await upsert(tx).execute(deriveListing(post, event))
}

/** Takes a record out of all lists that does not belong there. */
export async function dropListing(tx: Queries, id: number) {
  await tx.delete(listings).where(eq(listings.event_id, id))
}

const NOT_TRASHED = ['publish', 'future', 'draft', 'pending', 'private'] as const

/** Which events the caller may read one by one (D8, D36), of these statuses, without statuses of the default ones. */
export function readableBy(
  caller: Caller,
  { status, include }: { status?: (Status | 'any')[]; include?: number[] },
): Where {
  const hidden = include ? undefined : false
  if (!canWrite(caller)) return { statuses: ['publish'], hidden }
  const all = status === undefined || status.includes('any')
  const statuses = all ? NOT_TRASHED : (status as Status[])
  return { statuses, hidden, author: canReadOthers(caller) ? undefined : caller!.id }
}

/** The same as a condition on their rows. */
export function readable(caller: Caller): SQL | undefined {
  const { statuses, author } = readableBy(caller, {})
  return and(
    eq(listings.hidden, false),
    inArray(listings.status, [...statuses]),
    author === undefined ? undefined : or(eq(listings.status, 'publish'), eq(listings.author_id, author)),
  )
}

/** A condition on rows: not under a password, or the caller's to edit (R13). */
export function openTo(caller: Caller): SQL | undefined {
  if (canEdit(caller, { author_id: NOBODY, status: 'publish' })) return undefined
  const own = STATUSES.filter((status) => caller && canEdit(caller, { author_id: caller.id, status }))
  return or(
    eq(listings.protected, false),
    own.length === 0 ? undefined : and(eq(listings.author_id, caller!.id), inArray(listings.status, own)),
  )
}
/** No user's ID. */
const NOBODY = 0
