import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { Force } from '../../../schemas/common.ts'
import { Event, EventInput, EventPassword } from '../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { ApplyTo, isToSeveral } from '../../../schemas/recurrence.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { filterTexts } from '../resource/page.ts'
import { addResource, isForAll, isForced, type Resource } from '../resource/resource.ts'
import { family, type Service } from '../resource/service.ts'
import type { PostInput } from '../store.ts'
import { openEventList } from './event-list.ts'

/** Errors of venues and organizers inside an event. */
const INLINE: ErrorCode[] = ['could-not-create-venue', 'could-not-create-organizer']

/** Which events of a series a write is to. */
const rangeOf = ({ query }: FastifyRequest) => (query as { apply_to?: ApplyTo }).apply_to

/** Whether a write is to a whole series, or makes one. */
const isLong = (request: FastifyRequest) =>
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
