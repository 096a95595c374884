import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import {
  documents,
  events,
  links,
  listings,
  occurrences,
  posts,
  series,
  terms,
} from '../../../drizzle/tables.ts'
import { EVERYTHING, recordChange } from '../../kernel/database/changes.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import type { Site } from '../../kernel/site.ts'
import { fold } from '../../kernel/text/text.ts'
import { unpackedDocument } from '../formats/packed.ts'
import type { EventRow, OccurrenceRow, Post, SeriesRow } from '../formats/records.ts'
import { deriveListing, foldAll, renderDocument, saveDocument, searched } from '../records/derived.ts'
import { postRows, selectWhole, toRefs } from '../records/rows.ts'
import { dueOf, recurrenceOf } from '../records/series/dates.ts'
import { spanOf } from '../records/series/overrides.ts'
import { nextAfter } from '../recurrence/expansion.ts'
import { occurrenceOf } from '../recurrence/recurrence.ts'
import { rebuildSearch } from '../search/indexing.ts'
import { timesOf } from '../span.ts'

/** Kinds that only a backup of the database corrects, because the data can not be derived. */
export const LASTING = ['integrity', 'reference', 'record'] as const
/** Kinds of differences, worst first. `copy`: a row of a node's copy that PostgreSQL has otherwise; `picture`: an image without files; `time`: times in UTC that the zone of an event does not give any more; `file`: a file without an image. */
export const KINDS = [
  ...LASTING,
  'copy',
  'picture',
  'time',
  'link',
  'search',
  'document',
  'listing',
  'count',
  'file',
] as const
type Kind = (typeof KINDS)[number]
/**
 * `what` describes the difference. `id` is the ID of its record, or of the note about its files, or 0 for the whole database or
 * folder.
 */
export type Difference = { kind: Kind; id: number; what: string }
/** A batch of records and their differences. */
export type Found = { ids: number[]; differences: Difference[] }

/** What helps if a database is damaged. */
export const remedy = ({ replica }: Pick<Db, 'replica'>) =>
  replica
    ? 'the copy of this node is damaged; stop its service, delete the file REPLICA, and start it: the copy is taken anew'
    : 'the database is damaged; restore a backup'

/** Records that are checked, and held in memory, at the same time. */
export const BATCH = 200

/** Compares the derived data of the next posts after one ID, and up to another, with its sources. */
export async function nextPosts(
  db: Queries,
  site: Site,
  after: number,
  until = Number.MAX_SAFE_INTEGER,
): Promise<Found> {
  const rows = await selectWhole(db, { post: posts, pattern, document: documents, listing: listings })
    .leftJoin(pattern, isPattern)
    .leftJoin(documents, eq(documents.post_id, posts.id))
    .leftJoin(listings, eq(listings.event_id, posts.id))
    .where(and(gt(posts.id, after), lte(posts.id, until)))
    .orderBy(asc(posts.id))
    .limit(BATCH)
  const ids = rows.map(({ post }) => post.id)
  const differences: Difference[] = []
  const dangling = await danglingLinks(db, ids)
  const linked = await linkedRecords(db, ids)
  for (const { document, listing, pattern, ...own } of rows) {
    const { post, event, series, occurrence, venue, organizer } = own
    const { id, title } = post
    const note = (kind: Kind, what: string) =>
      differences.push({ kind, id, what: `${post.kind} ${id} ${what}` })
    const row = { event, series: event && series, venue, organizer }[post.kind]
    if (!row) {
      note('record', 'has lost its fields')
      continue
    }
    for (const link of dangling.get(id) ?? [])
      note('link', `is linked to ${link.kind} ${link.target_id}, which does not exist`)
    if (event && !hasTimes({ post, event, series, occurrence, pattern }))
      note('time', `has other times than ${event.timezone} gives`)
    const texts = searched[post.kind](post, row as never)
    if (isOther(foldAll(title, texts), post)) note('search', 'is searched by other texts than it has')
    const stored = document && unpackedDocument(document)
    const rendered = renderDocument(own, toRefs(linked.get(id) ?? []), site)
    const members = Object.keys(rendered) as (keyof typeof rendered)[]
    const differing = members.filter((name) => !isDeepStrictEqual(rendered[name], stored?.[name]))
    if (!document) note('document', 'has no document')
    else if (differing.length > 0) note('document', `has another document (${differing.join(', ')})`)
    const derived = post.kind === 'event' ? deriveListing(post, event!) : null
    if (!isDeepStrictEqual(derived, listing)) note('listing', 'stands wrong in lists')
  }
  return { ids, differences }
}

type Folded = ReturnType<typeof foldAll>
const isOther = (a: Folded, b: Folded) => a.folded !== b.folded || a.folded_title !== b.folded_title

/** The records and terms that events are linked to, in order. */
async function linkedRecords(db: Queries, ids: number[]) {
  const rows = await db
    .select({ event_id: links.event_id, kind: links.kind, id: links.target_id })
    .from(links)
    .where(inArray(links.event_id, ids))
    .orderBy(links.position)
  return byEvent(rows)
}

/** Links to records that do not exist or are of another kind. */
async function danglingLinks(db: Queries, ids: number[]) {
  const exists = sql`case when ${links.kind} in ('category', 'tag')
    then exists (select 1 from ${terms} where ${terms.id} = ${links.target_id} and ${terms.taxonomy} = ${links.kind})
    else exists (select 1 from ${posts} where ${posts.id} = ${links.target_id} and ${posts.kind} = ${links.kind}) end`
  const rows = await db
    .select()
    .from(links)
    .where(and(inArray(links.event_id, ids), sql`not ${exists}`))
  return byEvent(rows)
}

function byEvent<T extends { event_id: number }>(rows: T[]): Map<number, T[]> {
  const found = new Map<number, T[]>()
  for (const row of rows) found.set(row.event_id, [...(found.get(row.event_id) ?? []), row])
  return found
}

/** Recreates the derived data of the posts that differ, from their current rows. */
export async function mendPosts(tx: Queries, site: Site, differences: Difference[]) {
  const differing = [...new Set(differences.filter(({ kind }) => kind !== 'record').map(({ id }) => id))]
  const rows = await selectWhole(tx, { post: posts, pattern })
    .leftJoin(pattern, isPattern)
    .where(inArray(posts.id, differing))
  for (const link of [...(await danglingLinks(tx, differing)).values()].flat())
    await tx
      .delete(links)
      .where(
        and(
          eq(links.event_id, link.event_id),
          eq(links.kind, link.kind),
          eq(links.target_id, link.target_id),
        ),
      )
  for (const { post, event, venue, organizer, ...own } of rows) {
    const { id, kind, title } = post
    const texts = searched[kind](post, (venue ?? organizer) as never)
    const folded = foldAll(title, texts)
    await tx.update(posts).set(folded).where(eq(posts.id, id))
    if (event) await mendTimes(tx, { post, event, ...own })
    await saveDocument(tx, site, { post })
    if (kind === 'event' && isOther(folded, post)) rebuildSearch(tx, post)
    if (kind !== 'event') await postRows.listing.drop(tx, id)
    await recordChange(tx, { kind, id, operation: 'update', now: site.clock() })
  }
  await recordChange(tx, { kind: EVERYTHING, id: 0, operation: 'update', now: site.clock() })
}

async function mendTimes(tx: Queries, own: Dated) {
  const { id } = own.post
  await tx.update(events).set(timesBy(own)).where(eq(events.post_id, id))
  if (own.series)
    await tx
      .update(series)
      .set({ next_utc: nextBy({ ...own, series: own.series }) })
      .where(eq(series.post_id, id))
}

/** Recreates what is derived from the rows of posts that differ, and leaves these as they are. */
export async function derivePosts(tx: Queries, site: Site, differences: Difference[]) {
  const ids = differences.filter(({ kind }) => kind !== 'record').map(({ id }) => id)
  for (const post of await tx.select().from(posts).where(inArray(posts.id, ids))) {
    await saveDocument(tx, site, { post })
    if (post.kind !== 'event') await postRows.listing.drop(tx, post.id)
  }
}

/** The number of published events of a term, as every write keeps it. */
const counted = sql<number>`(select count(*) from links join posts on posts.id = links.event_id
  where links.kind = terms.taxonomy and links.target_id = terms.id and posts.status = 'publish' and posts.kind = 'event')`

/** Compares the next terms after this ID with the events that have them. */
export async function nextTerms(db: Queries, after: number): Promise<Found> {
  const rows = await db
    .select({
      id: terms.id,
      taxonomy: terms.taxonomy,
      name: terms.name,
      folded_name: terms.folded_name,
      count: terms.count,
      right: counted,
    })
    .from(terms)
    .where(gt(terms.id, after))
    .orderBy(asc(terms.id))
    .limit(BATCH)
  const differences: Difference[] = []
  for (const { id, taxonomy, name, folded_name, count, right } of rows) {
    const note = (kind: Kind, what: string) =>
      differences.push({ kind, id, what: `${taxonomy} ${id} ${what}` })
    if (count !== right) note('count', `counts ${count} events and has ${right}`)
    if (fold(name) !== folded_name) note('search', 'is found by another name than it has')
  }
  return { ids: rows.map(({ id }) => id), differences }
}

/** Recreates the derived data of the terms that differ. */
export async function mendTerms(tx: Queries, { clock }: Site, differences: Difference[]) {
  const ids = differences.map(({ id }) => id)
  for (const { id, taxonomy, name, language } of await tx
    .select()
    .from(terms)
    .where(inArray(terms.id, ids))) {
    await tx
      .update(terms)
      .set({ count: counted, folded_name: fold(name) })
      .where(eq(terms.id, id))
    await recordChange(tx, { kind: taxonomy, id, operation: 'update', now: clock(), was: { language } })
  }
}

/** The series of a date of one, as it is in `events`. */
const pattern = alias(events, 'pattern')
/** Joins it to the occurrence of a post. */
const isPattern = eq(pattern.post_id, occurrences.series_id)

/** An event or a series as it is stored, and for a date of a series its series. */
type Dated = {
  post: Post
  event: EventRow
  series: SeriesRow | null
  occurrence: OccurrenceRow | null
  pattern: EventRow | null
}

/**
 * The columns of `events` that say when an event takes place, by the clocks of its zone as they are known now. A date of a series
 * keeps to its rule, also if a gap of the clocks had moved it that is none by now; a series keeps its local times, which its rule counts from.
 */
function timesBy({ post, event, occurrence, pattern }: Dated): Partial<EventRow> {
  if (post.kind === 'series') {
    const { utc_start_date, utc_end_date } = timesOf(event)
    return { utc_start_date, utc_end_date }
  }
  const isRuled = occurrence && pattern && post.status !== 'trash'
  if (!isRuled || occurrence.overrides.includes('start_date')) return timesOf(event)
  return spanOf({ event: pattern }, occurrence.recurrence_id, event, occurrence.overrides)
}

/** When the next date of a series begins, in UTC; null if it is not waited for. */
function nextBy({ event, series }: { event: EventRow; series: SeriesRow }): string | null {
  if (series.next_utc === null) return null
  const recurrence = recurrenceOf(series, event)
  const next = nextAfter(recurrence, series.until)
  return next === undefined ? null : dueOf(series, occurrenceOf(recurrence, next).utc)
}

/** Whether an event or a series has the times that its zone gives: an edition of the tz database may move its clocks. */
const hasTimes = (own: Dated): boolean =>
  Object.entries(timesBy(own)).every(([name, time]) => own.event[name as keyof EventRow] === time) &&
  (own.series === null || nextBy({ ...own, series: own.series }) === own.series.next_utc)
