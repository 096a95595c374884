import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { ForTranslations } from '../../../schemas/facts.ts'
import { capital, responses, withArticle } from '../../kernel/openapi/responses.ts'
import type { Guard, Key, PostKind } from '../store.ts'
import { writeAround } from './around.ts'
import { guarded, within } from './conditions.ts'
import type { Resource } from './resource.ts'
import { bodyOf, type Service } from './service.ts'
import { absent, mayDo, REPEATED, readOne, showWritten } from './single.ts'

/** Registers the way back from the trash for a kind of record, by ID: with the status that the record had before. */
export function addRestore<Query, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input> & { name: PostKind },
) {
  const { name, plural } = resource
  const { store } = service
  const One = capital(name)

  app.route({
    method: 'POST',
    url: `/${plural}/:id/restore`,
    config: {
      operation: 'update',
      permission: mayDo('change', resource),
      repeatable: true,
      passable: true,
    },
    schema: {
      operationId: `restore${One}`,
      tags: [capital(plural)],
      summary: `Restore ${withArticle(name)}`,
      description: `Brings the ${name} back from the trash with the status that it had before. One that is not in the trash stays as it is.`,
      params: Type.Object({ id: c.PathId(name) }) as TObject,
      querystring: Type.Object({ ...c.LanguageSelector(service.site.languages), ...ForTranslations }),
      ...responses(
        'update',
        resource.answer.$id!,
        [absent(name), 'rest_precondition_failed', ...REPEATED, ...service.around.errors],
        {
          except: ['rest_unsupported_media_type'],
        },
      ),
    },
    async handler(request, reply) {
      // what is sent changes nothing
      request.body = {}
      const key: Key = Object.assign(request.params as Key, { language: service.language(request) })
      const stand = () => readOne(request, service, { ...resource, find: resource.findEditable }, key)
      const restore = (outer: Guard) =>
        guarded(request, reply, store, name, stand, (guard, known) =>
          service.write<Input, number>(request, resource, (write) =>
            within(outer, guard)(write.tx, async () => {
              const own = known === undefined ? key : { id: known }
              const former = await store.former(write, name, own)
              return former.status === undefined
                ? former.id
                : resource.update(write, { id: former.id }, { status: former.status } as Input, request)
            }),
          ),
        )
      const id = await writeAround(request, service, { kind: name, verb: 'restore' }, restore)
      return bodyOf(request, reply, await showWritten(request, reply, service, resource, id, key))
    },
  })
}
