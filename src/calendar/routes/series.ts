import { Type } from '@sinclair/typebox'
import { Force } from '../../../schemas/common.ts'
import { EventPassword } from '../../../schemas/event.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { Series, SeriesInput, SeriesQuery } from '../../../schemas/series.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import { type ErrorCode, refuse } from '../../kernel/errors.ts'
import { filterTexts, readModified } from '../resource/page.ts'
import { addResource, isForAll, isForced, type Resource } from '../resource/resource.ts'
import { family, type Service } from '../resource/service.ts'
import type { PostInput } from '../store.ts'
import { checkStatuses } from './event-list.ts'
import { checkWords } from './linked.ts'

/** Errors of venues and organizers inside a series. */
const INLINE: ErrorCode[] = ['empty_content', 'could-not-create-venue', 'could-not-create-organizer']

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
      create: INLINE,
      update: [...INLINE, 'series-is-in-trash'],
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
