import { inArray, sql } from 'drizzle-orm'
import { posts, site } from '../../../drizzle/tables.ts'
import type { Post } from '../../formats/records.ts'
import { saveDocument } from '../records/document.ts'
import { prepared, type Queries } from '../sqlite/db.ts'
import { dropSearch, saveSearch } from '../sqlite/text-index.ts'
import { TABLES } from './rows.ts'

/** A row of `almanac.log`. `rows` is JSON: of each table the rows that a group left, and the keys of those that it deleted. */
export type Group = { seq: number; commit_id: string; rows: string }

/** Posts whose derived data depends on rows of a group: their own, their links, their picture. */
const DEPENDING = [
  ...['posts.set', 'posts.gone'].map(
    (path) => `select json_extract(value, '$.id') as id from json_each(?, '$.${path}')`,
  ),
  ...['events', 'venues', 'organizers'].map(
    (table) => `select json_extract(value, '$.post_id') from json_each(?, '$.${table}.set')`,
  ),
  ...['links.set', 'links.gone'].map(
    (path) => `select json_extract(value, '$.event_id') from json_each(?, '$.${path}')`,
  ),
  ...['media.set', 'media.gone'].map(
    (path) =>
      `select id from posts where image_id in (select json_extract(value, '$.id') from json_each(?, '$.${path}'))`,
  ),
].join(' union ')

const all = (query: string, rows: string) =>
  sql.join(
    query.split('?').flatMap((part, at) => (at === 0 ? [sql.raw(part)] : [sql`${rows}`, sql.raw(part)])),
  )

const currencyOf = prepared((db) => db.select({ currency: site.currency }).from(site).prepare())

/**
 * Writes the rows of a group that another node wrote, and derives what depends on them, in the caller's transaction. References are
 * checked at its end.
 */
export async function applyRows(tx: Queries, rows: string) {
  tx.run(sql`pragma defer_foreign_keys = on`)
  const ids = tx.all<{ id: number }>(all(DEPENDING, rows)).map(({ id }) => id)
  const before = new Map((await postsOf(tx, ids)).map((post) => [post.id, post]))
  writeRows(tx, rows)
  const settings = currencyOf(tx).get()
  const after = await postsOf(tx, ids)
  for (const post of after) {
    await saveDocument(tx, settings!, { post })
    if (post.kind === 'event') saveSearch(tx, post, before.get(post.id))
    before.delete(post.id)
  }
  for (const post of before.values()) if (post.kind === 'event') dropSearch(tx, post)
}

const postsOf = (tx: Queries, ids: number[]): Promise<Post[]> =>
  tx.select().from(posts).where(inArray(posts.id, ids))

/** Deleted rows go first, so that what they had to themselves (a slug, a login) is free for others. */
function writeRows(tx: Queries, rows: string) {
  const of = (name: string, part: string): string | null =>
    tx.get<{ part: string | null }>(
      sql`select nullif(json_extract(${rows}, ${`$.${name}.${part}`}), '[]') as part`,
    ).part
  const run = (query: string, array: string) => void tx.run(all(query, array))
  const present = new Set(
    tx.all<{ key: string }>(sql`select key from json_each(${rows})`).map(({ key }) => key),
  )
  const tables = TABLES.filter(({ name }) => present.has(name))
  for (const { name, remove } of [...tables].reverse()) {
    const gone = of(name, 'gone')
    if (gone) run(remove, gone)
  }
  for (const { name, loosen, upsert } of tables) {
    const set = of(name, 'set')
    if (!set) continue
    if (loosen) run(loosen, set)
    run(upsert, set)
  }
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

const COUNTERS = `select json_group_object(name, seq) as counters from (select name, seq from sqlite_sequence where name in (${TABLES.map(({ name }) => `'${name}'`)}) order by name)`

/** How far IDs were given, as JSON. */
export const countersOf = (tx: Queries): string => tx.get<{ counters: string }>(sql.raw(COUNTERS)).counters
