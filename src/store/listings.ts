import { isDeepStrictEqual } from 'node:util'
import { and, eq, getTableColumns, inArray, ne, or, type SQL, sql } from 'drizzle-orm'
import {
  events,
  listed_links,
  listings,
  type Move,
  type Place,
  posts,
  type Refs,
} from '../../drizzle/tables.ts'
import type { Status } from '../../schemas/common.ts'
import { dayOf } from '../dates.ts'
import { type Caller, canReadOthers, canWrite } from '../roles.ts'
import { prepared, type Queries } from './db.ts'
import { type LinkKind, linksOf } from './links.ts'

export const LINK_KINDS = ['venue', 'organizer', 'category', 'tag'] as const satisfies readonly LinkKind[]

type Listing = typeof listings.$inferSelect
type ListedLink = typeof listed_links.$inferSelect

const eventRow = prepared((db) =>
  db
    .select({
      event_id: posts.id,
      status: posts.status,
      author_id: posts.author_id,
      language: posts.language,
      parent_id: posts.parent_id,
      hidden: events.hide_from_listings,
      start_date: events.start_date,
      end_date: events.end_date,
      utc_start_date: events.utc_start_date,
      utc_end_date: events.utc_end_date,
      featured: events.featured,
      ticketed: events.ticketed,
    })
    .from(posts)
    .innerJoin(events, eq(events.post_id, posts.id))
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)
const listingRow = prepared((db) =>
  db
    .select()
    .from(listings)
    .where(eq(listings.event_id, sql.placeholder('id')))
    .prepare(),
)
const listedLinks = prepared((db) =>
  db
    .select({ kind: listed_links.kind, target_id: listed_links.target_id })
    .from(listed_links)
    .where(eq(listed_links.event_id, sql.placeholder('id')))
    .prepare(),
)
const deleteLinks = prepared((db) =>
  db
    .delete(listed_links)
    .where(eq(listed_links.event_id, sql.placeholder('id')))
    .prepare(),
)
const deleteListing = prepared((db) =>
  db
    .delete(listings)
    .where(eq(listings.event_id, sql.placeholder('id')))
    .prepare(),
)
const insertLink = prepared((db) =>
  db
    .insert(listed_links)
    .values(
      Object.fromEntries(
        Object.keys(getTableColumns(listed_links)).map((name) => [name, sql.placeholder(name)]),
      ) as never,
    )
    .prepare(),
)
const columns = Object.keys(getTableColumns(listings))
const insertListing = prepared((db) =>
  db
    .insert(listings)
    .values(Object.fromEntries(columns.map((name) => [name, sql.placeholder(name)])) as never)
    .prepare(),
)

/** The place of an event in the lists of everyone; undefined where it has none. */
async function placeOf(tx: Queries, id: number): Promise<Place | undefined> {
  const [row] = await listingRow(tx).execute({ id })
  return row?.listed ? toPlace(row, await listedLinks(tx).execute({ id })) : undefined
}

function toPlace(row: Listing, targets: Pick<ListedLink, 'kind' | 'target_id'>[]): Place {
  const links: Refs = { category: [], tag: [], venue: [], organizer: [] }
  for (const { kind, target_id } of targets) links[kind].push(target_id)
  const { start_day: day, days, language, featured, ticketed } = row
  return { day, days, language, featured, ticketed, links }
}

/** Takes an event out of all lists, before it goes for good; gives how its place moved. */
export async function dropListing(tx: Queries, id: number): Promise<Move | null> {
  const from = await placeOf(tx, id)
  await deleteLinks(tx).execute({ id })
  await deleteListing(tx).execute({ id })
  return from ? { from } : null
}

/** What the listing of an event has to be, and its links in the lists of everyone. */
export async function deriveListing(
  tx: Queries,
  id: number,
): Promise<{ listing: Listing; links: ListedLink[] }> {
  const [row] = await eventRow(tx).execute({ id })
  const { start_date, end_date, language, hidden, status } = row!
  const listed = status === 'publish' && !hidden
  const start_day = dayOf(start_date)
  const days = dayOf(end_date) - start_day
  const listing = { ...row!, listed, start_day, days }
  if (!listed) return { listing, links: [] }
  const refs = await linksOf(tx, id)
  const place = { event_id: id, start_day, start_date, days, language }
  return {
    listing,
    links: LINK_KINDS.flatMap((kind) => refs[kind].map((target_id) => ({ ...place, kind, target_id }))),
  }
}

/** Derives the rows that lists of events are made from, after a write to the event or its links; gives how its place moved. */
export async function saveListing(tx: Queries, id: number): Promise<Move | null> {
  const left = await dropListing(tx, id)
  const { listing, links } = await deriveListing(tx, id)
  await insertListing(tx).execute(listing)
  for (const link of links) await insertLink(tx).execute(link)
  if (!listing.listed) return left
  const to = toPlace(listing, links)
  return isDeepStrictEqual(left?.from, to) ? null : { ...left, to }
}

/** Events of these statuses that the caller may read one by one (D8, D36); without statuses the default ones. */
export function readable(
  caller: Caller,
  { status, include }: { status?: (Status | 'any')[]; include?: number[] },
): SQL | undefined {
  const hidden = include ? undefined : eq(listings.hidden, false)
  if (!canWrite(caller)) return include ? eq(listings.status, 'publish') : eq(listings.listed, true)
  const all = status === undefined || status.includes('any')
  const wanted = all ? ne(listings.status, 'trash') : inArray(listings.status, status as Status[])
  if (canReadOthers(caller)) return and(wanted, hidden)
  return and(wanted, hidden, or(eq(listings.status, 'publish'), eq(listings.author_id, caller!.id)))
}
