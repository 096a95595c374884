import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { changes, links, listings, posts, series, terms } from '../../../drizzle/tables.ts'
import { ALL, type Change, ROW_TIME, TOUCHED } from '../../kernel/database/changes.ts'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import { toWall } from '../../kernel/time/dates.ts'

/** Who wrote when, and what of other records it touched. */
export type Refreshing = Pick<Change, 'now' | 'by' | 'touched'>

const NOTHING = sql`null`
type Value = SQL | SQLiteColumn
/** What the rows of the log are made of that a query selects; `unseen` is a condition. A value that is absent is null. */
type Selected = {
  kind: Value
  id: Value
  operation?: SQL
  status?: Value
  author?: Value
  language: Value
  hidden?: Value
  touched?: SQL
  unseen: SQL
}

/** The columns of the log, in the order of its table. */
const columnsOf = ({ kind, id, operation, status, author, language, hidden, touched, unseen }: Selected) => ({
  seq: NOTHING.as('seq'),
  kind: sql`${kind}`.as('kind'),
  record_id: sql`${id}`.as('record_id'),
  operation: (operation ?? sql`'refresh'`).as('operation'),
  at_utc: ROW_TIME.as('at_utc'),
  by: sql`${sql.placeholder('by')}`.as('by'),
  was_status: sql`${status ?? NOTHING}`.as('was_status'),
  was_author: sql`${author ?? NOTHING}`.as('was_author'),
  was_language: sql`${language}`.as('was_language'),
  was_hidden: sql`${hidden ?? NOTHING}`.as('was_hidden'),
  touched:
    sql`${touched ?? sql.placeholder('touched')} | case when ${unseen} then ${sql.raw(String(TOUCHED.unseen))} else 0 end`.as(
      'touched',
    ),
})
const isAmong = (column: SQLiteColumn, name: string) =>
  sql`${column} in (select value from json_each(${sql.placeholder(name)}))`
/** A statement that adds the rows of a query to the log. */
const inserting = (query: (db: Queries) => unknown) =>
  prepared((db) =>
    db
      .insert(changes)
      .select(query(db) as never)
      .prepare(),
  )

/** Posts whose own rows are as they were. Nobody else sees a hidden record, nor what a password protects. */
const insertRefreshed = inserting((db) =>
  db
    .select(
      columnsOf({
        kind: posts.kind,
        id: posts.id,
        language: posts.language,
        status: posts.status,
        author: posts.author_id,
        hidden: sql`coalesce(${listings.hidden}, 0)`,
        unseen: sql`${posts.status} <> 'publish' or (${sql.placeholder('sealed')} and ${posts.password_hash} is not null)`,
      }),
    )
    .from(posts)
    .leftJoin(listings, eq(listings.event_id, posts.id))
    .where(isAmong(posts.id, 'ids')),
)
/** Events that are linked to records. */
const insertLinked = inserting((db) =>
  db
    .selectDistinct(
      columnsOf({
        kind: sql`'event'`,
        id: links.event_id,
        language: listings.language,
        status: listings.status,
        author: listings.author_id,
        hidden: listings.hidden,
        unseen: sql`${listings.status} <> 'publish' or ${listings.protected}`,
      }),
    )
    .from(links)
    .innerJoin(listings, eq(listings.event_id, links.event_id))
    .where(and(eq(links.kind, sql.placeholder('kind')), isAmong(links.target_id, 'targets'))),
)
/** Series that are linked to records. They are in no list of events, and few, so they are looked through one by one. */
const insertLinkedSeries = inserting((db) =>
  db
    .selectDistinct(
      columnsOf({
        kind: sql`'series'`,
        id: posts.id,
        language: posts.language,
        status: posts.status,
        author: posts.author_id,
        hidden: sql`0`,
        unseen: sql`${posts.status} <> 'publish' or ${posts.password_hash} is not null`,
      }),
    )
    .from(series)
    .crossJoin(links)
    .crossJoin(posts)
    .where(
      and(
        sql`${posts.id} = ${series.post_id} and ${links.event_id} = ${series.post_id}`,
        and(eq(links.kind, sql.placeholder('kind')), isAmong(links.target_id, 'targets')),
      ),
    ),
)
/** Terms, of which only the language says who sees them. */
const insertTerms = inserting((db) =>
  db
    .select(
      columnsOf({
        kind: terms.taxonomy,
        id: terms.id,
        language: terms.language,
        operation: sql`${sql.placeholder('operation')}`,
        touched: sql`${ALL} | ${sql.placeholder('touched')}`,
        unseen: sql`${terms.hidden}`,
      }),
    )
    .from(terms)
    .where(isAmong(terms.id, 'ids')),
)
const written = ({ now, by, touched = 0 }: Refreshing) => ({
  at: toWall(now, 'UTC'),
  by: by ?? null,
  touched,
})

/** Notes, in one statement however many there are, that the answers of all events changed that are linked to these records. */
export async function refreshLinked(tx: Queries, kind: string, targets: number[], how: Refreshing) {
  if (targets.length === 0) return
  const values = { kind, targets: JSON.stringify(targets), ...written(how) }
  await insertLinked(tx).execute(values)
  await insertLinkedSeries(tx).execute(values)
}

/** Notes that the answers of these events, venues or organizers changed with others; with `sealed` by what passwords protect. */
export async function refreshPosts(tx: Queries, ids: number[], how: Refreshing, sealed = false) {
  const values = { ids: JSON.stringify(ids), sealed: Number(sealed), ...written(how) }
  if (ids.length > 0) await insertRefreshed(tx).execute(values)
}

/** Notes that the answers of these terms changed with others, or their numbers of events. */
export async function refreshTerms(
  tx: Queries,
  ids: number[],
  operation: 'refresh' | 'recount',
  how: Refreshing,
) {
  if (ids.length > 0) await insertTerms(tx).execute({ ids: JSON.stringify(ids), operation, ...written(how) })
}
