import { FILTER_NAMES, pick } from '../../../schemas/event-flags.ts'
import type { EventOrder, EventQuery } from '../../../schemas/event-query.ts'
import { STATE_NAMES } from '../../../schemas/event-states.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Changes } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Problems } from '../../kernel/errors.ts'
import { metered, type Scheduler, type Task } from '../../kernel/tasks/scheduler.ts'
import { readQuery, readSearch, type SearchTerms, type Term, type Terms } from '../../kernel/text/search.ts'
import type { Post } from '../formats/records.ts'
import type { DateLimit } from '../index/day-histogram.ts'
import type { Traits } from '../index/event-index.ts'
import { findById, translated } from '../records/posts.ts'
import type { LinkKind } from '../records/rows.ts'
import { seekTerms, translatedTerm, withDescendants } from '../records/term-keys.ts'
import { readableTraits, type Seen } from '../records/visibility.ts'
import { canRead, canReadOthers, canWrite } from '../rights.ts'
import type { LinkTargets, Names } from './names.ts'
import { openVenueLocations } from './venue-locations.ts'

/** What a list selects from all events: filters, dates and order. Each query becomes a selection. */
export type Selection = Traits & {
  /** Set if the rights of who asks are limited: of others than this author only published events are selected, and those within the limits. */
  limited?: Seen['limited']
  /** One ID of each kind has to match. */
  links: Partial<Record<LinkKind, number[]>>
  /** Whether it takes place at one of these venues. */
  located?: { at: number[]; is: boolean } | undefined
  /** `caller` may edit some protected events, and searches them as well. */
  search?: (SearchTerms & { caller: Caller }) | undefined
  /** What a person looks for, in texts and in the names of what events are linked to. `caller` as in `search`. */
  query?: (Terms & { caller: Caller }) | undefined
  /** Only these events, by ID. */
  include?: number[] | undefined
  /** All have to hold. */
  dates: DateLimit[]
  /** Which of its events stands for each series; absent if all of them do. */
  series?: 'first' | 'last' | undefined
  order: { by: EventOrder; descending: boolean }
  /** Is told of each step that is made for it. */
  spend?: Spend | undefined
}
/** A term with the records whose names have it now. */
export type ResolvedTerm = Term & { targets: LinkTargets }
/** What a person looks for, with what has it in its name now. */
export type ResolvedTerms = { wanted: ResolvedTerm[]; unwanted: ResolvedTerm[]; caller: Caller }
/** A selection as of now: as JSON, two that select the same are the same. */
export type ResolvedSelection = Omit<Selection, 'query'> & { query?: ResolvedTerms | undefined }

/** Takes so many units of work from a budget. */
export type Spend = (units: number) => void

/** The page of a selection, and the page size. */
export type Paging = { page: number; per_page: number }
/** The IDs on a page, and the number of events on all pages. */
export type IdPage = {
  total: number
  ids: number[]
  /** How many events of its series each one stands for, by ID, if one stands for all. */
  occurrences?: Occurrences | undefined
}
/** Numbers of events by the ID of the one that stands for them. */
export type Occurrences = ReadonlyMap<number, number>

/** Units of work that a step of a list costs, and more for each word, which every text is searched for. */
const PRICE = 2
const PRICE_OF_WORD = 0.4

/** What a step costs that looks for so many words. */
export const stepCost = (words = 0): number => PRICE + words * PRICE_OF_WORD

/** A task that looks for so many words, each step of which is charged to whoever asks. */
export const charged = <T>(task: Task<T>, spend: Spend | undefined, words = 0): Task<T> =>
  spend ? metered(task, stepCost(words), spend) : task

/** The filters on data that is blanked in protected events. */
const BLANKED = [
  ...(['venue', 'town', 'organizer', 'categories', 'tags', 'geoloc', 'geoloc_lat'] as const),
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

/** Matches no event. */
const NO_EVENT = -1

/** Reads queries of lists of events: what they select, by the names in them as they are now. */
export function openFilters(db: Db, changes: Changes, scheduler: Scheduler, names: Names) {
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
    const {
      categories,
      tags,
      venue,
      town,
      organizer,
      geoloc_lat: lat,
      geoloc_lng: lng,
      geoloc_radius,
    } = query
    const links: Selection['links'] = {}
    const add = (name: string, kind: LinkKind, { ids, problem }: FoundIds) => {
      if (problem) problems[name] = problem
      links[kind] = [...new Set(ids)].sort((a, b) => a - b)
    }
    if (categories) add('categories', 'category', await namedTerms('category', categories, audience))
    if (tags) add('tags', 'tag', await namedTerms('tag', tags, audience))
    if (venue) add('venue', 'venue', await named('venue', venue, audience))
    if (organizer) add('organizer', 'organizer', await named('organizer', organizer, audience))
    const keepVenues = (ids: number[]) => {
      links.venue = links.venue?.filter((id) => ids.includes(id)) ?? ids
    }
    if (town !== undefined) {
      await scheduler.run(names.follow())
      keepVenues(names.inTown(town, audience.caller))
    }
    if (lat !== undefined && lng !== undefined)
      keepVenues(await scheduler.run(locations.near(audience.caller, lat, lng, geoloc_radius!)))
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
  }
}
