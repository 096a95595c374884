import { FILTER_NAMES, pick } from '../../../schemas/event-flags.ts'
import type { EventQuery } from '../../../schemas/event-query.ts'
import { STATE_NAMES } from '../../../schemas/event-states.ts'
import { type Caller, canRead, canReadOthers, canWrite } from '../../kernel/access/rights.ts'
import { type Changes, EVERYTHING, TOUCHED } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Problems } from '../../kernel/errors.ts'
import type { Scheduler, Task } from '../../kernel/tasks/scheduler.ts'
import { type Corrections, readQuery, readSearch } from '../../kernel/text/search.ts'
import type { Post } from '../formats/records.ts'
import { readableTraits } from '../records/access.ts'
import { findById, translated } from '../records/posts.ts'
import type { LinkKind } from '../records/rows.ts'
import { seekTerms, translatedTerm, withDescendants } from '../records/term-keys.ts'
import { openSelections, type Selection } from './selections.ts'
import { openVenueLocations } from './venue-locations.ts'

/** The filters on data that is blanked in protected events. */
const BLANKED = [
  ...(['venue', 'organizer', 'categories', 'tags', 'geoloc', 'geoloc_lat'] as const),
  ...FILTER_NAMES,
]

/** The caller, if they may edit protected events and so find them (R13, D29). All who may edit everything count as one. */
const opener = (caller: Caller): Caller =>
  canWrite(caller)
    ? {
        id: canReadOthers(caller) ? 0 : caller!.id,
        role: caller!.role,
        ...(caller!.limits && { limits: caller!.limits }),
      }
    : undefined

/** The IDs of the records that a parameter names and that exist, and the problem with the others. */
type FoundIds = { ids: number[]; problem?: string | undefined }
/** Who asks, and of which language all events are to be. */
type Audience = { caller: Caller; language?: string | undefined }

/** The filters of a list of events. Terms that were found before are given by their IDs, as numbers. */
export type EventFilter = Partial<Omit<EventQuery, 'categories' | 'tags'>> & {
  categories?: (number | string)[]
  tags?: (number | string)[]
}

const NO_CORRECTIONS: Corrections = new Map()

/** Matches no event. */
const NO_EVENT = -1

/**
 * Lists of events: turns a query into a selection, and a selection into a page. All that `selections.ts` and the files below it do is reached from
 * here. Lists of venues, organizers, series and terms are in `linked-records.ts`, of pictures in `media.ts`.
 */
export function openEventLists(db: Db, changes: Changes, scheduler: Scheduler) {
  const selections = openSelections(db, changes, scheduler)
  const locations = openVenueLocations(db, changes)

  async function namedTerms(
    taxonomy: 'category' | 'tag',
    keys: (number | string)[],
    { caller, language }: Audience,
  ): Promise<FoundIds> {
    const found = await seekTerms(db.read, taxonomy, keys, caller)
    const at = found.indexOf(undefined)
    const problem = at < 0 ? undefined : `There is no ${taxonomy} "${keys[at]}".`
    const ids: number[] = []
    for (const term of found) if (term) ids.push((await translatedTerm(db.read, term, language, caller)).id)
    return { ids: taxonomy === 'category' ? await withDescendants(db.read, ids) : ids, problem }
  }

  async function named(
    kind: 'venue' | 'organizer',
    ids: number[],
    { caller, language }: Audience,
  ): Promise<FoundIds> {
    const found: FoundIds = { ids: [] }
    for (const id of ids) {
      const post = await findById(db.read, kind, id)
      if (!post) found.problem ??= `There is no ${kind} with ID ${id}.`
      else if (canRead(caller, post)) found.ids.push((await translated(db.read, post, language, caller)).id)
    }
    return found
  }

  /**
   * Finds the records that a query names; in a list of one language their translations, where there are some (R22). Records that the
   * caller may not read match nothing; each unknown name is a problem.
   */
  async function linksOf(query: EventFilter, audience: Audience, problems: Problems) {
    const { categories, tags, venue, organizer, geoloc_lat: lat, geoloc_lng: lng, geoloc_radius } = query
    const links: Selection['links'] = {}
    const add = (name: string, kind: LinkKind, { ids, problem }: FoundIds) => {
      if (problem) problems[name] = problem
      links[kind] = [...new Set(ids)].sort((a, b) => a - b)
    }
    if (categories) add('categories', 'category', await namedTerms('category', categories, audience))
    if (tags) add('tags', 'tag', await namedTerms('tag', tags, audience))
    if (venue) add('venue', 'venue', await named('venue', venue, audience))
    if (organizer) add('organizer', 'organizer', await named('organizer', organizer, audience))
    if (lat !== undefined && lng !== undefined) {
      const near = await scheduler.run(locations.near(audience.caller, lat, lng, geoloc_radius!))
      links.venue = links.venue?.filter((id) => near.includes(id)) ?? near
    }
    return links
  }

  async function parentOf(query: EventFilter, caller: Caller, problems: Problems) {
    const { post_parent: id, series } = query
    const wanted: number[] = []
    const add = (post: Post | undefined) => wanted.push(post && canRead(caller, post) ? post.id : NO_EVENT)
    if (id !== undefined) {
      const parent = (await findById(db.read, 'event', id)) ?? (await findById(db.read, 'series', id))
      if (!parent) problems.post_parent = `There is no event with ID ${id}.`
      add(parent)
    }
    if (series !== undefined) {
      const parent = await findById(db.read, 'series', series)
      if (!parent) problems.series = `There is no series with ID ${series}.`
      add(parent)
    }
    return wanted.every((parent) => parent === wanted[0]) ? wanted[0] : NO_EVENT
  }

  return {
    /** Reads the data that lists are made from, so that the first list does not wait for it. */
    load: selections.load,
    /** The selection for a query, its dates and its order; each unknown name in it is a problem, and matches nothing. */
    async select(
      query: EventFilter,
      read: Pick<Selection, 'dates' | 'order' | 'language' | 'spend'>,
      caller: Caller,
    ): Promise<{ selection: Selection; problems: Problems }> {
      const { geoloc, search, q, include } = query
      const problems: Problems = {}
      const links = await linksOf(query, { caller, language: read.language }, problems)
      const { by, descending } = read.order
      const isBackwards = descending && (by === 'start' || by === 'end')
      const selection: Selection = {
        ...readableTraits(caller, query),
        ...read,
        series: query.expand === false ? (isBackwards ? 'last' : 'first') : undefined,
        flags: { hidden: include ? undefined : false, ...pick(query, FILTER_NAMES) },
        states: pick(query, STATE_NAMES),
        links,
        include,
        parent: await parentOf(query, caller, problems),
      }
      if (geoloc !== undefined)
        selection.located = { at: await scheduler.run(locations.located(caller)), is: geoloc }
      if (search !== undefined) selection.search = { ...readSearch(search), caller: opener(caller) }
      if (q !== undefined) selection.query = { ...readQuery(q), caller: opener(caller) }
      if (BLANKED.some((name) => query[name] !== undefined)) selection.opened = { by: opener(caller) }
      return { selection, problems }
    },
    /** The IDs of the terms that filters name now, and the problems with all names in them. */
    async resolveTerms(query: EventFilter, caller: Caller) {
      const problems: Problems = {}
      await linksOf(query, { caller }, problems)
      await parentOf(query, caller, problems)
      const terms: { categories?: number[]; tags?: number[] } = {}
      const ids = async (taxonomy: 'category' | 'tag', keys: (number | string)[]) =>
        (await seekTerms(db.read, taxonomy, keys, caller)).flatMap((term) => (term ? [term.id] : []))
      if (query.categories) terms.categories = await ids('category', query.categories)
      if (query.tags) terms.tags = await ids('tag', query.tags)
      return { terms, problems }
    },
    /** A selection with the words that occur nowhere taken as their nearest at a time in Unix milliseconds, and which these are. Throws 503 like `list`. */
    async correct(
      selection: Selection,
      now: number,
    ): Promise<{ selection: Selection; corrections: Corrections }> {
      const { query } = selection
      const corrections: Corrections = query
        ? await selections.correct(selection, Math.floor(now / 1_000))
        : NO_CORRECTIONS
      if (corrections.size === 0) return { selection, corrections }
      const wanted = query!.wanted.map((term) => ({ ...term, text: corrections.get(term.text) ?? term.text }))
      return { selection: { ...selection, query: { ...query!, wanted } }, corrections }
    },
    /** What visitors may mean by what they typed, as everybody sees it. Throws like `list`. */
    suggest: selections.suggest,
    /** A page of a selection. Throws 503 if too many lists are waiting. */
    list: selections.list,
    /** When all events of a selection by start take place, for a calendar of days. Throws like `list`. */
    spans: selections.spans,
    /** Those of these events, in their order, that match a selection now, its dates apart. */
    async stillMatching(selection: Selection, ids: number[]): Promise<number[]> {
      const page = { page: 1, per_page: ids.length }
      const found = new Set((await selections.list({ ...selection, include: ids }, page)).ids)
      return ids.filter((id) => found.has(id))
    },
    /** The last change of any of these events that the caller sees, or of something that they show. */
    lastChange: async (ids: number[], caller: Caller): Promise<LastChange> =>
      scheduler.run(lastChange(db, ids, canWrite(caller) ? 0 : TOUCHED.unseen)),
    /** The events of a selection by ID. */
    byId: selections.byId,
    /** The first start of any of these events or of their series, in UTC; undefined without one. */
    earliest: (ids: number[]): string | undefined =>
      db.rows<[string | null]>(EARLIEST, JSON.stringify(ids))[0]![0] ?? undefined,
    /** The events of a language that were added last and begin after a time in Unix seconds, as visitors see them. */
    newest: (language: string, after: number, count: number) => newest(db, language, after, count),
  }
}

const EARLIEST = `with shown(id) as (select value from json_each(?))
  select min(utc_start_date) from events where post_id in (
    select id from shown union select series_id from shown join occurrences on post_id = id)`

/**
 * The last change of something: its time in UTC, and how many there were in this second. Without a time, it is older than what is
 * still known.
 */
type LastChange = { at_utc: string | undefined; count: number }
type Row = [seq: number, kind: string, id: number, at_utc: string]

const BEFORE =
  'select seq, kind, record_id, at_utc from changes where seq < ? and (touched & ?) = 0 order by seq desc limit 500'
const GIVEN = 'select post_id from occurrences where series_id = ?'

/**
 * The last change of any of these events, or of something that they show, which touched nothing of `without`. Read from the end, where
 * the answer usually is. It says nothing of other records, as the number of a row would.
 */
export function* lastChange(
  { rows }: Pick<Db, 'rows'>,
  ids: Iterable<number>,
  without: number,
): Task<LastChange> {
  const among = new Set(ids)
  const last: LastChange = { at_utc: undefined, count: 0 }
  const gave = (series: number) => rows<[id: number]>(GIVEN, series).map(([id]) => id)
  let found = rows<Row>(BEFORE, Number.MAX_SAFE_INTEGER, without)
  while (found.length > 0) {
    for (const [, kind, id, at_utc] of found) {
      if (last.at_utc !== undefined && at_utc !== last.at_utc) return last
      const isShown =
        kind === 'event' ? among.has(id) : kind === 'series' && gave(id).some((one) => among.has(one))
      if (kind !== EVERYTHING && !isShown) continue
      last.at_utc = at_utc
      last.count++
    }
    yield
    found = rows<Row>(BEFORE, found.at(-1)![0], without)
  }
  return last
}

/** Among how many of the last IDs new events are looked for, whatever became of them. */
const LAST = 2_000
const NEWEST = `select max(event_id) from listings
  where event_id > (select max(event_id) from listings) - ${LAST}
    and status = 'publish' and not hidden and language = ? and utc_starts > ?
  group by coalesce(parent_id, -event_id) order by 1 desc limit ?`

/**
 * The IDs of events of a language that visitors see in lists, that were added last and begin after a time in Unix seconds: the newest
 * first, and one of each series.
 */
const newest = ({ rows }: Pick<Db, 'rows'>, language: string, after: number, count: number): number[] =>
  rows<[id: number]>(NEWEST, language, after, count).map(([id]) => id)
