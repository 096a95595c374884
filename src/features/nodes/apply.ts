import type Database from 'better-sqlite3'
import { inArray, sql } from 'drizzle-orm'
import { media, posts, site } from '../../../drizzle/tables.ts'
import type { Post } from '../../calendar/formats/records.ts'
import { saveDocument } from '../../calendar/records/derived.ts'
import { filesOf, noteLooseFiles } from '../../calendar/records/media.ts'
import { dropSearch, saveSearch } from '../../calendar/search/indexing.ts'
import { withOpenGate } from '../../kernel/access/audit-log.ts'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import { type LoggedGroup, notePosition, positionOf } from './log.ts'
import { TABLES } from './rows.ts'

/** Posts whose derived data depends on rows of a group: their own, their links, their picture. */
const DEPENDING = `select json_group_array(distinct id) from (${[
  ...['posts.set', 'posts.gone'].map(
    (path) => `select json_extract(value, '$.id') as id from json_each(:rows, '$.${path}')`,
  ),
  ...['events', 'venues', 'organizers'].map(
    (table) => `select json_extract(value, '$.post_id') from json_each(:rows, '$.${table}.set')`,
  ),
  ...['links.set', 'links.gone'].map(
    (path) => `select json_extract(value, '$.event_id') from json_each(:rows, '$.${path}')`,
  ),
  ...['media.set', 'media.gone'].map(
    (path) =>
      `select id from posts where image_id in (select json_extract(value, '$.id') from json_each(:rows, '$.${path}'))`,
  ),
].join(' union ')})`

const currencyOf = prepared((db) => db.select({ currency: site.currency }).from(site).prepare())
const postsAmong = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(inArray(posts.id, sql`(select value from json_each(${sql.placeholder('ids')}))`))
    .prepare(),
)

/** The posts with these IDs. */
export const postsOf = (tx: Queries, ids: number[]): Post[] =>
  postsAmong(tx).all({ ids: JSON.stringify(ids) })

/** The parts of a group that are not empty, in the order in which they are read. */
const PARTS = `select key, nullif(value ->> '$.gone', '[]') as gone, nullif(value ->> '$.set', '[]') as "set" from json_each(?)`
type Part = { key: string; gone: string | null; set: string | null }

/** Pictures that have a row are no files that were left behind. */
const CLAIM_FILES = `delete from loose_files where exists (select 1 from json_each(loose_files.names) as name
  where name.value in (select value ->> '$.file' from json_each(?)))`

/** SQL of all tables, prepared once for a connection: building it costs more than running it. */
const statements = prepared(({ $client }: Queries & { $client?: Database.Database }) => {
  const prepare = (query: string) => $client!.prepare(query)
  return {
    depending: prepare(DEPENDING).pluck(),
    parts: prepare(PARTS),
    claimFiles: prepare(CLAIM_FILES),
    tables: TABLES.map(({ name, remove, loosen, upsert }) => {
      return {
        name,
        remove: prepare(remove),
        loosen: loosen === undefined ? undefined : prepare(loosen),
        upsert: prepare(upsert),
      }
    }),
  }
})

/**
 * Applies the groups that follow the one which the copy has, in the caller's transaction; another process on the file may have
 * brought the first of them. References are checked at the end of the transaction. Returns the names of the tables that were written.
 */
export async function applyGroups(tx: Queries, groups: LoggedGroup[]): Promise<Set<string>> {
  const written = new Set<string>()
  for (const group of groups) {
    if (group.seq !== positionOf(tx)!.seq + 1) continue
    for (const table of await applyRows(tx, group.rows)) written.add(table)
    await notePosition(tx, group)
  }
  return written
}

/** Writes the rows of a group that another node wrote, derives what depends on them, and returns the names of the tables. */
async function applyRows(tx: Queries, rows: string): Promise<string[]> {
  tx.run(sql`pragma defer_foreign_keys = on`)
  const ids = statements(tx).depending.get({ rows }) as string
  const before = new Map(
    postsAmong(tx)
      .all({ ids })
      .map((post) => [post.id, post]),
  )
  const written = await writeRows(tx, rows)
  const settings = currencyOf(tx).get()
  const after: Post[] = postsAmong(tx).all({ ids })
  for (const post of after) {
    await saveDocument(tx, settings!, { post })
    if (post.kind === 'event') saveSearch(tx, post, before.get(post.id))
    before.delete(post.id)
  }
  for (const post of before.values()) if (post.kind === 'event') dropSearch(tx, post)
  return written
}

/** Notes the files of pictures that go for deletion, before their rows are deleted. */
async function noteFiles(tx: Queries, gone: string) {
  const pictures = await tx
    .select({ file: media.file, sizes: media.sizes })
    .from(media)
    .where(inArray(media.id, sql`(select json_extract(value, '$.id') from json_each(${gone}))`))
  for (const picture of pictures) await noteLooseFiles(tx, filesOf(picture), true, Date.now())
}

/** Deleted rows go first, so that what they had to themselves (a slug, a login) is free for others. */
export function writeRows(tx: Queries, rows: string): Promise<string[]> {
  const present = new Map((statements(tx).parts.all(rows) as Part[]).map((part) => [part.key, part]))
  const write = () => writeParts(tx, present)
  return present.has('audit') ? withOpenGate(tx, write) : write()
}

async function writeParts(tx: Queries, present: Map<string, Part>): Promise<string[]> {
  const { claimFiles, tables } = statements(tx)
  const written = tables.filter(({ name }) => present.has(name))
  for (const { name, remove } of written.toReversed()) {
    const { gone } = present.get(name)!
    if (gone && name === 'media') await noteFiles(tx, gone)
    if (gone) remove.run(gone)
  }
  for (const { name, loosen, upsert } of written) {
    const { set } = present.get(name)!
    if (!set) continue
    loosen?.run(set)
    upsert.run(set)
    if (name === 'media') claimFiles.run(set)
  }
  return written.map(({ name }) => name)
}

/** Sets how far IDs were given: an ID of a row that came and went elsewhere is not given again here. */
export function raiseCounters(tx: Queries, counters: string) {
  tx.run(
    sql`update sqlite_sequence set seq = max(seq, (select value from json_each(${counters}) where key = name)) where name in (select key from json_each(${counters}))`,
  )
  tx.run(
    sql`insert into sqlite_sequence (name, seq) select key, value from json_each(${counters}) where key not in (select name from sqlite_sequence)`,
  )
}

const COUNTERS = `select json_group_object(name, seq) as counters from
  (select name, seq from sqlite_sequence where name in (${TABLES.map(({ name }) => `'${name}'`)}) order by name)`

/** How far IDs were given, as JSON that is the same for the same numbers. */
export const countersOf = (tx: Queries): string => tx.get<{ counters: string }>(sql.raw(COUNTERS)).counters
