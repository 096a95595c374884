import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  ChangeFilters,
  type ChangesQuery,
  FILTERS_OF,
  SYNC_KINDS,
  type SyncKind,
} from '../../../schemas/changes.ts'
import { EventQuery } from '../../../schemas/event-query.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { checkEventQuery, checkStatuses, openToday, readDates } from '../../calendar/routes/event-query.ts'
import { checkWords } from '../../calendar/routes/records.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Problems, refuse } from '../../kernel/errors.ts'
import { isUsual } from '../../kernel/input/query.ts'
import type { Interest } from './sources.ts'
import type { Resumed } from './tokens.ts'

/** Kinds of records, with filters as they were read. */
type Given = { kinds: SyncKind[]; filters: Interest['filters']; language: string | undefined }
/** What was given means: an interest, its problems, and the time until which it would mean the same. */
type ResolvedInterest = { interest: Interest; problems: Problems; until: number }

/** The kinds that are told of if none is named. Series came later, and whoever does not know them has their dates. */
const USUAL = SYNC_KINDS.filter((kind) => kind !== 'series')

/** The kinds that have all of these filters; if none has, those that have the first. */
export const kindsWith = ([first, ...others]: string[]): SyncKind[] => {
  const some = USUAL.filter((kind) => first === undefined || FILTERS_OF[kind].includes(first))
  const all = some.filter((kind) => others.every((name) => FILTERS_OF[kind].includes(name)))
  return all.length > 0 ? all : some
}

/** The first of these kinds that lacks a filter. */
export const lacking = (kinds: readonly SyncKind[], name: string) =>
  kinds.find((kind) => !FILTERS_OF[kind].includes(name))

/** The kinds whose lists are searched by words alone. */
const LINKED = ['series', 'venue', 'organizer'] as const

const { geoloc_radius } = EventQuery.properties

/** Says what filters of changes mean now. */
export function openInterestResolver({ store, site }: Pick<Service, 'store' | 'site'>) {
  const today = openToday(site)

  /** Keeps what dates and terms in the filters of events mean now. */
  async function pinEvents(resolved: ResolvedInterest, caller: Caller): Promise<Problems> {
    const { interest } = resolved
    const { filters } = interest
    const query = { geoloc_radius: geoloc_radius.default, ...filters, when: 'all' } as EventQuery
    const { limits, until } = readDates(query, site, today())
    resolved.until = until
    if (limits.length > 0) interest.dates = limits
    if (filters.geoloc_lat !== undefined) filters.geoloc_radius = query.geoloc_radius
    const { terms, problems } = await store.lists.resolveTerms(filters, caller)
    Object.assign(interest, terms)
    return { ...problems, ...checkEventQuery(query) }
  }

  return async ({ kinds, filters, language }: Given, caller: Caller): Promise<ResolvedInterest> => {
    const interest: Interest = { kinds, filters: { ...filters }, ...(language && { language }) }
    const resolved: ResolvedInterest = {
      interest,
      problems: checkStatuses(filters.status, { caller }),
      until: Number.POSITIVE_INFINITY,
    }
    const add = (problems: Problems) => Object.assign(resolved.problems, problems)
    if (kinds.includes('event')) add(await pinEvents(resolved, caller))
    if (LINKED.some((kind) => kinds.includes(kind))) add(checkWords(filters.search))
    if (filters.parent !== undefined)
      add(await store.categories.check({ parent: filters.parent, hide_empty: false }, caller))
    return resolved
  }
}

const EVENTS_CHANGE =
  'can not be followed, because it changes with events without a write to the record itself.'
const TIME_PASSES = 'can not be followed, because time passes without a write; filter by dates instead.'
const SINCE = 'does not exist here: `sync_token` says since when.'
const ORDERED = 'does not exist here: changes come in the order in which they were made.'
/** Parameters of lists that changes lack, and why. */
const REFUSED = new Map(
  Object.entries({
    page: 'does not exist here; continue with `next_sync_token` as `sync_token`.',
    orderby: ORDERED,
    order: ORDERED,
    modified_after: SINCE,
    modified_before: SINCE,
    when: TIME_PASSES,
    only_with_upcoming: TIME_PASSES,
    has_events: EVENTS_CHANGE,
    event: EVENTS_CHANGE,
    post: EVENTS_CHANGE,
    password: 'can not be used here; read protected events one by one.',
  }),
)
const NAMES = Object.keys(ChangeFilters)

/** Reads what a request follows, from its token or from its parameters, and from where; undefined if another process answers it. */
export function openInterestReader(service: Service) {
  const { store } = service
  const resolve = openInterestResolver(service)

  /** The names that filters may have for these kinds; each other one is a problem. */
  function checkNames({ given }: FastifyRequest, kinds: readonly SyncKind[]): Problems {
    const problems: Problems = {}
    for (const name of Object.keys(given)) {
      if (isUsual(name) || OWN.has(name)) continue
      const without = lacking(kinds, name)
      const refused = REFUSED.get(name)
      if (refused) problems[name] = refused
      else if (!NAMES.includes(name)) problems[name] = 'is not a parameter of this operation.'
      else if (without)
        problems[name] = `is not a filter of the kind ${without}; name other kinds in \`kind\`.`
    }
    return problems
  }

  /** The filters of a request by name, as they were read. */
  const filtersOf = ({ query, given }: FastifyRequest): Interest['filters'] =>
    Object.fromEntries(
      NAMES.filter((name) => given[name]).map((name) => [name, (query as Record<string, unknown>)[name]]),
    )

  /** A new interest, with what its filters mean now. */
  async function begin(request: FastifyRequest): Promise<Interest> {
    const filters = filtersOf(request)
    const { kind = kindsWith(Object.keys(filters)) } = request.query as ChangesQuery
    const kinds = [...new Set(kind)]
    const given = { kinds, filters, language: service.language(request) }
    const { interest, problems, until } = await resolve(given, request.caller)
    refuse({ ...checkNames(request, kinds), ...problems })
    request.until = until
    return interest
  }

  /** The interest of a token, if the request does not say otherwise; undefined if another process answers the request. */
  async function resume(request: FastifyRequest, reply: FastifyReply, token: string) {
    const opened = await store.sync.tokens.open(token, request.caller)
    if (!(await request.server.awaitChange(request, reply, opened.at))) return undefined
    const resumed = opened.resume()
    const { interest } = resumed
    const { kind } = request.query as ChangesQuery
    const { language = interest.language, filters }: Pick<Interest, 'filters' | 'language'> = {
      ...(service.language(request) && { language: service.language(request)! }),
      filters: filtersOf(request),
    }
    const problems = checkNames(request, interest.kinds)
    const differs = (name: string, given: unknown, known: unknown) => {
      if (JSON.stringify(given) !== JSON.stringify(known))
        problems[name] ??=
          'differs from that of the sync token; leave it out, or begin anew without `sync_token`.'
    }
    if (kind) differs('kind', [...kind].sort(), [...interest.kinds].sort())
    differs('i18n_language', language, interest.language)
    for (const [name, value] of Object.entries(filters))
      differs(name, value, (interest.filters as Record<string, unknown>)[name])
    refuse(problems)
    return resumed
  }

  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    token: string | undefined,
  ): Promise<Resumed | undefined> => {
    if (token !== undefined) return resume(request, reply, token)
    const interest = await begin(request)
    return { interest, cursor: store.sync.begin(interest) }
  }
}
/** Parameters that are not filters. */
const OWN = new Set(['sync_token', 'kind', 'per_page', '_fields', 'i18n_language'])
