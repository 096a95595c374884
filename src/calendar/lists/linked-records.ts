import { and, asc, count, eq, gt, gte, inArray, lt, notInArray, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { links, listings, type media, posts, terms } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import type { OrderBy } from '../../../schemas/term.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Problems } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { finish, type Scheduler, type Task } from '../../kernel/tasks/scheduler.ts'
import { readWords } from '../../kernel/text/search.ts'
import { fold } from '../../kernel/text/text.ts'
import type { Wall } from '../../kernel/time/dates.ts'
import { findById } from '../records/posts.ts'
import { seekTerms, type Taxonomy } from '../records/term-keys.ts'
import type { LinkedKind } from '../records/venues-and-organizers.ts'
import { openListings, readableListings, readablePosts } from '../records/visibility.ts'
import { canReadAll, canWrite } from '../rights.ts'
import { charged, type Paging, type Spend } from './selection.ts'

/** The records of a list by ID. Every call is of one moment. */
type ById = {
  /** Those of these records that are in the list. */
  among(ids: number[]): Set<number>
  /** The first `most` after this ID, by ID. */
  after(id: number, most: number): number[]
}

/** The records that fulfil a condition on their own table. */
function openById(db: Db, table: typeof posts | typeof terms, where: SQL | undefined): ById {
  const read = (condition: SQL, most: number) =>
    db.read
      .select({ id: table.id })
      .from(table as typeof posts)
      .where(and(condition, where))
      .orderBy(asc(table.id))
      .limit(most)
      .all()
      .map(({ id }) => id)
  return {
    among: (ids) =>
      new Set(read(sql`${table.id} in (select value from json_each(${JSON.stringify(ids)}))`, ids.length)),
    after: (id, most) => read(gt(table.id, id), most),
  }
}

/** A page of IDs, and how many records fulfil a condition. It counts, then reads the page: both may look at every record. */
export function* pageOf(
  { read }: Pick<Db, 'read'>,
  table: typeof posts | typeof terms | typeof media,
  { page, per_page }: Paging,
  where: SQL | undefined,
  order: SQL,
): Task<{ total: number; ids: number[] }> {
  const from = table as typeof posts
  const [all] = read.select({ total: count() }).from(from).where(where).all()
  yield
  const rows = read
    .select({ id: table.id })
    .from(from)
    .where(where)
    .orderBy(order)
    .limit(per_page)
    .offset((page - 1) * per_page)
    .all()
  return { total: all!.total, ids: rows.map(({ id }) => id) }
}
const NEWEST = sql`${posts.date} desc, ${posts.id} desc`

/** Limits of the last change in UTC, neither of which is within. */
export type Modified = { after?: Wall | undefined; before?: Wall | undefined }

/** The condition on the column of the last change. */
const modifiedWithin = (column: SQLiteColumn, { after, before }: Modified = {}): SQL | undefined =>
  and(
    after === undefined ? undefined : gt(column, after),
    before === undefined ? undefined : lt(column, before),
  )

export type LinkedFilter = Paging & {
  search?: string
  event?: number
  has_events?: boolean
  only_with_upcoming: boolean
  status?: (Status | 'any')[]
  language?: string
  modified?: Modified | undefined
  /** Only these records, or all but these, by ID. */
  include?: number[] | undefined
  exclude?: number[] | undefined
}

/** The filters that depend on the records themselves. */
export type OwnFilter = Pick<LinkedFilter, 'search' | 'status' | 'language'>

/** A condition: all words, of which there is at least one, occur in one field. The folded text has a field on each line. */
const found = (words: string[]): SQL => {
  // of what a password protects only the name
  const folded = sql`case when ${posts.password_hash} is null then ${posts.folded} else ${posts.folded_title} end`
  const lines = sql`json_each('["' || replace(replace(replace(${folded}, '\\', '\\\\'), '"', '\\"'), char(10), '","') || '"]')`
  return sql`exists (select 1 from ${lines} as line where ${sql.join(
    words.map((word) => sql`instr(line.value, ${word}) > 0`),
    sql` and `,
  )})`
}

/** A condition: linked to an event whose row in `listings` fulfils `condition`. */
const withEvent = (kind: LinkedKind | 'series', condition: SQL | undefined): SQL =>
  sql`exists (select 1 from ${links} cross join ${listings} on ${listings.event_id} = ${links.event_id} where ${links.kind} = ${kind} and ${links.target_id} = ${posts.id} and ${condition})`

/** Lists of venues, organizers or series, which differ only in their own columns. */
export function openLinkedLists(db: Db, site: Site, scheduler: Scheduler, kind: LinkedKind | 'series') {
  /** The conditions that depend on the records themselves. */
  const ownConditions = (filter: OwnFilter, caller: Caller): SQL | undefined =>
    and(
      eq(posts.kind, kind),
      readablePosts(caller, filter.status),
      filter.search === undefined ? undefined : found(readWords(filter.search)),
      filter.language === undefined ? undefined : eq(posts.language, filter.language),
    )
  async function conditions(filter: LinkedFilter, caller: Caller): Promise<SQL | undefined> {
    const upcoming = filter.only_with_upcoming ? Math.floor(site.clock() / 1000) : undefined
    const named = filter.event === undefined ? undefined : await findById(db.read, 'event', filter.event)
    const published = withEvent(kind, and(eq(listings.status, 'publish'), openListings(caller)))
    return and(
      ownConditions(filter, caller),
      modifiedWithin(posts.modified_utc, filter.modified),
      filter.include && inArray(posts.id, filter.include),
      filter.exclude && notInArray(posts.id, filter.exclude),
      named && (canReadAll(caller, named) ? withEvent(kind, eq(listings.event_id, named.id)) : sql`false`),
      filter.has_events === undefined ? undefined : filter.has_events ? published : sql`not ${published}`,
      upcoming === undefined
        ? undefined
        : withEvent(
            kind,
            and(gte(listings.utc_starts, upcoming), readableListings(caller), openListings(caller)),
          ),
    )
  }

  return {
    /** A page of IDs, newest first, and how many match; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    async list(filter: LinkedFilter, caller: Caller, spend?: Spend) {
      const words = filter.search === undefined ? 0 : readWords(filter.search).length
      return scheduler.run(
        charged(pageOf(db, posts, filter, await conditions(filter, caller), NEWEST), spend, words),
      )
    },
    /** The records of a list by ID, of one moment. */
    byId: (filter: OwnFilter, caller: Caller): ById => openById(db, posts, ownConditions(filter, caller)),
  }
}

export type TermFilter = Paging & {
  search?: string
  exclude?: number[]
  include?: number[]
  order: 'asc' | 'desc'
  orderby: OrderBy
  hide_empty: boolean
  parent?: number
  event?: number
  slug?: string
  language?: string
  modified?: Modified | undefined
}

/** The filters that depend on the terms themselves. */
export type OwnTermFilter = Pick<
  TermFilter,
  'search' | 'exclude' | 'include' | 'hide_empty' | 'parent' | 'slug' | 'language'
>

/** The order of a list; equal entries are ordered by name and ID. */
function orderOf(filter: TermFilter): SQL {
  const column = {
    name: terms.folded_name,
    slug: terms.slug,
    id: terms.id,
    count: terms.count,
    description: terms.description,
    include: sql`(select key from json_each(${JSON.stringify(filter.include ?? [])}) where value = ${terms.id})`,
    term_group: terms.id,
    parent: terms.parent_id,
  }[filter.orderby]
  const direction = sql.raw(filter.order)
  return sql`${column} ${direction}, ${terms.folded_name} ${direction}, ${terms.id} ${direction}`
}

/** The conditions of a list. */
const conditionsOf = (
  taxonomy: Taxonomy,
  filter: OwnTermFilter & { event?: number; modified?: Modified },
  caller: Caller,
): SQL | undefined =>
  and(
    eq(terms.taxonomy, taxonomy),
    canWrite(caller) ? undefined : eq(terms.hidden, false),
    filter.search === undefined
      ? undefined
      : sql`(instr(${terms.folded_name}, ${fold(filter.search)}) > 0 or instr(${terms.slug}, ${filter.search.toLowerCase()}) > 0)`,
    filter.include && inArray(terms.id, filter.include),
    filter.exclude && notInArray(terms.id, filter.exclude),
    filter.hide_empty && !filter.include && filter.event === undefined ? gt(terms.count, 0) : undefined,
    filter.parent === undefined ? undefined : eq(terms.parent_id, filter.parent),
    filter.slug === undefined
      ? undefined
      : inArray(terms.slug, [filter.slug.toLowerCase(), encodeURIComponent(filter.slug).toLowerCase()]),
    filter.language === undefined ? undefined : eq(terms.language, filter.language),
    modifiedWithin(terms.modified_utc, filter.modified),
    filter.event === undefined
      ? undefined
      : sql`exists (select 1 from ${links} where ${links.kind} = ${taxonomy} and ${links.target_id} = ${terms.id} and ${links.event_id} = ${filter.event})`,
  )

/** Lists of categories or of tags. */
export const openTermLists = (db: Db, taxonomy: Taxonomy) => ({
  /** Problems with the IDs in the filters of a list. */
  async check(filter: OwnTermFilter, caller: Caller): Promise<Problems> {
    const problems: Problems = {}
    const named = {
      include: filter.include,
      exclude: filter.exclude,
      parent: filter.parent ? [filter.parent] : undefined,
    }
    for (const [name, ids] of Object.entries(named)) {
      const found = await seekTerms(db.read, taxonomy, ids ?? [], caller)
      const at = found.indexOf(undefined)
      if (at >= 0) problems[name] = `There is no ${taxonomy} with ID ${ids![at]}.`
    }
    return problems
  },
  /** A page of IDs, and the total. */
  async list(filter: TermFilter, caller: Caller) {
    return finish(pageOf(db, terms, filter, conditionsOf(taxonomy, filter, caller), orderOf(filter)))
  },
  /** The terms of a list by ID, of one moment. */
  byId: (filter: OwnTermFilter, caller: Caller): ById =>
    openById(db, terms, conditionsOf(taxonomy, filter, caller)),
})
