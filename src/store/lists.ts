import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { links, listings, posts, terms, venues } from '../../drizzle/tables.ts'
import type { Status } from '../../schemas/common.ts'
import { dayOf, endOfDay, startOfDay } from '../dates.ts'
import type { Problems } from '../errors.ts'
import { type Caller, canRead, canReadOthers, canWrite } from '../roles.ts'
import { readSearch } from '../search.ts'
import type { Changes } from './changes.ts'
import type { Db, Queries } from './db.ts'
import { LINK_KINDS, readable } from './listings.ts'
import { findById, visible } from './posts.ts'
import { type Days, openScopes, type Scope } from './scopes.ts'
import { found, isIndexed } from './search.ts'
import { resolveTerms } from './term-keys.ts'

/** What an event's start or end is compared with: a wall clock with the event's own, or an instant (in UTC) with its instants. */
export type Bound = { side: 'start' | 'end'; than: '>=' | '<=' | '<' | '>'; value: string; utc: boolean }

export type EventFilter = {
  page: number
  per_page: number
  bounds: Bound[]
  search?: string
  /** Slugs, names or IDs. */
  categories?: string[]
  tags?: string[]
  venue?: number[]
  organizer?: number[]
  featured?: boolean
  status?: (Status | 'any')[]
  geoloc?: boolean
  /** Degrees, and kilometres. */
  near?: { lat: number; lng: number; radius: number }
  include?: number[]
  post_parent?: number
  ticketed?: boolean
  language?: string
}

const COLUMNS = {
  start: { wall: listings.start_date, utc: listings.utc_start_date },
  end: { wall: listings.end_date, utc: listings.utc_end_date },
}
const compare = ({ side, than, value, utc }: Bound) =>
  sql`${COLUMNS[side][utc ? 'utc' : 'wall']} ${sql.raw(than)} ${value}`

/** The whole days that bounds stand for, where they stand for whole days. */
function daysOf(bounds: Bound[]): Days | undefined {
  const days: Partial<Days> = {}
  for (const { side, than, value, utc } of bounds) {
    if (!utc && side === 'start' && than === '>=' && value === startOfDay(value)) days.from = dayOf(value)
    else if (!utc && side === 'end' && than === '<=' && value === endOfDay(value)) days.to = dayOf(value)
  }
  const { from, to } = days
  return bounds.length === 2 && from !== undefined && to !== undefined ? { from, to } : undefined
}

/** Venues that fulfil `condition` and that the caller may see: where others lie is not to be found out. */
const venuesWith = (caller: Caller, condition: SQL) =>
  sql`(select ${venues.post_id} from ${venues} join ${posts} on ${posts.id} = ${venues.post_id} where ${condition} and ${visible(caller, undefined)})`

/** Has a venue with coordinates. */
const located = (caller: Caller) =>
  sql`exists (select 1 from ${links} where ${links.event_id} = ${listings.event_id} and ${links.kind} = 'venue' and +${links.target_id} in ${venuesWith(caller, sql`${venues.geo_lat} is not null and ${venues.geo_lng} is not null`)})`

const EARTH_KM = 6371.0088
const KM_PER_DEGREE = 111.2

/** Within a distance on the sphere: a band of latitudes first, then the exact distance (D18). */
function within({ lat, lng, radius }: { lat: number; lng: number; radius: number }): SQL {
  const half = (degrees: SQL) => sql`pow(sin(radians(${degrees}) / 2), 2)`
  const haversine = sql`${half(sql`${venues.geo_lat} - ${lat}`)} + cos(radians(${lat})) * cos(radians(${venues.geo_lat})) * ${half(sql`${venues.geo_lng} - ${lng}`)}`
  const band = radius / KM_PER_DEGREE
  return sql`${venues.geo_lat} between ${lat - band} and ${lat + band} and 2 * ${EARTH_KM} * asin(min(1, sqrt(${haversine}))) <= ${radius}`
}

/** What a password protects is not found out by searching either (D29): of others' protected events only the title counts. */
const searchable = (caller: Caller) =>
  canReadOthers(caller)
    ? sql`${posts.folded}`
    : sql`iif(${posts.password_hash} is null or ${posts.author_id} = ${caller?.id ?? 0}, ${posts.folded}, ${posts.folded_title})`

/** Events in which all that is wanted occurs and nothing that is not: by the index where it can tell, else by looking into each text. */
function searchIn(search: string, caller: Caller): SQL | undefined {
  const { wanted, unwanted } = readSearch(search)
  // the index holds what everyone may find
  const inIndex = canWrite(caller) ? () => false : (word: string) => isIndexed([word])
  const indexed = wanted.filter(inIndex)
  const excluded = unwanted.filter(inIndex)
  const tests = [
    ...wanted.filter((word) => !inIndex(word)).map((word) => sql`instr(${searchable(caller)}, ${word}) > 0`),
    ...unwanted
      .filter((word) => !inIndex(word))
      .map((word) => sql`instr(${searchable(caller)}, ${word}) = 0`),
  ]
  return and(
    indexed.length > 0 ? sql`${listings.event_id} in ${found(indexed)}` : undefined,
    ...excluded.map((word) => sql`${listings.event_id} not in ${found([word])}`),
    tests.length > 0
      ? sql`exists (select 1 from ${posts} where ${posts.id} = ${listings.event_id} and ${and(...tests)})`
      : undefined,
  )
}

/** The terms and everything below them. */
async function withDescendants(db: Queries, ids: number[]): Promise<number[]> {
  const all = new Set(ids)
  for (let level = ids; level.length > 0; ) {
    const children = await db.select({ id: terms.id }).from(terms).where(inArray(terms.parent_id, level))
    level = children.map((child) => child.id).filter((id) => !all.has(id))
    for (const id of level) all.add(id)
  }
  return [...all]
}

/** A list's filter with the records that it names found: those that the caller may not read match nothing. */
type Resolved = { links: Scope['links']; parent?: number | 'none' }

/** Lists of events: those that everyone sees, by whole days and links, from counts in memory; all others by search in the tables. */
export function openLists(db: Db, changes: Changes) {
  const scopes = openScopes(db, changes)

  async function terms(
    taxonomy: 'category' | 'tag',
    keys: string[] | undefined,
  ): Promise<{ ids?: number[]; problem?: string }> {
    if (!keys) return {}
    const found = await resolveTerms(db.read, taxonomy, keys)
    const at = found.indexOf(undefined)
    if (at >= 0) return { problem: `There is no ${taxonomy} "${keys[at]}".` }
    const ids = found.map((term) => term!.id)
    return { ids: taxonomy === 'category' ? await withDescendants(db.read, ids) : ids }
  }

  async function records(
    kind: 'venue' | 'organizer',
    ids: number[] | undefined,
    caller: Caller,
  ): Promise<{ ids?: number[]; problem?: string }> {
    if (!ids) return {}
    const found: number[] = []
    for (const id of ids) {
      const post = await findById(db.read, kind, id)
      if (!post) return { problem: `There is no ${kind} with ID ${id}.` }
      if (canRead(caller, post)) found.push(id)
    }
    return { ids: found }
  }

  async function nearby(place: NonNullable<EventFilter['near']>, caller: Caller): Promise<number[]> {
    const rows = await db.read.values<[number]>(
      sql`select post_id from ${venuesWith(caller, within(place))} order by 1`,
    )
    return rows.map(([id]) => id)
  }

  /** Finds what the filter names; every name that means nothing is a problem. */
  async function resolve(filter: EventFilter, caller: Caller): Promise<Resolved & { problems: Problems }> {
    const found = {
      categories: await terms('category', filter.categories),
      tags: await terms('tag', filter.tags),
      venue: await records('venue', filter.venue, caller),
      organizer: await records('organizer', filter.organizer, caller),
    }
    const problems: Problems = {}
    for (const [name, { problem }] of Object.entries(found)) if (problem) problems[name] = problem
    const { categories, tags, venue, organizer } = found
    const links: Scope['links'] = Object.fromEntries(
      Object.entries({ category: categories.ids, tag: tags.ids, venue: venue.ids, organizer: organizer.ids })
        .filter(([, ids]) => ids !== undefined)
        .map(([kind, ids]) => [kind, [...new Set(ids)].sort((a, b) => a - b)]),
    )
    if (filter.near) {
      const near = await nearby(filter.near, caller)
      links.venue = links.venue?.filter((id) => near.includes(id)) ?? near
    }
    if (filter.post_parent === undefined) return { problems, links }
    const parent = await findById(db.read, 'event', filter.post_parent)
    if (!parent) problems.post_parent = `There is no event with ID ${filter.post_parent}.`
    return { problems, links, parent: parent && canRead(caller, parent) ? parent.id : 'none' }
  }

  function conditions(
    filter: EventFilter,
    { links: wanted, parent }: Resolved,
    caller: Caller,
  ): SQL | undefined {
    const { geoloc, language, include, search, featured, ticketed } = filter
    return and(
      readable(caller, filter),
      include && inArray(listings.event_id, include),
      ...filter.bounds.map(compare),
      search === undefined ? undefined : searchIn(search, caller),
      ...LINK_KINDS.map(
        (kind) =>
          wanted[kind] &&
          sql`${listings.event_id} in (select ${links.event_id} from ${links} where ${links.kind} = ${kind} and ${links.target_id} in (select value from json_each(${JSON.stringify(wanted[kind])})))`,
      ),
      featured === undefined ? undefined : eq(listings.featured, featured),
      ticketed === undefined ? undefined : eq(listings.ticketed, ticketed),
      geoloc === undefined ? undefined : geoloc ? located(caller) : sql`not ${located(caller)}`,
      parent === undefined ? undefined : parent === 'none' ? sql`false` : eq(listings.parent_id, parent),
      language === undefined ? undefined : eq(listings.language, language),
    )
  }

  return {
    resolve,
    /** A page of IDs by local start, then ID (R7), and how many match. */
    async list(
      filter: EventFilter,
      resolved: Resolved,
      caller: Caller,
    ): Promise<{ total: number; ids: number[] }> {
      const { geoloc, include, search, page, per_page, language, featured, ticketed } = filter
      const others = [geoloc, include, search, resolved.parent]
      const days = daysOf(filter.bounds)
      if (!canWrite(caller) && days && others.every((other) => other === undefined))
        return scopes.list({ language, featured, ticketed, links: resolved.links }, days, page, per_page)
      const where = conditions(filter, resolved, caller)
      const [all] = await db.read.select({ total: count() }).from(listings).where(where)
      const rows = await db.read
        .select({ id: listings.event_id })
        .from(listings)
        .where(where)
        .orderBy(listings.start_date, listings.event_id)
        .limit(per_page)
        .offset((page - 1) * per_page)
      return { total: all!.total, ids: rows.map((row) => row.id) }
    },
  }
}
