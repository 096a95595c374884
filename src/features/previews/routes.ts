import { Type } from '@sinclair/typebox'
import { LanguageSelector, PathId } from '../../../schemas/common.ts'
import { bodyOf, family } from '../../calendar/resource/service.ts'
import { mayDo } from '../../calendar/resource/single.ts'
import type { Key } from '../../calendar/store.ts'
import { ApiError } from '../../kernel/errors.ts'
import { responses } from '../../kernel/openapi/responses.ts'

/** The address of the page of an event before visitors see it. */
export const previewRoutes = family('previews', async (app, service) => {
  const { store, site, base, pageLanguages } = service

  app.route({
    method: 'POST',
    url: '/events/:id/preview',
    config: {
      operation: 'create',
      permission: mayDo('preview', { name: 'event', plural: 'events', right: 'create records' }),
    },
    schema: {
      operationId: 'createPreview',
      tags: ['Events'],
      summary: 'Preview an event',
      description:
        'Returns the address of a page that shows the event as it is stored, in any status, as visitors will see it. The address works for an hour without credentials, until the caller may no longer edit the event, and search engines pass over it. With `PAGES=off` there are no pages, so it is 404.',
      params: Type.Object({ id: PathId('event') }),
      querystring: Type.Object(LanguageSelector(site.languages)),
      ...responses(
        'create',
        'Preview',
        ['rest-event-not-found', 'event-no-longer-available', 'rest_no_route'],
        { except: ['rest_missing_callback_param', 'rest_unsupported_media_type'] },
      ),
    },
    async handler(request, reply) {
      if (!pageLanguages) throw new ApiError('rest_no_route', 'This calendar has no pages.')
      const { caller } = request
      const key: Key = { ...(request.params as { id: number }), language: service.language(request) }
      const { id } = await store.posts.editable('event', key, caller)
      await store.posts.readable('event', { id }, caller)
      const { key: made, expires_utc } = await store.previews.add(id, caller!)
      const url = `${base}/preview/${made}`
      reply.code(201).header('location', url).header('cache-control', 'no-store')
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ url, expires_utc }))])
    },
  })
})
