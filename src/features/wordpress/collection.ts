import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { isForced, mayDo } from '../../calendar/resource/resource.ts'
import { bodyOf, type RecordRequest, type Service } from '../../calendar/resource/service.ts'
import {
  addEtag,
  addWrite,
  create,
  mustExist,
  refuseInput,
  remove,
  showOne,
  update,
} from '../../calendar/resource/writes.ts'
import type { Json, Key } from '../../calendar/store.ts'
import { parameterNames } from '../../kernel/input/query.ts'
import { isObject } from '../../kernel/input/readers.ts'
import { capital } from '../../kernel/openapi/responses.ts'
import type { ResponseHead } from '../../kernel/output/header-values.ts'
import { WP } from './discovery.ts'
import type { Context, PostType } from './formats.ts'
import type { Kind } from './kinds.ts'
import { readQuery } from './requests.ts'
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
  const urlOf = (request: RecordRequest) => showing.where(request).rest + path
  const keyOf = (request: RecordRequest): Key => ({
    ...(request.params as { id: number }),
    language: service.language(request),
  })
  const shown = async (request: RecordRequest, json: Json, context: Context): Promise<object> => {
    const [one] = await showing.show(request, collection, [ownOf(json)], context)
    return one!
  }
  const showId = async (request: RecordRequest, id: number, context: Context) => {
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
  const currentOf = async (request: RecordRequest) =>
    showId(request, await resource.findEditable(keyOf(request), request), 'view')
  /** A record after a write, with the ETag of a read. */
  const written = (request: RecordRequest, head: ResponseHead, id: number) =>
    service.store.consistently(request, async () => {
      const shown = await showId(request, id, 'edit')
      await addEtag(request, head, id, () => showId(request, id, 'view'))
      return shown.json
    })
  /** The body of a write in our members. `applied` says whether the route reads which dates of a series are meant. */
  async function toInput(request: RecordRequest, applied: boolean) {
    const body = await kind.toInput(request.body as Record<string, unknown>, request)
    const { apply_to } = request.given
    // where it has no meaning, it is named as a member that is ignored
    return applied || apply_to === undefined ? body : { ...body, apply_to: apply_to.values.at(-1) }
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

  addWrite(app, {
    method: 'POST',
    url,
    config: { operation: 'create', permission: mayDo('create', resource) },
    schema: { hide: true, querystring: reading, body: Type.Ref(`${One}Input`) as TSchema },
    async prepare(request) {
      const body = await toInput(request, false)
      request.body = body
      if (kind.type) collection.mustSay?.(kind.type, body)
    },
    async make(request, head) {
      await refuseInput(request, service, resource)
      const id = await create(request, service, resource)
      head.code(201)
      head.header('location', `${urlOf(request)}/${id}`)
      return written(request, head, id)
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
    addWrite(app, {
      method,
      url: `${url}/:id`,
      config: { operation: 'update', permission: mayDo('change', resource) },
      schema: { hide: true, params, querystring: changing, body: Type.Ref(`${One}Update`) as TSchema },
      async prepare(request) {
        request.body = await toInput(request, 'apply_to' in changing.properties)
      },
      async make(request, head) {
        const key = keyOf(request)
        await refuseInput(request, service, resource, key)
        const id = await update(request, head, service, resource, key, () => currentOf(request))
        return written(request, head, id)
      },
    })

  /** WordPress reads `force` in the body of a deletion as well. */
  function readForce(request: RecordRequest) {
    const { force, ...rest } = isObject(request.body) ? request.body : {}
    if (!/^(?:true|1)$/i.test(String(force))) return
    Object.assign(request.query as object, { force: true })
    request.body = rest
  }

  // terms are deleted for good, which WordPress does only if it is told so
  if (kind.type === undefined) return
  addWrite(app, {
    method: 'DELETE',
    url: `${url}/:id`,
    config: {
      operation: 'delete',
      permission: mayDo('delete', resource),
      parameters: parametersOf(removing),
    },
    schema: { hide: true, params, querystring: removing },
    async make(request, head) {
      readForce(request)
      const json = await remove(request, head, service, resource, keyOf(request), () => currentOf(request))
      const own = await shown(request, mustExist(resource, json), 'view')
      return jsonOf(isForced(request) ? { deleted: true, previous: own } : own)
    },
  })
}
