import { eq, sql } from 'drizzle-orm'
import { listings } from '../../../../drizzle/tables.ts'
import { FILTER_NAMES, forEach } from '../../../../schemas/event-flags.ts'
import type { EventRow, Post } from '../../../formats/records.ts'
import { secondsOf } from '../../../rules/time/dates.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../sqlite/db.ts'

export type Listing = typeof listings.$inferSelect

const upsert = prepared((db) =>
  db
    .insert(listings)
    .values(columnsOf(listings))
    .onConflictDoUpdate({ target: listings.event_id, set: excludedOf(listings) })
    .prepare(),
)

const stored = prepared((db) =>
  db
    .select()
    .from(listings)
    .where(eq(listings.event_id, sql.placeholder('id')))
    .prepare(),
)

/** The row of an event as it is stored. */
export const findListing = async (tx: Queries, id: number): Promise<Listing | undefined> =>
  (await stored(tx).execute({ id }))[0]

/** The correct row of an event. */
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
  modified: secondsOf(post.modified_utc),
  ...forEach(FILTER_NAMES, (name) => event[name]),
  protected: post.password_hash !== null,
  event_status: event.event_status,
  attendance_mode: event.attendance_mode,
})

/** Derives the row that lists of events are made from, after a write to the event. */
export async function saveListing(tx: Queries, post: Post, event: EventRow) {
  await upsert(tx).execute(deriveListing(post, event))
}

/** Removes a record from all lists that it does not belong in. */
export async function dropListing(tx: Queries, id: number) {
  await tx.delete(listings).where(eq(listings.event_id, id))
}
