import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Key } from '../../store/records/posts.ts'
import type { Json, View } from '../../store/views/documents.ts'
import { mergeParameters } from '../input/body.ts'
import { descriptionOf } from '../openapi/descriptions.ts'
import { capital, responses } from '../openapi/responses.ts'
import { type Guard, guarded } from '../output/precondition.ts'
import { send } from '../output/send.ts'
import { readSteadily } from '../plugins/caching.ts'
import type { Permission } from '../plugins/rights.ts'
import { refuseUnread } from './refused.ts'
import type { Resource } from './resource.ts'
import type { Service } from './service.ts'

type Kind = Pick<Resource<never, never>, 'name' | 'plural' | 'right'>
type Shown = Pick<Resource<never, never>, 'name' | 'show'>

/** "an event", "a venue". */
export const withArticle = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

/** The permission that a write requires. */
export const mayDo = (verb: string, { right, plural }: Kind): Permission => ({
  right,
  to: `${verb} ${plural}`,
})

const absent = (name: Kind['name']) =>
  name === 'event' ? 'rest-event-not-found' : (`${name}-not-found` as const)

/** Returns the JSON; throws the 404 if another write has just deleted the record. */
function there({ name }: Pick<Kind, 'name'>, json: Json | undefined): Json {
  if (json !== undefined) return json
  throw new ApiError(absent(name), `This ${name} has just been deleted permanently.`)
}

/** The JSON of one record; throws the 404 if it no longer exists. */
export const showOne = async (resource: Shown, id: number, view: View) =>
  there(resource, (await resource.show([id], view))[0])

/** Registers read, update and delete of one record of a kind, by ID or by slug. */
export function addSingle<Query, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input>,
  by: 'id' | 'slug',
) {
  const { name, plural } = resource
  const url = by === 'id' ? `/${plural}/:id` : `/${plural}/by-slug/:slug`
  const tags = [capital(plural)]
  const One = capital(name)
  const one = withArticle(name)
  const language = c.LanguageSelector(service.site.languages)
  const missing: ErrorCode[] = [absent(name)]
  const stale: ErrorCode[] = [absent(name), 'rest_precondition_failed']
  const show = (id: number, view: View) => showOne(resource, id, view)
  const suffix = by === 'id' ? '' : 'BySlug'
  const params = by === 'id' ? Type.Object({ id: c.PathId(name) }) : Type.Object({ slug: c.PathSlug(name) })
  /** The key of the record at this address: a write changes what a read returns (R12). */
  const keyOf = (request: FastifyRequest): Key => ({
    ...(request.params as Key),
    language: service.language(request),
  })
  /** The record as the caller reads it at this address. */
  async function read(request: FastifyRequest) {
    const view = service.view(request, true)
    const id = await resource.find(keyOf(request), request, view)
    return { id, json: await show(id, view) }
  }
  const change = <T>(
    request: FastifyRequest,
    reply: FastifyReply,
    write: (guard: Guard, key: Key) => Promise<T>,
  ): Promise<T> =>
    guarded(
      request,
      reply,
      service.store,
      name,
      () => read(request),
      (guard, id) => write(guard, id === undefined ? keyOf(request) : { id }),
    )

  app.route({
    method: 'GET',
    url,
    config: { operation: 'read' },
    schema: {
      operationId: `get${One}${suffix}`,
      tags,
      summary: `Read ${one} by ${by === 'id' ? 'ID' : 'slug'}`,
      params,
      querystring: c.extend(resource.read, { ...c.Fields, ...language }),
      description: descriptionOf('read', name),
      ...responses('read', resource.answer.$id!, [...missing, ...resource.errors.read]),
    },
    async handler(request, reply) {
      const { json } = await readSteadily(service.store, request, () => read(request))
      return send(request, reply, json)
    },
  })

  for (const [method, operationId] of [
    ['PATCH', `update${One}${suffix}`],
    ['PUT', `replace${One}${suffix}`],
    ['POST', `update${One}${suffix}ByPost`],
  ] as const) {
    app.route({
      method,
      url,
      config: { operation: 'update', permission: mayDo('change', resource) },
      schema: {
        operationId,
        tags,
        summary: `Update ${one} by ${by === 'id' ? 'ID' : 'slug'} (${method})`,
        description: descriptionOf('update', name),
        params,
        querystring: Type.Object(language),
        body: Type.Ref(`${One}Update${suffix}`) as TSchema,
        ...responses('update', resource.answer.$id!, [...stale, ...resource.errors.update]),
      },
      preValidation: mergeParameters,
      attachValidation: true,
      async handler(request, reply) {
        await refuseUnread(request, (understood) =>
          resource.check(service.reading(request), understood as Input, keyOf(request)),
        )
        const id = await change(request, reply, (guard, key) =>
          service.write(request, (write) =>
            guard(write.tx, () => resource.update(write, key, request.body as Input)),
          ),
        )
        return send(request, reply, await show(id, service.view(request, false)))
      },
    })
  }

  app.route({
    method: 'DELETE',
    url,
    config: { operation: 'delete', permission: mayDo('delete', resource) },
    schema: {
      operationId: `delete${One}${suffix}`,
      tags,
      summary: `Delete ${one} by ${by === 'id' ? 'ID' : 'slug'}`,
      description: descriptionOf('delete', name),
      params,
      querystring: c.extend(
        by === 'id' ? resource.remove : (Type.Omit(resource.remove, ['password']) as TObject),
        language,
      ),
      ...responses('delete', resource.answer.$id!, [...stale, ...resource.errors.delete]),
    },
    async handler(request, reply) {
      const json = await change(request, reply, (guard, key) =>
        resource.delete(key, request, service.view(request, false), guard),
      )
      return send(request, reply, there(resource, json))
    },
  })
}
