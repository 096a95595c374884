import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force } from '../../../schemas/common.ts'
import { Event, EventInput, EventPassword } from '../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { SlugInput } from '../../../schemas/input.ts'
import { Organizer, OrganizerInput, OrganizerQuery } from '../../../schemas/organizer.ts'
import { ApplyTo, isToSeveral } from '../../../schemas/recurrence.ts'
import { Series, SeriesInput, SeriesQuery } from '../../../schemas/series.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import { Venue, VenueInput, VenueQuery } from '../../../schemas/venue.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type ErrorCode, type Problems, refuse } from '../../kernel/errors.ts'
import { MANY_WORDS, MOST_WORDS, NO_WORD, readWords } from '../../kernel/text/search.ts'
import { filterTexts, readModified } from '../resource/page.ts'
import { addResource, isForAll, isForced, type Resource } from '../resource/resource.ts'
import { family, type RecordRequest, type Service } from '../resource/service.ts'
import type { Key, LinkedFilter, LinkedKind, PostInput, Write } from '../store.ts'
import { checkStatuses, openEventList } from './event-query.ts'

/** Errors of venues and organizers inside an event. */
const INLINE: ErrorCode[] = ['could-not-create-venue', 'could-not-create-organizer']

/** Which events of a series a write is to. */
const rangeOf = ({ query }: Pick<RecordRequest, 'query'>) => (query as { apply_to?: ApplyTo }).apply_to

/** Whether a write is to a whole series, or makes one. */
const isLong = (request: RecordRequest) =>
  isToSeveral(rangeOf(request)) || 'recurrence' in (request.body as object)

type Events = Resource<EventQuery, EventInput & PostInput>

export const eventRoutes = family('events', async (app, service) =>
  addResource(app, service, eventResource(service)),
)

/** Events as data of routes. */
export function eventResource(service: Service): Events {
  const { store } = service
  const select = openEventList(service)
  return {
    name: 'event',
    plural: 'events',
    hasSlugs: true,
    right: 'create records',
    query: EventQuery,
    input: EventInput,
    answer: Event,
    read: Type.Object(VisitorPassword),
    remove: Type.Object({ ...VisitorPassword, ...Force, ...ApplyTo, ...ForTranslations }),
    change: Type.Object({ ...ApplyTo, ...ForTranslations }),
    more: Type.Object(EventPassword),
    errors: {
      read: ['event-not-accessible', 'event-no-longer-available', 'event-password-protected'],
      create: ['empty_content', ...INLINE],
      update: ['empty_content', ...INLINE, 'event-is-in-trash'],
      delete: ['event-is-in-trash'],
    },
    async list(query, request) {
      const { selection, texts } = await select(query, request)
      const found = await store.lists.list(selection, query)
      return { ...found, filters: filterTexts(request, EventQuery, texts) }
    },
    find: async (key, _request, view) => (await store.posts.open(key, view)).id,
    findEditable: async (key, request) => (await store.posts.editable('event', key, request.caller)).id,
    check: (write, input, request, key) => store.events.check(write, input, key, rangeOf(request)),
    isLong,
    create: (write, input) => store.events.create(write, input),
    update: (write, key, input, request) =>
      store.events.update(write, key, input, rangeOf(request), isForAll(request)),
    delete(key, request, view, guard) {
      const how = { range: rangeOf(request), all: isForAll(request) }
      const removal = { context: service.checking(request), key, view, guard, ...how }
      return store.remove.post('event', removal, isForced(request))
    },
    show: (ids, view) => store.documents.posts(ids, view),
  }
}

/** Events that repeat. Their dates are events. */
export const seriesRoutes = family('series', async (app, service) =>
  addResource(app, service, seriesResource(service)),
)

/** Series as data of routes. */
export function seriesResource(service: Service): Resource<SeriesQuery, SeriesInput & PostInput> {
  const { store } = service
  return {
    name: 'series',
    plural: 'series',
    hasSlugs: true,
    right: 'create records',
    query: SeriesQuery,
    input: SeriesInput,
    answer: Series,
    read: Type.Object(VisitorPassword),
    remove: Type.Object({ ...VisitorPassword, ...Force, ...ForTranslations }),
    change: Type.Object(ForTranslations),
    more: Type.Object(EventPassword),
    errors: {
      read: ['series-not-accessible', 'event-password-protected'],
      create: ['empty_content', ...INLINE],
      update: ['empty_content', ...INLINE, 'series-is-in-trash'],
      delete: ['series-is-in-trash'],
    },
    async list(query, request) {
      refuse({ ...checkStatuses(query.status, request), ...checkWords(query.search) })
      const { modified, texts, until } = readModified(query, service.site)
      const language = service.language(request)
      request.until = until
      const filter = { ...query, only_with_upcoming: false, language, modified }
      const found = await store.series.list(filter, request.caller, request.spend)
      return { ...found, filters: filterTexts(request, SeriesQuery, texts) }
    },
    find: async (key, _request, view) => (await store.posts.open(key, view, 'series')).id,
    findEditable: async (key, request) => (await store.posts.editable('series', key, request.caller)).id,
    check: (write, input, _request, key) => store.series.check(write, input, key),
    isLong: () => true,
    create: (write, input) => store.series.create(write, input),
    update: (write, key, input, request) => store.series.update(write, key, input, isForAll(request)),
    delete: (key, request, view, guard) =>
      store.remove.post(
        'series',
        { context: service.checking(request), key, view, guard, all: isForAll(request) },
        isForced(request),
      ),
    show: (ids, view) => store.documents.posts(ids, view),
  }
}

/** The problem with a search in venues or organizers, if any. */
export function checkWords(search: string | undefined): Problems {
  const words = search === undefined ? undefined : readWords(search).length
  if (words === 0) return { search: NO_WORD }
  return words && words > MOST_WORDS ? { search: MANY_WORDS } : {}
}

/** What a list is asked for. Its document knows no IDs, which are for lists elsewhere. */
type Asked = VenueQuery & Pick<LinkedFilter, 'include' | 'exclude'>

type Stored<Input> = {
  list(
    filter: LinkedFilter,
    caller: Caller,
    spend: FastifyRequest['spend'],
  ): Promise<{ ids: number[]; total: number }>
  check(write: Write, input: Input, key?: Key): Promise<Problems>
  create(write: Write, input: Input): Promise<number>
  update(write: Write, key: Key, input: Input, all: boolean): Promise<number>
}

/** Venues and organizers, which differ only in their fields. */
export const linkedRoutes = family('linked', async (app, service) => {
  addResource(app, service, venueResource(service))
  addResource(app, service, organizerResource(service))
})

/** Venues as data of routes. */
export const venueResource = (service: Service) =>
  resourceOf<VenueInput>(service, 'venue', VenueQuery, VenueInput, Venue, service.store.venues)
/** Organizers as data of routes. */
export const organizerResource = (service: Service) =>
  resourceOf<OrganizerInput>(
    service,
    'organizer',
    OrganizerQuery,
    OrganizerInput,
    Organizer,
    service.store.organizers,
  )

function resourceOf<Input>(
  service: Service,
  kind: LinkedKind,
  Query: typeof VenueQuery | typeof OrganizerQuery,
  InputSchema: typeof VenueInput | typeof OrganizerInput,
  answer: typeof Venue | typeof Organizer,
  stored: Stored<Input>,
): Resource<Asked, Input> {
  const { store } = service
  return {
    name: kind,
    plural: `${kind}s`,
    hasSlugs: true,
    rename: Type.Object({
      slug: Type.Optional(
        SlugInput(
          `New slug of the ${kind}, the last part of its URL. An update by slug sets it; an update by ID ignores it`,
          'new-name',
        ),
      ),
    }),
    right: 'create records',
    query: Query,
    input: InputSchema,
    answer,
    read: Type.Object({}),
    remove: Type.Object({ ...Force, ...ForTranslations }),
    change: Type.Object(ForTranslations),
    more: Type.Object({}),
    errors: {
      read: [`${kind}-not-accessible`],
      create: [`could-not-create-${kind}`],
      update: [`could-not-create-${kind}`, `${kind}-is-in-trash`],
      delete: [`${kind}-is-in-trash`],
    },
    async list(query, request) {
      const problems: Problems = checkStatuses(query.status, request)
      if (query.event !== undefined && !(await store.posts.byId('event', query.event)))
        problems.event = `There is no event with ID ${query.event}.`
      refuse({ ...problems, ...checkWords(query.search) })
      const { modified, texts, until } = readModified(query, service.site)
      const filter = {
        ...query,
        only_with_upcoming: query.only_with_upcoming === true,
        language: service.language(request),
        modified,
      }
      request.until = filter.only_with_upcoming ? 0 : until
      const { caller, spend } = request
      return { ...(await stored.list(filter, caller, spend)), filters: filterTexts(request, Query, texts) }
    },
    async find(key, request) {
      return (await store.posts.readable(kind, key, request.caller)).id
    },
    findEditable: async (key, request) => (await store.posts.editable(kind, key, request.caller)).id,
    check: (write, input, _request, key) => stored.check(write, input, key),
    create: (write, input) => stored.create(write, input),
    update: (write, key, input, request) => stored.update(write, key, input, isForAll(request)),
    delete: (key, request, view, guard) =>
      store.remove.post(
        kind,
        { context: service.checking(request), key, view, guard, all: isForAll(request) },
        isForced(request),
      ),
    show: (ids, view) => store.documents.posts(ids, view),
  }
}
