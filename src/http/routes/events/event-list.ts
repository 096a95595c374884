import type { FastifyRequest } from 'fastify'
import { EventQuery } from '../../../../schemas/event-query.ts'
import { canWrite } from '../../../rules/roles.ts'
import { hasManyWords, MANY_WORDS, NO_WORD, readSearch, type SearchTerms } from '../../../rules/text/words.ts'
import type { Selection } from '../../../store/store.ts'
import { type Problems, refuse } from '../../../support/errors.ts'
import type { GivenQuery } from '../../input/validation.ts'
import { modifiedLimits, readModified } from '../../resource/modified.ts'
import type { Service } from '../../resource/service.ts'
import { type Dates, openToday, readDates, readWindow, type Window } from './event-dates.ts'

/** The problem with a search, if any. A search without a word would return everything. */
export function checkSearch(terms: SearchTerms): string | undefined {
  if (hasManyWords(terms)) return MANY_WORDS
  return terms.wanted.length + terms.unwanted.length === 0 ? NO_WORD : undefined
}

/** Problems of the filters of a list in combination. */
export function checkEventQuery(query: EventQuery): Problems {
  const problems: Problems = {}
  if (query.geoloc_lat !== undefined && query.geoloc_lng === undefined)
    problems.geoloc_lat = 'requires geoloc_lng as well.'
  if (query.geoloc_lng !== undefined && query.geoloc_lat === undefined)
    problems.geoloc_lng = 'requires geoloc_lat as well.'
  const { geoloc_radius, geoloc_lat, geoloc_lng } = query
  // many clients send every default that the document declares
  const isAsked = geoloc_radius !== EventQuery.properties.geoloc_radius.default
  if (isAsked && geoloc_lat === undefined && geoloc_lng === undefined)
    problems.geoloc_radius = 'requires geoloc_lat and geoloc_lng as well.'
  const problem = query.search === undefined ? undefined : checkSearch(readSearch(query.search))
  if (problem) problems.search = problem
  return problems
}

/** Callers without editing rights see only published records (D36). */
export function checkStatuses(
  statuses: readonly string[] | undefined,
  request: Pick<FastifyRequest, 'caller'>,
): Problems {
  if (statuses === undefined || canWrite(request.caller)) return {}
  return statuses.length === 1 && statuses[0] === 'publish'
    ? {}
    : { status: 'must be publish for your role.' }
}

/** Dates for lists of given IDs: no limits. */
const ANY_DATES: Dates = { limits: [], texts: {}, until: Number.POSITIVE_INFINITY }

/** The order in a query. If `orderby` is unknown, `order` belongs to it and is ignored as well. */
function orderOf({ orderby, order }: EventQuery, given: GivenQuery): Selection['order'] {
  if (given.orderby && orderby === undefined) return { by: 'start', descending: false }
  const usual = orderby === 'modified' ? 'desc' : 'asc'
  return { by: orderby ?? 'start', descending: (order ?? usual) === 'desc' }
}

/** Reads lists of events: what a query selects, and the texts of its dates for links. Throws the 400 that names every problem. */
export function openEventList({ store, site, language }: Service) {
  const today = openToday(site)
  /** `within` are further limits by times, beside the dates of the query. */
  return async (query: EventQuery, request: FastifyRequest, within: Window = {}) => {
    const changed = readModified(query, site)
    const { limits, texts, until } = query.include ? ANY_DATES : readDates(query, site, today())
    const window = query.include ? ANY_DATES : readWindow(within, site, today())
    request.until = Math.min(until, window.until, changed.until)
    const { selection, problems } = await store.lists.select(
      query,
      {
        dates: [...modifiedLimits(changed.modified), ...limits, ...window.limits],
        order: orderOf(query, request.given),
        language: language(request),
        spend: request.spend,
      },
      request.caller,
    )
    refuse(Object.assign(checkEventQuery(query), checkStatuses(query.status, request), problems))
    return { selection, texts: { ...texts, ...changed.texts } }
  }
}
