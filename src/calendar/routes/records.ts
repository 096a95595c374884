import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force, IdFilter, Truth } from '../../../schemas/common.ts'
import { Event, EventInput, EventPassword } from '../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { SlugInput } from '../../../schemas/input.ts'
import { Organizer, OrganizerInput, OrganizerQuery } from '../../../schemas/organizer.ts'
import { ApplyTo, isToSeveral } from '../../../schemas/recurrence.ts'
import { Series, SeriesInput, SeriesQuery } from '../../../schemas/series.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import {
  Category,
  CategoryInput,
  CategoryQuery,
  Tag,
  TagInput,
  TagQuery,
  type TermInput,
  type TermQuery,
} from '../../../schemas/term.ts'
import { Venue, VenueInput, VenueQuery } from '../../../schemas/venue.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { ApiError, type ErrorCode, type Problems, refuse } from '../../kernel/errors.ts'
import { MANY_WORDS, MOST_WORDS, NO_WORD, readWords } from '../../kernel/text/search.ts'
import { filterTexts, readModified } from '../resource/envelope.ts'
import { isForAll, isForced, type Resource } from '../resource/resource.ts'
import { addResource } from '../resource/resource-routes.ts'
import { family, type RecordRequest, type Service } from '../resource/service.ts'
import { canReadAll, RIGHTS } from '../rights.ts'
import type {
  Key,
  LinkedFilter,
  LinkedKind,
  PostInput,
  Store,
  Taxonomy,
  TermFilter,
  TermKey,
  Write,
} from '../store.ts'
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
    right: RIGHTS['create records'],
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
    right: RIGHTS['create records'],
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
  linkedResourceOf<VenueInput>(service, 'venue', VenueQuery, VenueInput, Venue, service.store.venues)
/** Organizers as data of routes. */
export const organizerResource = (service: Service) =>
  linkedResourceOf<OrganizerInput>(
    service,
    'organizer',
    OrganizerQuery,
    OrganizerInput,
    Organizer,
    service.store.organizers,
  )

function linkedResourceOf<Input>(
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
    right: RIGHTS['create records'],
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

/** Categories and tags, which differ only in the parent. */
export const termRoutes = family('terms', async (app, service) => {
  addResource(app, service, categoryResource(service))
  await app.register(async (context) => {
    const tags = tagResource(service)
    context.addHook('preValidation', async ({ body }) => tags.refuse?.(body))
    addResource(context, service, tags)
  })
})

/** Categories as data of routes. */
export const categoryResource = (service: Service) =>
  termResourceOf(
    service,
    'category',
    'categories',
    CategoryQuery,
    CategoryInput,
    Category,
    service.store.categories,
  )
/** Tags as data of routes. */
export const tagResource = (service: Service) =>
  termResourceOf(service, 'tag', 'tags', TagQuery, TagInput, Tag, service.store.tags)

function termResourceOf(
  service: Service,
  taxonomy: Taxonomy,
  plural: string,
  Query: TObject,
  Input: TObject,
  answer: TObject,
  terms: Store['categories'],
): Resource<TermQuery, TermInput & { name: string }> {
  const { store } = service
  const hierarchy: ErrorCode[] = taxonomy === 'tag' ? ['rest_taxonomy_not_hierarchical'] : []

  return {
    name: taxonomy,
    plural,
    ...(taxonomy === 'tag' && { refuse: refuseParent }),
    right:
      RIGHTS[taxonomy === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories'],
    query: Query,
    input: Input,
    answer,
    read: Type.Object({}),
    remove: Type.Object({
      force: Type.Optional(Truth('Accepted and ignored: terms are always deleted permanently.')),
      reassign: Type.Optional(
        IdFilter(
          `ID of another ${taxonomy}, which all events of the deleted one get in its place. Without it they lose the ${taxonomy}.`,
          taxonomy === 'tag' ? 2 : 1,
        ),
      ),
    }),
    more: Type.Object({}),
    hasSlugs: false,
    errors: {
      read: [],
      create: ['empty_term_name', 'term_name_too_long', 'term_exists', ...hierarchy],
      update: ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug', ...hierarchy],
      delete: [],
    },
    async list(query, request) {
      const { modified, texts, until } = readModified(query, service.site)
      const filter = { ...readFilter(query, service.language(request)), modified }
      request.until = until
      const problems = { ...(await terms.check(filter, request.caller)), ...(await checkEvent(query)) }
      refuse(problems)
      if (
        filter.event !== undefined &&
        !canReadAll(request.caller, (await store.posts.byId('event', filter.event))!)
      )
        filter.event = 0
      return { ...(await terms.list(filter, request.caller)), filters: filterTexts(request, Query, texts) }
    },
    find: async (key, { caller }) => (await terms.find(key as TermKey, caller)).id,
    findEditable: async (key, { caller }) => (await terms.find(key as TermKey, caller)).id,
    check: (write, input, _request, key) => terms.checkInput(write, input, key as TermKey | undefined),
    create: (write, input) => terms.create(write, input),
    update: (write, key, input) => terms.update(write, key as TermKey, input),
    async delete(key, request, view, guard) {
      const { id } = await terms.find(key as TermKey, request.caller)
      const { reassign } = request.query as { reassign?: number }
      const context = service.checking(request)
      return store.remove.term(terms, { context, key: id, view, guard }, reassign)
    },
    show: (ids, view) => store.documents.terms(ids, view),
  }

  async function checkEvent(query: TermQuery): Promise<Problems> {
    const problems: Problems = {}
    for (const name of ['post', 'event'] as const) {
      const id = query[name]
      if (id !== undefined && !(await store.posts.byId('event', id)))
        problems[name] = `There is no event with ID ${id}.`
    }
    return problems
  }
}

function readFilter(query: TermQuery, language: string | undefined): TermFilter {
  const { order = 'asc', orderby = 'name', hide_empty = true } = query
  return {
    ...query,
    order,
    orderby,
    hide_empty,
    ...((query.event ?? query.post) !== undefined && { event: (query.event ?? query.post)! }),
    ...(language !== undefined && { language }),
  }
}

/** Refuses a parent for tags (R8) before any other check. */
export function refuseParent(body: unknown) {
  const { parent } = (body ?? {}) as { parent?: unknown }
  if (parent !== undefined && parent !== null)
    throw new ApiError(
      'rest_taxonomy_not_hierarchical',
      'Tags have no parent; remove `parent` from the request.',
    )
}
