import { eq, sql } from 'drizzle-orm'
import { documents, events, media, organizers, posts, type Refs, venues } from '../../../../drizzle/tables.ts'
import { open, print } from '../../../formats/json.ts'
import { linkedJsonLd, openJsonLd } from '../../../formats/json-ld.ts'
import {
  blanked,
  type EventRow,
  type MediaRow,
  type OrganizerRow,
  type Own,
  ownEvent,
  ownOrganizer,
  ownVenue,
  type Post,
  type VenueRow,
} from '../../../formats/records.ts'
import { ownMembers } from '../../../formats/v1/posts.ts'
import type { Site } from '../../../rules/site.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../sqlite/db.ts'
import { linksOf, NO_REFS } from './links.ts'
import { type Listing, saveListing } from './listing.ts'

/** A post with the row of its kind and its picture. */
export type Rows = {
  post: Post
  event: EventRow | null
  venue: VenueRow | null
  organizer: OrganizerRow | null
  image: MediaRow | null
}
/** A post as a write left it; what the write did not have at hand is absent. */
export type Stored = {
  post: Post
  event?: EventRow
  venue?: VenueRow
  organizer?: OrganizerRow
  /** An event's links. */
  refs?: Refs
  /** The row for lists of an event that is deleted. */
  listing?: Listing | undefined
}

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
const imageOf = prepared((db) =>
  db
    .select()
    .from(media)
    .where(eq(media.id, sql.placeholder('id')))
    .prepare(),
)
const upsert = prepared((db) =>
  db
    .insert(documents)
    // as text, since an encoder would also turn null into text
    .values({ ...columnsOf(documents), refs: sql`${sql.placeholder('refs')}` })
    .onConflictDoUpdate({ target: documents.post_id, set: excludedOf(documents) })
    .prepare(),
)

/** A post as formats take it. */
function ownOf({ post, event, venue, organizer, image }: Rows, { currency }: Pick<Site, 'currency'>): Own {
  if (event) return ownEvent(post, event, image, currency)
  return venue ? ownVenue(post, venue, image) : ownOrganizer(post, organizer!, image)
}

/** The correct document of a post; `refs` are the links of an event. */
export function renderDocument(
  rows: Rows,
  refs: Refs,
  site: Pick<Site, 'currency'>,
): Omit<typeof documents.$inferSelect, 'post_id'> {
  const { status, author_id, translation_group, password_hash } = rows.post
  const own = ownOf(rows, site)
  const isEvent = own.kind === 'event'
  const isProtected = password_hash !== null
  return {
    ...{ status, author_id, translation_group, protected: isProtected, refs: isEvent ? refs : null },
    body: open(ownMembers(own)),
    blanked: isEvent && isProtected ? open(ownMembers(blanked(own))) : null,
    json_ld: Buffer.from(own.kind === 'event' ? openJsonLd(own) : print(linkedJsonLd(own))),
  }
}

/** Derives the document of a post, and for an event its row for lists. Reads what is not at hand, and returns the links of an event. */
export async function saveDocument(
  tx: Queries,
  site: Pick<Site, 'currency'>,
  { post, refs, listing: _, ...own }: Stored,
): Promise<Refs> {
  const { id, kind, image_id } = post
  const rows: Rows = own[kind]
    ? { post, event: null, venue: null, organizer: null, image: null, ...own }
    : (await rowsOf(tx).execute({ id }))[0]!
  if (own[kind] && image_id !== null) rows.image = (await imageOf(tx).execute({ id: image_id }))[0]!
  const links = refs ?? (kind === 'event' ? await linksOf(tx, id) : NO_REFS)
  const document = renderDocument(rows, links, site)
  await upsert(tx).execute({ ...document, post_id: id, refs: document.refs && JSON.stringify(document.refs) })
  if (rows.event) await saveListing(tx, post, rows.event)
  return links
}
