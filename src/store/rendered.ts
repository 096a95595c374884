import { eq, getTableColumns, sql } from 'drizzle-orm'
import { documents, events, media, organizers, posts, venues } from '../../drizzle/tables.ts'
import { columnsOf, prepared, type Queries } from './db.ts'
import { linksOf } from './links.ts'
import { renderEvent, renderOrganizer, renderVenue } from './render.ts'
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
    .values(columnsOf(documents))
    .onConflictDoUpdate({
      target: documents.post_id,
      set: Object.fromEntries(Object.keys(OTHERS).map((name) => [name, sql.raw(`excluded.${name}`)])),
    })
    .prepare(),
)

/** What the document of a post has to be, rendered from its rows. */
export async function renderDocument(
  tx: Queries,
  site: Pick<Site, 'currency'>,
  id: number,
): Promise<Omit<typeof documents.$inferSelect, 'post_id'>> {
  const [row] = await rowsOf(tx).execute({ id })
  const { post, event, venue, organizer, image } = row!
  const { status, author_id, translation_group, password_hash } = post
  const seen = { status, author_id, translation_group, protected: password_hash !== null }
  return event
    ? { ...seen, ...renderEvent(post, event, image, site.currency), refs: await linksOf(tx, id) }
    : venue
      ? { ...seen, ...renderVenue(post, venue, image), refs: null }
      : { ...seen, ...renderOrganizer(post, organizer!, image), refs: null }
}

/** Renders a post anew; to be called at the end of every write that touches it. */
export async function saveDocument(tx: Queries, site: Pick<Site, 'currency'>, id: number) {
  await upsert(tx).execute({ post_id: id, ...(await renderDocument(tx, site, id)) })
}
