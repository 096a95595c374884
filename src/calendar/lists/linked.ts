import { and, count, desc, eq, gte, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { links, listings, posts } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import { type Caller, canReadAll } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import { readWords } from '../../kernel/text/search.ts'
import type { LinkedKind } from '../records/linked.ts'
import { findById } from '../records/posts.ts'
import { openListings, readableListings, readablePosts } from '../records/visibility.ts'
import { type ById, type Modified, modifiedWithin, openById } from './conditions.ts'
import { charged } from './price.ts'
import type { Spend } from './selections/selection.ts'

export type LinkedFilter = {
  page: number
  per_page: number
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
export function openLinked(db: Db, site: Site, scheduler: Scheduler, kind: LinkedKind | 'series') {
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
  /** Counts, then reads the page: both may look at every record. */
  function* pageOf(
    where: SQL | undefined,
    { page, per_page }: LinkedFilter,
  ): Task<{ total: number; ids: number[] }> {
    const [all] = db.read.select({ total: count() }).from(posts).where(where).all()
    yield
    const rows = db.read
      .select({ id: posts.id })
      .from(posts)
      .where(where)
      .orderBy(desc(posts.date), desc(posts.id))
      .limit(per_page)
      .offset((page - 1) * per_page)
      .all()
    return { total: all!.total, ids: rows.map((row) => row.id) }
  }

  return {
    /** A page of IDs, newest first, and how many match; `spend` is told what that costs. Throws 503 if too many lists are waiting. */
    async list(filter: LinkedFilter, caller: Caller, spend?: Spend) {
      const words = filter.search === undefined ? 0 : readWords(filter.search).length
      return scheduler.run(charged(pageOf(await conditions(filter, caller), filter), spend, words))
    },
    /** The records of a list by ID, of one moment. */
    byId: (filter: OwnFilter, caller: Caller): ById => openById(db, posts, ownConditions(filter, caller)),
  }
}
