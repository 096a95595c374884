import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { addEtag, guarded } from '../../calendar/resource/writes.ts'
import { isForced } from '../../calendar/resource/resource.ts'
import { bodyOf, type Service } from '../../calendar/resource/service.ts'
import { mayDo, mustExist, showOne } from '../../calendar/resource/single.ts'
import type { Json, Key } from '../../calendar/store.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { parameterNames } from '../../kernel/input/query.ts'
import { refuseUnread } from '../../kernel/input/validator.ts'
import { isObject } from '../../kernel/input/values.ts'
import { capital } from '../../kernel/openapi/responses.ts'
import type { Context, PostType } from './formats.ts'
import type { Kind } from './kinds.ts'
import { WP } from './place.ts'
import { readQuery } from './queries.ts'
import { contextOf, jsonOf, ownOf, readPage, type Showing, type Shown } from './showing.ts'

/** An address of a kind: its namespace and name, and how it answers. */
type Collection = Shown & {
  namespace: string
  base: string
  /** Limits for how long what is shown holds. */
  last?(request: FastifyRequest): void
  /** Throws if a body in our members has nothing to show. */
  mustSay?(type: PostType, body: Record<string, unknown>): void
  /** The error of a page after the last; undefined where that is an empty list. */
  beyond(page: number, pages: number): Error | undefined
}

/** The parameters that a route of WordPress understands. */
export const parametersOf = (query: TObject) => parameterNames(query, '_embed')

/**
 * Registers list, create, read and update of a kind, and delete of posts. Requests are translated into those of the API, and done by what does those:
 * rights, checks, limits and conditions are the same.
 */
export function addCollection(
  app: FastifyInstance,
  service: Service,
  showing: Showing,
  kind: Kind,
  collection: Collection,
) {
  const { resource } = kind
  const { name } = resource
  const One = capital(name)
  const path = `/${collection.namespace}/${collection.base}`
  const url = WP + path
  const params = Type.Object({ id: c.PathId(name) })
  const reading = Type.Object({ ...readQuery(service.site.languages), ...VisitorPassword })
  const changing = Type.Object({ ...reading.properties, ...resource.change?.properties })
  const removing = Type.Object({ ...reading.properties, ...resource.remove.properties })
  const urlOf = (request: FastifyRequest) => showing.where(request).rest + path
  const keyOf = (request: FastifyRequest): Key => ({
    ...(request.params as { id: number }),
    language: service.language(request),
  })
  const shown = async (request: FastifyRequest, json: Json, context: Context): Promise<object> => {
    const [one] = await showing.show(request, collection, [ownOf(json)], context)
    return one!
  }
  const showId = async (request: FastifyRequest, id: number, context: Context) => {
    const json = await showOne(resource, id, service.view(request, false))
    return { id, json: jsonOf(await shown(request, json, context)) }
  }
  const read = async (request: FastifyRequest, context: Context) => {
    const view = service.view(request, true)
    const id =
      context === 'edit'
        ? await resource.findEditable(keyOf(request), request)
        : await resource.find(keyOf(request), request, view)
    return showId(request, id, context)
  }
  /** The record before a write, by whose ETag the write is conditional. */
  const currentOf = async (request: FastifyRequest) =>
    showId(request, await resource.findEditable(keyOf(request), request), 'view')
  const answer = async (request: FastifyRequest, reply: FastifyReply, id: number) => {
    const json = await service.store.consistently(request, async () => {
      const shown = await showId(request, id, 'edit')
      await addEtag(request, reply, id, () => showId(request, id, 'view'))
      return shown.json
    })
    return bodyOf(request, reply, json)
  }
  /** Prepares the body of a write. `applied` says whether the route reads which dates of a series are meant. */
  const translate = (applied: boolean) => async (request: FastifyRequest) => {
    await mergeParameters(request)
    const body = await kind.toInput(request.body as Record<string, unknown>, request)
    const { apply_to } = request.given
    // where it has no meaning, it is named as a member that is ignored
    request.body = applied || apply_to === undefined ? body : { ...body, apply_to: apply_to.values.at(-1) }
  }

  app.route({
    method: 'GET',
    url,
    config: { operation: 'list', parameters: parametersOf(kind.query) },
    schema: { hide: true, querystring: kind.query },
    async handler(request, reply) {
      const { page } = request.query as { page: number }
      const context = contextOf(request)
      const found = await service.store.consistently(request, async () => {
        const { records, total } = await readPage(service, kind, request)
        collection.last?.(request)
        return { entries: await showing.show(request, collection, records, context), total }
      })
      return showing.sendList(request, reply, urlOf(request), found, (pages) =>
        collection.beyond(page, pages),
      )
    },
  })

  app.route({
    method: 'POST',
    url,
    config: { operation: 'create', permission: mayDo('create', resource) },
    schema: { hide: true, querystring: reading, body: Type.Ref(`${One}Input`) as TSchema },
    async preValidation(request) {
      await translate(false)(request)
      if (kind.type) collection.mustSay?.(kind.type, request.body as Record<string, unknown>)
    },
    attachValidation: true,
    async handler(request, reply) {
      await refuseUnread(request, (input) =>
        resource.check(service.checking(request), input as never, request),
      )
      const id = await service.write<never, number>(request, resource, resource.create)
      return answer(request, reply.code(201).header('location', `${urlOf(request)}/${id}`), id)
    },
  })

  app.route({
    method: 'GET',
    url: `${url}/:id`,
    config: { operation: 'read', parameters: parametersOf(reading) },
    schema: { hide: true, params, querystring: reading },
    async handler(request, reply) {
      const context = contextOf(request)
      const { json } = await service.store.consistently(request, () => read(request, context))
      collection.last?.(request)
      return bodyOf(request, reply, json)
    },
  })

  for (const method of ['POST', 'PUT', 'PATCH'])
    app.route({
      method,
      url: `${url}/:id`,
      config: { operation: 'update', permission: mayDo('change', resource) },
      schema: { hide: true, params, querystring: changing, body: Type.Ref(`${One}Update`) as TSchema },
      preValidation: translate('apply_to' in changing.properties),
      attachValidation: true,
      async handler(request, reply) {
        await refuseUnread(request, (input) =>
          resource.check(service.checking(request), input as never, request, keyOf(request)),
        )
        const current = () => currentOf(request)
        const id = await guarded(request, reply, service.store, name, current, (guard, id) =>
          service.write<never, number>(request, resource, (write, input) =>
            guard(write.tx, () =>
              resource.update(write, id === undefined ? keyOf(request) : { id }, input, request),
            ),
          ),
        )
        return answer(request, reply, id)
      },
    })

  /** WordPress reads `force` in the body of a deletion as well. */
  const readForce = async (request: FastifyRequest) => {
    const { force, ...rest } = isObject(request.body) ? request.body : {}
    if (!/^(?:true|1)$/i.test(String(force))) return
    Object.assign(request.query as object, { force: true })
    request.body = rest
  }

  // terms are deleted for good, which WordPress does only if it is told so
  if (kind.type === undefined) return
  app.route({
    method: 'DELETE',
    url: `${url}/:id`,
    config: {
      operation: 'delete',
      permission: mayDo('delete', resource),
      parameters: parametersOf(removing),
    },
    schema: { hide: true, params, querystring: removing },
    preValidation: readForce,
    async handler(request, reply) {
      const json = await guarded(
        request,
        reply,
        service.store,
        name,
        () => currentOf(request),
        (guard, id) =>
          resource.delete(
            id === undefined ? keyOf(request) : { id },
            request,
            service.view(request, false),
            guard,
          ),
      )
      const own = await shown(request, mustExist(resource, json), 'view')
      return bodyOf(request, reply, jsonOf(isForced(request) ? { deleted: true, previous: own } : own))
    },
  })
}
