import { and, eq, sql } from 'drizzle-orm'
import { changes, links, listings, posts, series, terms } from '../../../drizzle/tables.ts'
import { toWall } from '../../rules/time/dates.ts'
import { prepared, type Queries } from '../sqlite/db.ts'

/**
 * What happened to a record. `refresh`: its row is as it was, but others that it shows were written, and so its answer is another.
 * `recount`: the number of events of a term changed. All other words are of a write to the record itself.
 */
export type Operation = (typeof changes.$inferInsert)['operation']

/**
 * What filters look at, as bits: who sees a record, its dates, its flags and parent, its links, its texts. `unseen` says that what everybody
 * sees is as it was: the write was to a hidden record, or to something that the record shows to few.
 */
export const TOUCHED = { sight: 1, dates: 2, traits: 4, links: 8, texts: 16, unseen: 32 } as const
/** All that filters look at. */
export const ALL = 31

/** What decided who saw a record before a write. A term has only a language. */
export type Was = {
  status?: Post['status']
  author?: number
  language: string
  hidden?: boolean
}
type Post = typeof posts.$inferSelect
/** A row of the log: `was` is absent where there was no record before. */
export type Change = {
  kind: string
  id: number
  operation: Operation
  /** Unix milliseconds. */
  now: number
  /** The user who wrote; absent for the service itself. */
  by?: number | undefined
  was?: Was | undefined
  touched?: number
}

/** The time of a row: never back, and later than the last where the clock went back, for what was modified by then is known by its time. */
const at = sql`coalesce((select datetime(at_utc, '+1 second') from changes where seq = (select max(seq) from changes) and at_utc > ${sql.placeholder('at')}), ${sql.placeholder('at')})`

const insertChange = prepared((db) =>
  db
    .insert(changes)
    .values({
      kind: sql.placeholder('kind'),
      record_id: sql.placeholder('id'),
      operation: sql.placeholder('operation'),
      at_utc: at,
      by: sql.placeholder('by'),
      was_status: sql.placeholder('status'),
      was_author: sql.placeholder('author'),
      was_language: sql.placeholder('language'),
      was_hidden: sql.placeholder('hidden'),
      touched: sql.placeholder('touched'),
    })
    .prepare(),
)

/** Notes what happened to a record; to be called in its transaction. */
export async function recordChange(
  tx: Queries,
  { kind, id, operation, now, by = null!, was, touched = ALL }: Change,
) {
  const { status = null, author = null, language = null, hidden = null } = was ?? {}
  const before = { status, author, language, hidden }
  await insertChange(tx).execute({ kind, id, operation, at: toWall(now, 'UTC'), by, touched, ...before })
}

/** Who wrote when, and what of other records it touched. */
export type Refreshing = Pick<Change, 'now' | 'by' | 'touched'>

/** Rows of the log for posts whose own rows are as they were. */
const insertRefreshed = prepared((db) =>
  db
    .insert(changes)
    .select(
      db
        .select({
          seq: sql`null`.as('seq'),
          kind: posts.kind,
          record_id: posts.id,
          operation: sql`'refresh'`.as('operation'),
          at_utc: at.as('at_utc'),
          by: sql`${sql.placeholder('by')}`.as('by'),
          was_status: posts.status,
          was_author: posts.author_id,
          was_language: posts.language,
          was_hidden: sql`coalesce(${listings.hidden}, 0)`.as('was_hidden'),
          // nobody else sees a hidden record, nor what a password protects
          touched:
            sql`${sql.placeholder('touched')} | case when ${posts.status} <> 'publish' or (${sql.placeholder('sealed')} and ${posts.password_hash} is not null) then ${sql.raw(String(TOUCHED.unseen))} else 0 end`.as(
              'touched',
            ),
        })
        .from(posts)
        .leftJoin(listings, eq(listings.event_id, posts.id))
        .where(sql`${posts.id} in (select value from json_each(${sql.placeholder('ids')}))`) as never,
    )
    .prepare(),
)
const insertLinked = prepared((db) =>
  db
    .insert(changes)
    .select(
      db
        .selectDistinct({
          seq: sql`null`.as('seq'),
          kind: sql`'event'`.as('kind'),
          record_id: links.event_id,
          operation: sql`'refresh'`.as('operation'),
          at_utc: at.as('at_utc'),
          by: sql`${sql.placeholder('by')}`.as('by'),
          was_status: listings.status,
          was_author: listings.author_id,
          was_language: listings.language,
          was_hidden: listings.hidden,
          touched:
            sql`${sql.placeholder('touched')} | case when ${listings.status} <> 'publish' or ${listings.protected} then ${sql.raw(String(TOUCHED.unseen))} else 0 end`.as(
              'touched',
            ),
        })
        .from(links)
        .innerJoin(listings, eq(listings.event_id, links.event_id))
        .where(
          and(
            eq(links.kind, sql.placeholder('kind')),
            sql`${links.target_id} in (select value from json_each(${sql.placeholder('targets')}))`,
          ),
        ) as never,
    )
    .prepare(),
)
/** Of series, which are in no list of events: few, and so looked through one by one. */
const insertLinkedSeries = prepared((db) =>
  db
    .insert(changes)
    .select(
      db
        .selectDistinct({
          seq: sql`null`.as('seq'),
          kind: sql`'series'`.as('kind'),
          record_id: posts.id,
          operation: sql`'refresh'`.as('operation'),
          at_utc: at.as('at_utc'),
          by: sql`${sql.placeholder('by')}`.as('by'),
          was_status: posts.status,
          was_author: posts.author_id,
          was_language: posts.language,
          was_hidden: sql`0`.as('was_hidden'),
          touched:
            sql`${sql.placeholder('touched')} | case when ${posts.status} <> 'publish' or ${posts.password_hash} is not null then ${sql.raw(String(TOUCHED.unseen))} else 0 end`.as(
              'touched',
            ),
        })
        .from(series)
        .crossJoin(links)
        .crossJoin(posts)
        .where(
          sql`${posts.id} = ${series.post_id} and ${links.event_id} = ${series.post_id} and ${links.kind} = ${sql.placeholder('kind')} and ${links.target_id} in (select value from json_each(${sql.placeholder('targets')}))`,
        ) as never,
    )
    .prepare(),
)
const insertTerms = prepared((db) =>
  db
    .insert(changes)
    .select(
      db
        .select({
          seq: sql`null`.as('seq'),
          kind: terms.taxonomy,
          record_id: terms.id,
          operation: sql`${sql.placeholder('operation')}`.as('operation'),
          at_utc: at.as('at_utc'),
          by: sql`${sql.placeholder('by')}`.as('by'),
          was_status: sql`null`.as('was_status'),
          was_author: sql`null`.as('was_author'),
          was_language: terms.language,
          was_hidden: sql`null`.as('was_hidden'),
          touched:
            sql`${ALL} | ${sql.placeholder('touched')} | case when ${terms.hidden} then ${sql.raw(String(TOUCHED.unseen))} else 0 end`.as(
              'touched',
            ),
        })
        .from(terms)
        .where(sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`) as never,
    )
    .prepare(),
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
