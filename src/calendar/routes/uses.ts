import { Type } from '@sinclair/typebox'
import { Fields, PathId } from '../../../schemas/common.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { permalink } from '../formats/json.ts'
import { bodyOf, family } from '../resource/service.ts'

const PLURAL: Record<string, string> = { series: 'series' }

/** Where a picture is shown: what is lost when it is deleted. */
export const mediaUseRoutes = family('uses of media', async (app, service) => {
  const { store, base } = service

  app.route({
    method: 'GET',
    url: '/media/:id/uses',
    config: {
      operation: 'read',
      permission: { right: 'create records', to: 'see where images are used' },
    },
    schema: {
      operationId: 'getMediaUses',
      tags: ['Media'],
      summary: 'Read where a media file is used',
      description:
        'Returns the events, series, venues and organizers that have the image, or show it in their texts, as far as the caller may read them: the first 100 by ID, and how many there are.',
      params: Type.Object({ id: PathId('media file') }),
      querystring: Type.Object(Fields),
      ...responses('read', 'MediaUses', ['media-not-found'], { signedIn: true }),
    },
    async handler(request, reply) {
      const { id } = request.params as { id: number }
      const { caller, spend } = request
      const found = await store.consistently(request, async () =>
        store.media.uses(await store.media.find(id, caller), caller, spend),
      )
      const uses = found.uses.map((use) => ({
        ...use,
        url: permalink(use, base),
        rest_url: `${service.root(request)}/${PLURAL[use.kind] ?? `${use.kind}s`}/${use.id}`,
      }))
      return bodyOf(request, reply, [Buffer.from(JSON.stringify({ uses, total: found.total }))])
    },
  })
})
