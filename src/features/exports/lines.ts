import { asc, eq, getTableColumns, gt, inArray, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  events,
  externals,
  links,
  media,
  occurrences,
  organizers,
  posts,
  revisions,
  series,
  terms,
  users,
  venues,
} from '../../../drizzle/tables.ts'
import type { TermRow } from '../../calendar/formats/records.ts'
import { filesOf } from '../../calendar/records/media.ts'
import type { PostKind } from '../../calendar/records/posts.ts'
import { type LinkKind, selectWhole, toRefs } from '../../calendar/records/rows.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { grouped } from '../../kernel/sorting.ts'

/** The kinds of lines of an export, in their order: what a line names comes before it. */
export const LINE_KINDS = [
  ...(['user', 'media', 'category', 'tag', 'venue', 'organizer', 'series', 'event', 'revision'] as const),
] as const
export type LineKind = (typeof LINE_KINDS)[number]
/** A record as an export has it: the columns of its tables by name, without what is derived from others. */
export type Line = { kind: LineKind; id: number } & Record<string, unknown>

/** Columns that an import makes anew, or that say to which record a row belongs. */
const DERIVED = new Set([
  ...['post_id', 'kind', 'taxonomy', 'folded', 'folded_title', 'folded_name', 'count'],
])

/** The columns of a table that lines have. */
export const columnsOf = (table: SQLiteTable): [name: string, column: SQLiteColumn][] =>
  Object.entries(getTableColumns(table)).filter(([name]) => !DERIVED.has(name))

/** Those members of rows that a line has. */
export function shown(table: SQLiteTable, row: object): Record<string, unknown> {
  const values = row as Record<string, unknown>
  return Object.fromEntries(columnsOf(table).map(([name]) => [name, values[name]]))
}

/** The members of a line that name other records of an event, and of what kind these are. */
export const LINKS = {
  venue: 'venue',
  organizer: 'organizer',
  categories: 'category',
  tags: 'tag',
} as const

/** Records that are read at a time. */
const BATCH = 200

/** How many lines of each kind there are. */
export function countLines(db: Queries): Record<LineKind, number> {
  const one = (query: ReturnType<typeof sql>) => db.get<{ n: number }>(query).n
  const ofPosts = (kind: PostKind) => one(sql`select count(*) as n from ${posts} where kind = ${kind}`)
  const ofTerms = (taxonomy: string) =>
    one(sql`select count(*) as n from ${terms} where taxonomy = ${taxonomy}`)
  return {
    user: one(sql`select count(*) as n from ${users}`),
    media: one(sql`select count(*) as n from ${media}`),
    category: ofTerms('category'),
    tag: ofTerms('tag'),
    venue: ofPosts('venue'),
    organizer: ofPosts('organizer'),
    series: ofPosts('series'),
    event: ofPosts('event'),
    revision: one(sql`select count(*) as n from ${revisions}`),
  }
}

/** IDs of a kind of posts, each after its parent. */
const idsOf = (db: Queries, kind: PostKind): number[] =>
  db
    .all<{ id: number }>(
      sql`with recursive level(id, depth) as (
        select id, 0 from posts where kind = ${kind}
          and not exists (select 1 from posts as above where above.id = posts.parent_id and above.kind = ${kind})
        union all select posts.id, depth + 1 from level cross join posts indexed by posts_parent on posts.parent_id = level.id where posts.kind = ${kind})
      select id from level order by depth, id`,
    )
    .map(({ id }) => id)

/** Terms, each after its parent. */
function inOrder(rows: TermRow[]): TermRow[] {
  const ids = new Set(rows.map(({ id }) => id))
  const below = grouped(rows, ({ parent_id }) => (ids.has(parent_id) ? parent_id : 0))
  const after = (parent: number): TermRow[] =>
    (below.get(parent) ?? []).flatMap((term) => [term, ...after(term.id)])
  return after(0)
}

async function* postLines(db: Queries, kind: PostKind): AsyncGenerator<Line> {
  const ids = idsOf(db, kind)
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = ids.slice(at, at + BATCH)
    const rows = await selectWhole(db, { post: posts }).where(inArray(posts.id, some))
    const linked = await linksOf(db, some)
    const byId = new Map(rows.map((row) => [row.post.id, row]))
    for (const id of some) {
      const { post, event, series: rule, occurrence, venue, organizer, external } = byId.get(id)!
      yield {
        kind,
        id,
        ...shown(posts, post),
        ...(event && shown(events, event)),
        ...(rule && shown(series, rule)),
        ...(occurrence && shown(occurrences, occurrence)),
        ...(venue && shown(venues, venue)),
        ...(organizer && shown(organizers, organizer)),
        ...(external && shown(externals, external)),
        ...(event && linked(id)),
      }
    }
  }
}

/** What some events are linked to, by the names that lines have. */
async function linksOf(db: Queries, ids: number[]) {
  const rows = await db
    .select({ event: links.event_id, kind: links.kind, id: links.target_id })
    .from(links)
    .where(inArray(links.event_id, ids))
    .orderBy(links.position)
  const byEvent = grouped(rows, ({ event }) => event)
  return (id: number) => {
    const refs = toRefs(byEvent.get(id) ?? [])
    return Object.fromEntries(Object.entries(LINKS).map(([name, kind]) => [name, refs[kind as LinkKind]]))
  }
}

async function* revisionLines(db: Queries): AsyncGenerator<Line> {
  let last = 0
  let rows: (typeof revisions.$inferSelect)[]
  do {
    rows = await db
      .select()
      .from(revisions)
      .where(gt(revisions.id, last))
      .orderBy(asc(revisions.id))
      .limit(BATCH)
    for (const row of rows) {
      last = row.id
      yield { ...shown(revisions, row), kind: 'revision', id: row.id, of: row.post_id }
    }
  } while (rows.length === BATCH)
}

async function* linesOf(db: Queries, kind: LineKind): AsyncGenerator<Line> {
  if (kind === 'user')
    for (const row of await db.select().from(users).orderBy(asc(users.id)))
      yield { kind, ...shown(users, row), id: row.id }
  else if (kind === 'media')
    for (const row of await db.select().from(media).orderBy(asc(media.id)))
      yield { kind, ...shown(media, row), id: row.id }
  else if (kind === 'category' || kind === 'tag') {
    const rows = await db.select().from(terms).where(eq(terms.taxonomy, kind)).orderBy(asc(terms.id))
    for (const row of inOrder(rows)) yield { kind, ...shown(terms, row), id: row.id }
  } else if (kind === 'revision') yield* revisionLines(db)
  else yield* postLines(db, kind)
}

/**
 * Gives every record as a line, with the files of a picture that it is about. All are of one state of the database: for commands, because no
 * other reads of this process leave that state meanwhile.
 */
export const readLines = (
  db: Db,
  take: (line: Line, files: string[]) => Promise<void> | void,
): Promise<void> =>
  db.view(async () => {
    for (const kind of LINE_KINDS)
      for await (const line of linesOf(db.read, kind))
        await take(line, kind === 'media' ? filesOf(line as never) : [])
  })
