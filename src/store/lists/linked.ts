import { and, count, desc, eq, gte, ne, type SQL, sql } from 'drizzle-orm'
import { links, listings, posts } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import type { Post } from '../../formats/v1.ts'
import { type Caller, canRead, canReadAll } from '../../rules/roles.ts'
import { fold } from '../../rules/text.ts'
import { readWords } from '../../rules/words.ts'
import { findById, visible } from '../records/posts.ts'
import type { Write } from '../records/write.ts'
import type { Site } from '../site.ts'
import type { Db } from '../sqlite/db.ts'
import { openTo, readable } from './listings.ts'
import type { Slices, Steps } from './slices.ts'

/** The kinds of records that events are linked to. */
export type LinkedKind = 'venue' | 'organizer'

export type LinkedFilter = {
  page: number
  per_page: number
  search?: string
  event?: number
  has_events?: boolean
  only_with_upcoming: boolean
  status?: (Status | 'any')[]
  language?: string
}

/** Every word within one field; the folded text has a field on each line. */
const found = (words: string[]): SQL | undefined => {
  if (words.length === 0) return undefined
  const lines = sql`json_each('["' || replace(replace(replace(${posts.folded}, '\\', '\\\\'), '"', '\\"'), char(10), '","') || '"]')`
  return sql`exists (select 1 from ${lines} as line where ${sql.join(
    words.map((word) => sql`instr(line.value, ${word}) > 0`),
    sql` and `,
  )})`
}

/** Linked to an event whose row of `listings` fulfils `condition`. */
const withEvent = (kind: LinkedKind, condition: SQL | undefined): SQL =>
  sql`exists (select 1 from ${links} cross join ${listings} on ${listings.event_id} = ${links.event_id} where ${links.kind} = ${kind} and ${links.target_id} = ${posts.id} and ${condition})`

/** Lists of venues or organizers: the two differ only in their own columns. */
export function openLinked(db: Db, site: Site, slices: Slices, kind: LinkedKind) {
  const seenBy = (caller: Caller, filter: LinkedFilter) => visible(caller, filter.status)

  async function conditions(filter: LinkedFilter, caller: Caller): Promise<SQL | undefined> {
    const upcoming = filter.only_with_upcoming ? Math.floor(site.clock() / 1000) : undefined
    const named = filter.event === undefined ? undefined : await findById(db.read, 'event', filter.event)
    const published = withEvent(kind, and(eq(listings.status, 'publish'), openTo(caller)))
    return and(
      eq(posts.kind, kind),
      seenBy(caller, filter),
      filter.search === undefined ? undefined : found(readWords(filter.search)),
      filter.language === undefined ? undefined : eq(posts.language, filter.language),
      named && (canReadAll(caller, named) ? withEvent(kind, eq(listings.event_id, named.id)) : sql`false`),
      filter.has_events === undefined ? undefined : filter.has_events ? published : sql`not ${published}`,
      upcoming === undefined
        ? undefined
        : withEvent(kind, and(gte(listings.utc_starts, upcoming), readable(caller), openTo(caller))),
    )
  }
  /** Counts, then reads the page: both may look at every record. */
  function* pageOf(
    where: SQL | undefined,
    { page, per_page }: LinkedFilter,
  ): Steps<{ total: number; ids: number[] }> {
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
    /** A page of IDs, newest first, and how many match. Throws 503 where too many lists wait to be made. */
    async list(filter: LinkedFilter, caller: Caller) {
      return slices.run(pageOf(await conditions(filter, caller), filter))
    },
  }
}

/** Records of this name (without case and accents) that the caller may read and that are not in the trash, oldest first (D31). */
export async function namesakes(w: Write, kind: LinkedKind, name: string): Promise<Post[]> {
  const same = and(eq(posts.kind, kind), eq(posts.folded_title, fold(name)), ne(posts.status, 'trash'))
  const rows = await w.tx.select().from(posts).where(same).orderBy(posts.id)
  return rows.filter((post) => canRead(w.caller, post))
}

/** Whether what was sent says the same as what is stored: only then is a record of the same name meant (D31). */
export function agrees(
  w: Write,
  sent: Record<string, unknown>,
  post: Post,
  stored: Record<string, unknown>,
): boolean {
  const texts: Record<string, unknown> = { ...stored, description: post.description, image: post.image_id }
  return Object.entries(sent).every(([name, value]) => {
    if (!(name in texts) || value === undefined || value === null) return true
    if (name === 'image') return imageId(w, value as { id: number } | { url: string }) === post.image_id
    return typeof value === 'string' ? fold(value) === fold(String(texts[name])) : value === texts[name]
  })
}
const imageId = (w: Write, image: { id: number } | { url: string }) =>
  'id' in image ? image.id : w.pictures.get(image.url)
