import { and, eq, sql } from 'drizzle-orm'
import type { SelectedFields, SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  events,
  externals,
  links,
  listings,
  media,
  occurrences,
  organizers,
  posts,
  type Refs,
  series,
  venues,
} from '../../../drizzle/tables.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'

/** Finds, stores and removes the rows of a table that have the ID of a post in one of their columns. */
function rowsIn<T extends (typeof PARTS)[keyof typeof PARTS] | typeof listings>(of: T, id: SQLiteColumn) {
  // one type for all of them: what Drizzle derives from each is lost where a table is any of these
  const table = of as typeof events
  const one = eq(id, sql.placeholder('id'))
  const select = prepared((db) => db.select().from(table).where(one).prepare())
  const upsert = prepared((db) =>
    db
      .insert(table)
      .values(columnsOf(table))
      .onConflictDoUpdate({ target: id as typeof events.post_id, set: excludedOf(table) })
      .prepare(),
  )
  const remove = prepared((db) => db.delete(table).where(one).prepare())
  return {
    find: async (tx: Queries, id: number): Promise<T['$inferSelect'] | undefined> =>
      (await select(tx).execute({ id }))[0],
    save: (tx: Queries, row: T['$inferSelect']) => upsert(tx).execute(row),
    drop: (tx: Queries, id: number) => remove(tx).execute({ id }),
  }
}

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

/** The rows that a post has besides its own, by their tables. Each is found, stored and removed by the ID of the post. */
export const postRows = {
  event: rowsIn(events, events.post_id),
  series: rowsIn(series, series.post_id),
  occurrence: rowsIn(occurrences, occurrences.post_id),
  venue: rowsIn(venues, venues.post_id),
  organizer: rowsIn(organizers, organizers.post_id),
  external: rowsIn(externals, externals.post_id),
  listing: rowsIn(listings, listings.event_id),
  /** By the ID of the picture. */
  image: rowsIn(media, media.id),
}

export type LinkKind = (typeof links.$inferSelect)['kind']
export const LINK_KINDS = ['venue', 'organizer', 'category', 'tag'] as const satisfies readonly LinkKind[]

const linkRows = prepared((db) =>
  db
    .select({ kind: links.kind, id: links.target_id })
    .from(links)
    .where(eq(links.event_id, sql.placeholder('event')))
    .orderBy(links.position)
    .prepare(),
)

const deleteLinks = prepared((db) =>
  db
    .delete(links)
    .where(and(eq(links.event_id, sql.placeholder('event')), eq(links.kind, sql.placeholder('kind'))))
    .prepare(),
)
const insertLink = prepared((db) => db.insert(links).values(columnsOf(links)).prepare())
/** Everything that an event is linked to, in the order given. */
export async function linksOf(tx: Queries, event: number): Promise<Refs> {
  return toRefs(await linkRows(tx).execute({ event }))
}

/** Everything that an event is linked to, in the order given, read without awaiting anything. */
export const linksNow = (db: Queries, event: number): Refs => toRefs(linkRows(db).all({ event }))

/** Links in their order, by kind. */
export function toRefs(rows: { kind: LinkKind; id: number }[]): Refs {
  const ids = (kind: LinkKind) => rows.filter((row) => row.kind === kind).map((row) => row.id)
  return { category: ids('category'), tag: ids('tag'), venue: ids('venue'), organizer: ids('organizer') }
}

export const NO_REFS = toRefs([])

/** Changes the links of one kind from `before` to `after`. */
export async function setLinks(
  tx: Queries,
  event: number,
  kind: LinkKind,
  before: number[],
  after: number[],
) {
  if (after.length === before.length && after.every((id, at) => id === before[at])) return
  if (before.length > 0) await deleteLinks(tx).execute({ event, kind })
  for (const [position, target_id] of after.entries())
    await insertLink(tx).execute({ event_id: event, kind, target_id, position })
}
