import { eq } from 'drizzle-orm'
import type { SelectedFields } from 'drizzle-orm/sqlite-core'
import {
  events,
  externals,
  media,
  occurrences,
  organizers,
  posts,
  series,
  venues,
} from '../../../../drizzle/tables.ts'
import type { Queries } from '../../../kernel/database/db.ts'

/** The rows that hold the rest of a post, as a select gives them before its other fields. */
export const PARTS = {
  event: events,
  series,
  occurrence: occurrences,
  venue: venues,
  organizer: organizers,
  external: externals,
  image: media,
}

/**
 * A query of posts, with the rows that hold the rest of each and with its image; null where there is none. `fields` are those of `posts`,
 * and of tables that the caller joins.
 */
export const selectWhole = <T extends SelectedFields>(db: Queries, fields: T) =>
  db
    .select({ ...PARTS, ...fields })
    .from(posts)
    .leftJoin(events, eq(events.post_id, posts.id))
    .leftJoin(series, eq(series.post_id, posts.id))
    .leftJoin(occurrences, eq(occurrences.post_id, posts.id))
    .leftJoin(venues, eq(venues.post_id, posts.id))
    .leftJoin(organizers, eq(organizers.post_id, posts.id))
    .leftJoin(externals, eq(externals.post_id, posts.id))
    .leftJoin(media, eq(media.id, posts.image_id))
