import { inArray, type SQL, sql } from 'drizzle-orm'
import { posts, terms, venues } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import type { Problems } from '../../errors.ts'
import { secondsOf } from '../../rules/dates.ts'
import { type Caller, canRead, canReadOthers, canWrite } from '../../rules/roles.ts'
import { readSearch } from '../../rules/words.ts'
import type { Limit, Where } from '../index/calendar.ts'
import type { LinkKind } from '../records/links.ts'
import { findById, visible } from '../records/posts.ts'
import { seekTerms } from '../records/term-keys.ts'
import type { Changes } from '../sqlite/changes.ts'
import type { Db, Queries } from '../sqlite/db.ts'
import type { Scope } from './members.ts'
import { readableBy } from './readable.ts'
import { openScopes } from './selections.ts'
import type { Slices } from './slices.ts'

/** What an event's start or end is compared with: a wall clock with the event's own, or an instant (in UTC) with its instants. */
export type Bound = Omit<Limit, 'value'> & { value: string }

export type EventFilter = {
  query: EventQuery
  bounds: Bound[]
  near: Near | undefined
  language: string | undefined
}
/** Degrees, and kilometres. */
type Near = { lat: number; lng: number; radius: number }
type EventQuery = {
  page: number
  per_page: number
  search?: string
  /** Slugs, names or IDs. */
  categories?: string[]
  tags?: string[]
  venue?: number[]
  organizer?: number[]
  featured?: boolean
  status?: (Status | 'any')[]
  geoloc?: boolean
  geoloc_lat?: number
  include?: number[]
  post_parent?: number
  ticketed?: boolean
}

/** Has coordinates. */
const LOCATED = sql`${venues.geo_lat} is not null and ${venues.geo_lng} is not null`
const EARTH_KM = 6371.0088
const KM_PER_DEGREE = 111.2

/** Within a distance on the sphere: a band of latitudes first, then the exact distance (D18). */
function isWithin({ lat, lng, radius }: Near): SQL {
  const half = (degrees: SQL) => sql`pow(sin(radians(${degrees}) / 2), 2)`
  const haversine = sql`${half(sql`${venues.geo_lat} - ${lat}`)} + cos(radians(${lat})) * cos(radians(${venues.geo_lat})) * ${half(sql`${venues.geo_lng} - ${lng}`)}`
  const band = radius / KM_PER_DEGREE
  return sql`${venues.geo_lat} between ${lat - band} and ${lat + band} and 2 * ${EARTH_KM} * asin(min(1, sqrt(${haversine}))) <= ${radius}`
}

/** Who may edit what passwords protect, and so finds it (R13, D29): of those who edit everything it does not matter who they are. */
const opener = (caller: Caller): Caller =>
  canWrite(caller) ? { id: canReadOthers(caller) ? 0 : caller!.id, role: caller!.role } : undefined

/** The filters on what is blanked in events under a password. */
const BLANKED = [
  ...(['venue', 'organizer', 'categories', 'tags', 'geoloc'] as const),
  ...(['geoloc_lat', 'featured', 'ticketed'] as const),
]

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
type Resolved = Pick<Scope, 'links' | 'located'> & { parent: number | undefined }
/** The IDs that a parameter means, or why it means none. */
type Found = { ids?: number[]; problem?: string }

/** No event's. */
const NOBODY = -1

/** Lists of events: what a caller asks for, as a scope. */
export function openLists(db: Db, changes: Changes, slices: Slices) {
  const scopes = openScopes(db, changes, slices)

  async function terms(taxonomy: 'category' | 'tag', keys: string[]): Promise<Found> {
    const found = await seekTerms(db.read, taxonomy, keys)
    const at = found.indexOf(undefined)
    if (at >= 0) return { problem: `There is no ${taxonomy} "${keys[at]}".` }
    const ids = found.map((term) => term!.id)
    return { ids: taxonomy === 'category' ? await withDescendants(db.read, ids) : ids }
  }

  async function records(kind: 'venue' | 'organizer', ids: number[], caller: Caller): Promise<Found> {
    const found: number[] = []
    for (const id of ids) {
      const post = await findById(db.read, kind, id)
      if (!post) return { problem: `There is no ${kind} with ID ${id}.` }
      if (canRead(caller, post)) found.push(id)
    }
    return { ids: found }
  }

  /** Venues that fulfil `condition` and that the caller may see: where others lie is not to be found out. */
  async function venuesWith(caller: Caller, condition: SQL): Promise<number[]> {
    const rows = await db.read.values<[number]>(
      sql`select ${venues.post_id} from ${venues} join ${posts} on ${posts.id} = ${venues.post_id} where ${condition} and ${visible(caller, undefined)} order by 1`,
    )
    return rows.map(([id]) => id)
  }

  /** Finds what the filter names; every name that means nothing is a problem. */
  async function resolve(
    { query, near }: EventFilter,
    caller: Caller,
  ): Promise<{ resolved: Resolved; problems: Problems }> {
    const { categories, tags, venue, organizer, geoloc, post_parent } = query
    const problems: Problems = {}
    const resolved: Resolved = { links: {}, located: undefined, parent: undefined }
    const { links } = resolved
    const take = (name: string, kind: LinkKind, { ids, problem }: Found) => {
      if (problem) problems[name] = problem
      else links[kind] = [...new Set(ids)].sort((a, b) => a - b)
    }
    if (categories) take('categories', 'category', await terms('category', categories))
    if (tags) take('tags', 'tag', await terms('tag', tags))
    if (venue) take('venue', 'venue', await records('venue', venue, caller))
    if (organizer) take('organizer', 'organizer', await records('organizer', organizer, caller))
    if (near) {
      const within = await venuesWith(caller, isWithin(near))
      links.venue = links.venue?.filter((id) => within.includes(id)) ?? within
    }
    if (geoloc !== undefined) resolved.located = { at: await venuesWith(caller, LOCATED), is: geoloc }
    if (post_parent !== undefined) {
      const parent = await findById(db.read, 'event', post_parent)
      if (!parent) problems.post_parent = `There is no event with ID ${post_parent}.`
      resolved.parent = parent && canRead(caller, parent) ? parent.id : NOBODY
    }
    return { resolved, problems }
  }

  return {
    /** Reads what lists are made from, so that the first does not wait for it. */
    load: scopes.load,
    resolve,
    /** A page of IDs by local start, then ID (R7), and how many match. */
    async list(
      { query, bounds, language }: EventFilter,
      { links, located, parent }: Resolved,
      caller: Caller,
    ): Promise<{ total: number; ids: number[] }> {
      const { include, search, featured, ticketed } = query
      const where: Where = readableBy(caller, query)
      where.language = language
      where.featured = featured
      where.ticketed = ticketed
      where.parent = parent
      if (BLANKED.some((name) => query[name] !== undefined)) where.opened = { by: opener(caller) }
      const scope: Scope = {
        where,
        links,
        located,
        search: search === undefined ? undefined : { ...readSearch(search), caller: opener(caller) },
      }
      if (include) return scopes.pick(scope, include, query)
      const limits = bounds.map(({ side, than, utc, value }) => ({
        side,
        than,
        utc,
        value: secondsOf(value),
      }))
      return scopes.list(scope, limits, query)
    },
  }
}
