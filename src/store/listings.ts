import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { events, listings, posts } from '../../drizzle/tables.ts'
import type { Status } from '../../schemas/common.ts'
import type { Where } from '../calendar.ts'
import { secondsOf } from '../dates.ts'
import { type Caller, canReadOthers, canWrite } from '../roles.ts'
import { columnsOf, prepared, type Queries } from './db.ts'
import type { LinkKind } from './links.ts'

export const LINK_KINDS = ['venue', 'organizer', 'category', 'tag'] as const satisfies readonly LinkKind[]

type Listing = typeof listings.$inferSelect

const eventRow = prepared((db) =>
  db
    .select({
      event_id: posts.id,
      status: posts.status,
      hidden: events.hide_from_listings,
      author_id: posts.author_id,
      language: posts.language,
      parent_id: posts.parent_id,
      starts: events.start_date,
      ends: events.end_date,
      utc_starts: events.utc_start_date,
      utc_ends: events.utc_end_date,
      featured: events.featured,
      ticketed: events.ticketed,
    })
    .from(posts)
    .innerJoin(events, eq(events.post_id, posts.id))
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)
const deleteListing = prepared((db) =>
  db
    .delete(listings)
    .where(eq(listings.event_id, sql.placeholder('id')))
    .prepare(),
)
const insertListing = prepared((db) => db.insert(listings).values(columnsOf(listings)).prepare())

/** What the row of an event has to be. */
export async function deriveListing(tx: Queries, id: number): Promise<Listing> {
  const [row] = await eventRow(tx).execute({ id })
  const { starts, ends, utc_starts, utc_ends } = row!
  return {
    ...row!,
    ...{ starts: secondsOf(starts), ends: secondsOf(ends) },
    ...{ utc_starts: secondsOf(utc_starts), utc_ends: secondsOf(utc_ends) },
  }
}

/** Derives the row that lists of events are made from, after a write to the event. */
export async function saveListing(tx: Queries, id: number) {
  await dropListing(tx, id)
  await insertListing(tx).execute(await deriveListing(tx, id))
}

/** Takes an event out of all lists, before it goes for good. */
export async function dropListing(tx: Queries, id: number) {
  await deleteListing(tx).execute({ id })
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
