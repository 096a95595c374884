import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force } from '../../../schemas/common.ts'
import { Event, EventInput, EventPassword } from '../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { ApiError, type ErrorCode, type Problems, refuse } from '../../errors.ts'
import { canWrite } from '../../rules/roles.ts'
import { hasManyWords, MANY_WORDS, NO_WORD, readSearch, type SearchTerms } from '../../rules/words.ts'
import { modifiedLimits } from '../../store/lists/modified.ts'
import type { Selection } from '../../store/lists/selection.ts'
import { checkReadable, findPost } from '../../store/records/posts.ts'
import type { PostInput } from '../../store/records/write.ts'
import { isOpen } from '../../store/views/visible.ts'
import type { GivenQuery } from '../input/validation.ts'
import { type Dates, openToday, readDates } from './event-dates.ts'
import { family } from './family.ts'
import { readModified } from './modified.ts'
import { deletePost, filterTexts } from './posts.ts'
import { addResource } from './resource.ts'

/** The problem with a search, if any. A search without a word would return everything. */
function checkSearch(terms: SearchTerms): string | undefined {
  if (hasManyWords(terms)) return MANY_WORDS
  return terms.wanted.length + terms.unwanted.length === 0 ? NO_WORD : undefined
}

/** Problems of the filters of a list in combination. */
function checkQuery(query: EventQuery): Problems {
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
export function checkStatuses(statuses: readonly string[] | undefined, request: FastifyRequest): Problems {
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

/** Errors of venues and organizers inside an event. */
const INLINE: ErrorCode[] = ['could-not-create-venue', 'could-not-create-organizer']

export const eventRoutes = family('events', async (app, service) => {
  const { store, site } = service
  const today = openToday(site)

  addResource<EventQuery, EventInput & PostInput>(app, service, {
    name: 'event',
    plural: 'events',
    hasSlugs: true,
    right: 'create records',
    query: EventQuery,
    input: EventInput,
    answer: Event,
    read: Type.Object(VisitorPassword),
    remove: Type.Object({ ...VisitorPassword, ...Force }),
    more: Type.Object(EventPassword),
    errors: {
      read: ['event-not-accessible', 'event-no-longer-available', 'event-password-protected'],
      create: ['empty_content', ...INLINE],
      update: ['empty_content', ...INLINE, 'event-is-in-trash'],
      delete: ['event-is-in-trash'],
    },
    async list(query, request) {
      const changed = readModified(query, site)
      const { limits, texts, until } = query.include ? ANY_DATES : readDates(query, site, today())
      request.until = Math.min(until, changed.until)
      const { given } = request
      const { selection, problems } = await store.lists.select(
        query,
        {
          dates: [...modifiedLimits(changed.modified), ...limits],
          order: orderOf(query, given),
          language: service.language(request),
        },
        request.caller,
      )
      refuse(Object.assign(checkQuery(query), checkStatuses(query.status, request), problems))
      const { ids, total } = await store.lists.list(selection, query)
      return { ids, total, filters: filterTexts(request, EventQuery, { ...texts, ...changed.texts }) }
    },
    async find(key, request, view) {
      const post = await findPost(store.db.read, 'event', key, request.caller)
      checkReadable(post, request.caller)
      if (await isOpen(post, view)) return post.id
      throw new ApiError(
        'event-password-protected',
        'This event is protected; send its password as `password`.',
      )
    },
    check: (write, input, key) => store.events.check(write, input, key),
    create: (write, input) => store.events.create(write, input),
    update: (write, key, input) => store.events.update(write, key, input),
    delete: (key, request, view, guard) => deletePost(service, 'event', key, request, view, guard),
    show: (ids, view) => store.documents.posts(ids, view),
  })
})
