import { eq, sql } from 'drizzle-orm'
import { documents, events, media, organizers, posts, type Refs, venues } from '../../../drizzle/tables.ts'
import {
  type EventRow,
  type MediaRow,
  type OrganizerRow,
  type Post,
  renderEvent,
  renderOrganizer,
  renderVenue,
  type VenueRow,
} from '../../formats/v1.ts'
import type { Site } from '../../rules/site.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../sqlite/db.ts'
import { linksOf, NO_REFS } from './links.ts'
import { saveListing } from './listing.ts'

const rowsOf = prepared((db) =>
  db
    .select({ post: posts, event: events, venue: venues, organizer: organizers, image: media })
    .from(posts)
    .leftJoin(events, eq(events.post_id, posts.id))
    .leftJoin(venues, eq(venues.post_id, posts.id))
    .leftJoin(organizers, eq(organizers.post_id, posts.id))
    .leftJoin(media, eq(media.id, posts.image_id))
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

const upsert = prepared((db) =>
  db
    .insert(documents)
    // as text, since what encodes a value would make a text of null as well
    .values({ ...columnsOf(documents), refs: sql`${sql.placeholder('refs')}` })
    .onConflictDoUpdate({ target: documents.post_id, set: excludedOf(documents) })
    .prepare(),
)

/** A post with the row of its kind. */
export type Rows = {
  post: Post
  event: EventRow | null
  venue: VenueRow | null
  organizer: OrganizerRow | null
  image: MediaRow | null
}

/** What the document of a post has to be; `refs` are the links of an event. */
export function renderDocument(
  { post, event, venue, organizer, image }: Rows,
  refs: Refs,
  { currency }: Pick<Site, 'currency'>,
): Omit<typeof documents.$inferSelect, 'post_id'> {
  const { status, author_id, translation_group, password_hash } = post
  const seen = { status, author_id, translation_group, protected: password_hash !== null }
  return event
    ? { ...seen, ...renderEvent(post, event, image, currency), refs }
    : venue
      ? { ...seen, ...renderVenue(post, venue, image), refs: null }
      : { ...seen, ...renderOrganizer(post, organizer!, image), refs: null }
}

/** Writes what is derived from a post: its document, and of an event its row for lists. To be called at the end of every write. */
export async function saveDerived(tx: Queries, site: Pick<Site, 'currency'>, rows: Rows, refs: Refs) {
  const document = renderDocument(rows, refs, site)
  const linked = document.refs && JSON.stringify(document.refs)
  await upsert(tx).execute({ ...document, post_id: rows.post.id, refs: linked })
  if (rows.event) await saveListing(tx, rows.post, rows.event)
}

/** Writes what is derived from a post whose rows are not at hand. */
export async function renew(tx: Queries, site: Pick<Site, 'currency'>, id: number) {
  const [rows] = await rowsOf(tx).execute({ id })
  await saveDerived(tx, site, rows!, rows!.event ? await linksOf(tx, id) : NO_REFS)
}
