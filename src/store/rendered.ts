import { eq, getTableColumns, sql } from 'drizzle-orm'
import { documents, events, media, organizers, posts, type Refs, venues } from '../../drizzle/tables.ts'
import { columnsOf, prepared, type Queries } from './db.ts'
import { linksOf, toRefs } from './links.ts'
import {
  type EventRow,
  type MediaRow,
  type OrganizerRow,
  type Post,
  renderEvent,
  renderOrganizer,
  renderVenue,
  type VenueRow,
} from './render.ts'
import type { Site } from './site.ts'

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

const { post_id: _, ...OTHERS } = getTableColumns(documents)
const upsert = prepared((db) =>
  db
    .insert(documents)
    // as text, since what encodes a value would make a text of null as well
    .values({ ...columnsOf(documents), refs: sql`${sql.placeholder('refs')}` })
    .onConflictDoUpdate({
      target: documents.post_id,
      set: Object.fromEntries(Object.keys(OTHERS).map((name) => [name, sql.raw(`excluded.${name}`)])),
    })
    .prepare(),
)

const NO_REFS = toRefs([])

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

/** Renders a post anew; to be called at the end of every write that touches it. */
export async function saveDocument(tx: Queries, site: Pick<Site, 'currency'>, id: number) {
  const [rows] = await rowsOf(tx).execute({ id })
  const refs = rows!.event ? await linksOf(tx, id) : NO_REFS
  const document = renderDocument(rows!, refs, site)
  const linked = document.refs && JSON.stringify(document.refs)
  await upsert(tx).execute({ ...document, post_id: id, refs: linked })
}
