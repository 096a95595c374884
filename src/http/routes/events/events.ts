import { Type } from '@sinclair/typebox'
import { Force } from '../../../../schemas/common.ts'
import { Event, EventInput, EventPassword } from '../../../../schemas/event.ts'
import { EventQuery, VisitorPassword } from '../../../../schemas/event-query.ts'
import type { PostInput } from '../../../store/store.ts'
import type { ErrorCode } from '../../../support/errors.ts'
import { filterTexts } from '../../resource/page.ts'
import { addResource, isForced } from '../../resource/resource.ts'
import { family } from '../../resource/service.ts'
import { openEventList } from './event-list.ts'

/** Errors of venues and organizers inside an event. */
const INLINE: ErrorCode[] = ['could-not-create-venue', 'could-not-create-organizer']

export const eventRoutes = family('events', async (app, service) => {
  const { store } = service
  const select = openEventList(service)

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
      const { selection, texts } = await select(query, request)
      const { ids, total } = await store.lists.list(selection, query)
      return { ids, total, filters: filterTexts(request, EventQuery, texts) }
    },
    find: async (key, _request, view) => (await store.posts.open(key, view)).id,
    findEditable: async (key, request) => (await store.posts.editable('event', key, request.caller)).id,
    check: (write, input, key) => store.events.check(write, input, key),
    create: (write, input) => store.events.create(write, input),
    update: (write, key, input) => store.events.update(write, key, input),
    delete: (key, request, view, guard) =>
      store.remove.post('event', { context: service.checking(request), key, view, guard }, isForced(request)),
    show: (ids, view) => store.documents.posts(ids, view),
  })
})
