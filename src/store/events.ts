import { and, count, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { events, links, posts, terms, venues } from '../../drizzle/tables.ts'
import type { Status } from '../../schemas/common.ts'
import type { EventInput, LinkInput } from '../../schemas/event.ts'
import type { OrganizerInput } from '../../schemas/organizer.ts'
import type { VenueInput } from '../../schemas/venue.ts'
import { invalid, type Problems } from '../errors.ts'
import { stripHtml } from '../html.ts'
import { type Caller, canRead, canReadOthers } from '../roles.ts'
import { readSearch } from '../search.ts'
import { readSpan, type Span } from '../span.ts'
import type { Db, Queries } from './db.ts'
import { countedTerms, recount, setLinks } from './links.ts'
import { checkOrganizer, inlineOrganizer } from './organizers.ts'
import {
  checkAuthor,
  checkMayWrite,
  checkNotInTrash,
  findById,
  findEditable,
  findPost,
  type Key,
  visible,
} from './posts.ts'
import { checkPostInput } from './references.ts'
import type { EventRow, Post } from './render.ts'
import { assignTerms, resolveTerms } from './terms.ts'
import { checkVenue, inlineVenue } from './venues.ts'
import { finish, keep, operationOf, type PostInput, savePost, type Write } from './write.ts'

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
  start: { wall: events.start_date, utc: events.utc_start_date },
  end: { wall: events.end_date, utc: events.utc_end_date },
}
const compare = ({ side, than, value, utc }: Bound) =>
  sql`${COLUMNS[side][utc ? 'utc' : 'wall']} ${sql.raw(than)} ${value}`

const linkedTo = (kind: 'venue' | 'organizer' | 'category' | 'tag', ids: number[]) =>
  sql`exists (select 1 from ${links} where ${links.event_id} = ${posts.id} and ${links.kind} = ${kind} and ${inArray(links.target_id, ids)})`

/** Has a venue that fulfils `condition` and that the caller may see: where others lie is not to be found out. */
const atVenue = (caller: Caller, condition: SQL) =>
  sql`exists (select 1 from ${links} join ${venues} on ${venues.post_id} = ${links.target_id} where ${links.event_id} = ${posts.id} and ${links.kind} = 'venue' and ${condition} and ${links.target_id} in (select ${posts.id} from ${posts} where ${visible(caller, undefined)}))`

const EARTH_KM = 6371.0088
const KM_PER_DEGREE = 111.2

/** Within a distance on the sphere: a band of latitudes first, then the exact distance (D18). */
function within({ lat, lng, radius }: { lat: number; lng: number; radius: number }): SQL {
  const half = (degrees: SQL) => sql`pow(sin(radians(${degrees}) / 2), 2)`
  const haversine = sql`${half(sql`${venues.geo_lat} - ${lat}`)} + cos(radians(${lat})) * cos(radians(${venues.geo_lat})) * ${half(sql`${venues.geo_lng} - ${lng}`)}`
  const band = radius / KM_PER_DEGREE
  return sql`${venues.geo_lat} between ${lat - band} and ${lat + band} and 2 * ${EARTH_KM} * asin(min(1, sqrt(${haversine}))) <= ${radius}`
}

const LOCATED = sql`${venues.geo_lat} is not null and ${venues.geo_lng} is not null`

/** What a password protects is not found out by searching either (D29): of others' protected events only the title counts. */
const searchable = (caller: Caller) =>
  canReadOthers(caller)
    ? sql`${posts.folded}`
    : sql`iif(${posts.password_hash} is null or ${posts.author_id} = ${caller?.id ?? 0}, ${posts.folded}, ${posts.folded_title})`

function searchIn(search: string, caller: Caller): SQL | undefined {
  const { wanted, unwanted } = readSearch(search)
  return and(
    ...wanted.map((word) => sql`instr(${searchable(caller)}, ${word}) > 0`),
    ...unwanted.map((word) => sql`instr(${searchable(caller)}, ${word}) = 0`),
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

export function openEvents(db: Db) {
  /** Which of these records the caller may read: others are as if no event were linked to them. */
  async function readable(kind: 'venue' | 'organizer', ids: number[], caller: Caller): Promise<number[]> {
    const rows = await db.read
      .select()
      .from(posts)
      .where(and(eq(posts.kind, kind), inArray(posts.id, ids)))
    return rows.filter((post) => canRead(caller, post)).map((post) => post.id)
  }

  async function termIds(taxonomy: 'category' | 'tag', keys: string[]): Promise<number[]> {
    const ids = (await resolveTerms(db.read, taxonomy, keys)).flatMap((term) => term?.id ?? [])
    return taxonomy === 'category' ? withDescendants(db.read, ids) : ids
  }

  async function conditions(filter: EventFilter, caller: Caller): Promise<SQL | undefined> {
    const parent =
      filter.post_parent === undefined ? undefined : await findById(db.read, 'event', filter.post_parent)
    return and(
      visible(caller, filter.status),
      filter.include ? inArray(posts.id, filter.include) : eq(events.hide_from_listings, false),
      ...filter.bounds.map(compare),
      filter.search === undefined ? undefined : searchIn(filter.search, caller),
      filter.categories && linkedTo('category', await termIds('category', filter.categories)),
      filter.tags && linkedTo('tag', await termIds('tag', filter.tags)),
      filter.venue && linkedTo('venue', await readable('venue', filter.venue, caller)),
      filter.organizer && linkedTo('organizer', await readable('organizer', filter.organizer, caller)),
      filter.featured === undefined ? undefined : eq(events.featured, filter.featured),
      filter.ticketed === undefined ? undefined : eq(events.ticketed, filter.ticketed),
      filter.geoloc === undefined
        ? undefined
        : filter.geoloc
          ? atVenue(caller, LOCATED)
          : sql`not ${atVenue(caller, LOCATED)}`,
      filter.near && atVenue(caller, within(filter.near)),
      parent && (canRead(caller, parent) ? eq(posts.parent_id, parent.id) : sql`false`),
      filter.language === undefined ? undefined : eq(posts.language, filter.language),
    )
  }

  return {
    /** What is wrong with the records that a list is filtered by. */
    async check(filter: EventFilter): Promise<Problems> {
      const problems: Problems = {}
      for (const [name, taxonomy] of [
        ['categories', 'category'],
        ['tags', 'tag'],
      ] as const) {
        const keys = filter[name] ?? []
        const at = (await resolveTerms(db.read, taxonomy, keys)).indexOf(undefined)
        if (at >= 0) problems[name] = `There is no ${taxonomy} "${keys[at]}".`
      }
      for (const kind of ['venue', 'organizer'] as const) {
        for (const id of filter[kind] ?? [])
          if (!(await findById(db.read, kind, id))) problems[kind] = `There is no ${kind} with ID ${id}.`
      }
      if (filter.post_parent !== undefined && !(await findById(db.read, 'event', filter.post_parent)))
        problems.post_parent = `There is no event with ID ${filter.post_parent}.`
      return problems
    },
    /** A page of IDs by local start, then ID (R7), and how many match. */
    async list(filter: EventFilter, caller: Caller) {
      const where = await conditions(filter, caller)
      const joined = eq(posts.id, events.post_id)
      const [all] = await db.read
        .select({ total: count() })
        .from(events)
        .innerJoin(posts, joined)
        .where(where)
      const rows = await db.read
        .select({ id: posts.id })
        .from(events)
        .innerJoin(posts, joined)
        .where(where)
        .orderBy(events.start_date, events.post_id)
        .limit(filter.per_page)
        .offset((filter.page - 1) * filter.per_page)
      return { total: all!.total, ids: rows.map((row) => row.id) }
    },
    async create(w: Write, input: EventInput & PostInput): Promise<number> {
      const span = readSpan(input, undefined, w.now, w.site.zone)
      const problems = { ...(await checkEvent(w, input)), ...('problems' in span && span.problems) }
      if (Object.keys(problems).length > 0) throw invalid(problems)
      checkMayWrite(w.caller, 'create events')
      checkAuthors(w.caller, input)
      return (await save(w, input, span as Span)).id
    },
    async update(w: Write, key: Key, input: EventInput & PostInput): Promise<number> {
      const problems = await checkEvent(w, input, key)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const post = await findEditable(w, 'event', key, 'change')
      checkNotInTrash(post, input.status)
      checkAuthors(w.caller, input, post)
      const [event] = await w.tx.select().from(events).where(eq(events.post_id, post.id))
      const span = readSpan(input, event!, w.now, w.site.zone)
      if ('problems' in span) throw invalid(span.problems)
      return (await save(w, input, span, { post, event: event! })).id
    },
  }
}

/** What is wrong with the records that an event's input names. */
async function checkEvent(w: Write, input: EventInput & PostInput, key?: Key): Promise<Problems> {
  // one that does not exist gets its 404 later, once it is known who asks
  const self = key && (await findPost(w.tx, 'event', key).catch(() => undefined))
  const inside = { ...w, language: input.i18n_language ?? self?.language ?? w.language }
  return {
    ...(await checkPostInput(w, 'event', input, self)),
    ...(await checkLinks(w, 'venue', input.venue, (venue) => checkVenue(inside, venue))),
    ...(await checkLinks(w, 'organizer', input.organizer, (organizer) => checkOrganizer(inside, organizer))),
  }
}

/** Throws 403 where the event, or what is created inside it, is given to somebody else without the right to (D39). */
function checkAuthors(caller: Caller, input: EventInput & PostInput, self?: Post) {
  checkAuthor(caller, input.author, self)
  for (const link of [...(input.venue ?? []), ...(input.organizer ?? [])])
    if ('create' in link) checkAuthor(caller, link.create.author)
}

async function checkLinks<T>(
  w: Write,
  kind: 'venue' | 'organizer',
  given: LinkInput<T>[] | null | undefined,
  check: (input: T) => Promise<Problems>,
): Promise<Problems> {
  for (const link of given ?? []) {
    if ('create' in link) {
      const [problem] = Object.entries(await check(link.create))
      if (problem) return { [kind]: `${problem[0]}: ${problem[1]}` }
    } else {
      const post = await findById(w.tx, kind, link.id)
      if (!post || post.status === 'trash' || (w.caller && !canRead(w.caller, post)))
        return { [kind]: `There is no ${kind} with ID ${link.id}.` }
    }
  }
  return {}
}

const FLAGS = ['show_map', 'show_map_link', 'hide_from_listings', 'sticky', 'featured', 'ticketed'] as const

async function save(
  w: Write,
  input: EventInput & PostInput,
  span: Span,
  self?: { post: Post; event: EventRow },
): Promise<Post> {
  const before = await countedTerms(w.tx, self?.post)
  const searched = [
    keep(input.excerpt, self?.post.excerpt),
    keep(input.description, self?.post.description),
  ].map(stripHtml)
  const post = await savePost(w, 'event', input.title ?? self!.post.title, input, searched, self?.post)
  const { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day } = span
  const row = {
    ...{ start_date, end_date, utc_start_date, utc_end_date, timezone, all_day },
    cost: input.cost === undefined ? (self?.event.cost ?? []) : (input.cost ?? []),
    website: input.website === undefined ? (self?.event.website ?? '') : (input.website ?? ''),
    ...(Object.fromEntries(
      FLAGS.map((flag) => [
        flag,
        input[flag] === undefined ? (self?.event[flag] ?? false) : (input[flag] ?? false),
      ]),
    ) as Record<(typeof FLAGS)[number], boolean>),
  }
  if (self) await w.tx.update(events).set(row).where(eq(events.post_id, post.id))
  else await w.tx.insert(events).values({ post_id: post.id, ...row })
  await saveLinks({ ...w, language: post.language }, post.id, input)
  await recount(w.tx, before, await countedTerms(w.tx, post))
  await finish(w, post, operationOf(self?.post, post))
  return post
}

/** Links what the input names, creating what is new in the event's language. */
async function saveLinks(w: Write, event: number, input: EventInput) {
  if (input.categories !== undefined)
    await setLinks(w.tx, event, 'category', await assignTerms(w, 'category', input.categories ?? []))
  if (input.tags !== undefined)
    await setLinks(w.tx, event, 'tag', await assignTerms(w, 'tag', input.tags ?? []))
  if (input.venue !== undefined)
    await setLinks(
      w.tx,
      event,
      'venue',
      await linkAll(input.venue, (venue: VenueInput) => inlineVenue(w, venue)),
    )
  if (input.organizer !== undefined)
    await setLinks(
      w.tx,
      event,
      'organizer',
      await linkAll(input.organizer, (organizer: OrganizerInput) => inlineOrganizer(w, organizer)),
    )
}

async function linkAll<T>(
  given: LinkInput<T>[] | null,
  create: (input: T) => Promise<number>,
): Promise<number[]> {
  const ids: number[] = []
  for (const link of given ?? []) ids.push('create' in link ? await create(link.create) : link.id)
  return ids
}
