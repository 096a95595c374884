import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Right } from '../../rules/roles.ts'
import type { Key } from '../../store/records/posts.ts'
import type { Write } from '../../store/records/write.ts'
import type { Json, View } from '../../store/views/documents.ts'
import { mergeParameters } from '../input/body.ts'
import { ignoredOf, publishBody } from '../input/validator.ts'
import { descriptionOf } from '../openapi/descriptions.ts'
import { capital, responses } from '../openapi/responses.ts'
import { JSON_ANSWER } from '../output/content-type.ts'
import { trimFields } from '../output/fields.ts'
import { composePage, MAX_PER_PAGE } from '../output/page.ts'
import { type Guard, guarded } from '../output/precondition.ts'
import { readSteadily } from '../plugins/caching.ts'
import type { Permission } from '../plugins/rights.ts'
import type { Service } from './service.ts'

/** A kind of record as data: what its routes take, give and do. By ID and by slug are one (D7). */
export type Resource<Query, Input> = {
  name: 'event' | 'venue' | 'organizer' | 'category' | 'tag'
  plural: string
  bySlug: boolean
  /** What the role of a caller needs for any write of this kind. */
  right: Right
  query: TObject
  input: TObject
  /** More parameters: of reads, of deletes, and in the bodies of creates and of updates by ID. */
  read: TObject
  remove: TObject
  byId: TObject
  /** Errors of its own, besides those that operations of a kind have in common. */
  errors: Record<'read' | 'create' | 'update' | 'delete', ErrorCode[]>
  /** A page of IDs, how many match, and the filters as links carry them. */
  list(
    query: Query,
    request: FastifyRequest,
  ): Promise<{ ids: number[]; total: number; filters: [string, string][] }>
  /** The ID of what a key means to this caller in this language; throws what a single read answers instead. */
  find(key: Key, request: FastifyRequest, view: View): Promise<number>
  create(write: Write, input: Input): Promise<number>
  update(write: Write, key: Key, input: Input): Promise<number>
  /** Deletes, or moves to the trash; gives the record as it is, or was just before it went for good. */
  delete(key: Key, request: FastifyRequest, view: View, guard: Guard): Promise<Json | undefined>
  /** The JSON of those that are there. */
  show(ids: number[], view: View): Promise<Json[]>
}

type Listed = { page: number; per_page: number }

/** Registers list, create, read, update and delete, by ID and by slug, at the namespace root. */
export function addResource<Query extends Listed, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input>,
) {
  const { name, plural } = resource
  const tags = [capital(plural)]
  const may = (verb: string): Permission => ({ right: resource.right, to: `${verb} ${plural}` })
  const One = capital(name)
  const language = c.LanguageSelector(service.site.languages)
  const Input = c.extend(resource.input, { ...resource.byId.properties, ...language }, { $id: `${One}Input` })
  const InputBySlug = c.extend(resource.input, language)
  publishBody(app, Input)
  publishBody(app, c.update(Input, { $id: `${One}Update` }))
  if (resource.bySlug) publishBody(app, c.update(InputBySlug, { $id: `${One}UpdateBySlug` }))
  const query = (schema: TObject) => c.extend(schema, { ...language })
  const NoQuery = query(Type.Object({}))
  const absent = name === 'event' ? 'rest-event-not-found' : (`${name}-not-found` as const)
  const missing: ErrorCode[] = [absent]
  const stale: ErrorCode[] = [absent, 'rest_precondition_failed']

  /** Another write may have deleted the record in the same moment. */
  function there(json: Json | undefined): Json {
    if (json !== undefined) return json
    throw new ApiError(absent, `This ${name} was deleted for good just now.`)
  }
  const show = async (id: number, view: View) => there((await resource.show([id], view))[0])

  app.route({
    method: 'GET',
    url: `/${plural}`,
    config: { operation: 'list' },
    schema: {
      operationId: `list${capital(plural)}`,
      tags,
      summary: `List ${plural}`,
      description: descriptionOf('list', name),
      querystring: c.extend(resource.query, { ...c.Fields, ...language }),
      ...responses('list', `${One}Page`, [`${name}-archive-page-not-found`]),
    },
    async handler(request, reply) {
      const filter = request.query as Query
      filter.per_page = Math.min(filter.per_page, MAX_PER_PAGE)
      const { entries, total, filters } = await readSteadily(service.store, request, async () => {
        const { ids, total, filters } = await resource.list(filter, request)
        return { entries: await resource.show(ids, service.view(request, false)), total, filters }
      })
      const page = {
        url: `${service.root(request)}/${plural}`,
        page: filter.page,
        perPage: filter.per_page,
        filters,
      }
      return send(request, reply, composePage(reply, plural, name, entries, total, page))
    },
  })

  app.route({
    method: 'POST',
    url: `/${plural}`,
    config: { operation: 'create', permission: may('create') },
    schema: {
      operationId: `create${One}`,
      tags,
      summary: `Create ${article(name)} ${name}`,
      description: descriptionOf('create', name),
      querystring: NoQuery,
      body: Type.Ref(`${One}Input`) as TSchema,
      ...responses('create', One, resource.errors.create),
    },
    preValidation: mergeParameters,
    async handler(request, reply) {
      const id = await service.write(request, (write) => resource.create(write, request.body as Input))
      const json = await show(id, service.view(request, false))
      return send(
        request,
        reply.code(201).header('location', `${service.root(request)}/${plural}/${id}`),
        json,
      )
    },
  })

  const addSingle = (url: string, by: 'id' | 'slug') => {
    const suffix = by === 'id' ? '' : 'BySlug'
    const params =
      by === 'id'
        ? Type.Object({ id: c.Id(name) })
        : Type.Object({ slug: Type.String({ minLength: 1, description: `Slug of the ${name}.` }) })
    /** What a read of this address shows, a write to it changes (R12). */
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
        summary: `Read ${article(name)} ${name} by ${by === 'id' ? 'ID' : 'slug'}`,
        params,
        querystring: c.extend(resource.read, { ...c.Fields, ...language }),
        description: descriptionOf('read', name),
        ...responses('read', One, [...missing, ...resource.errors.read]),
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
        config: { operation: 'update', permission: may('change') },
        schema: {
          operationId,
          tags,
          summary: `Update ${article(name)} ${name} by ${by === 'id' ? 'ID' : 'slug'} (${method})`,
          description: descriptionOf('update', name),
          params,
          querystring: NoQuery,
          body: Type.Ref(`${One}Update${suffix}`) as TSchema,
          ...responses('update', One, [...stale, ...resource.errors.update]),
        },
        preValidation: mergeParameters,
        async handler(request, reply) {
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
      config: { operation: 'delete', permission: may('delete') },
      schema: {
        operationId: `delete${One}${suffix}`,
        tags,
        summary: `Delete ${article(name)} ${name} by ${by === 'id' ? 'ID' : 'slug'}`,
        description: descriptionOf('delete', name),
        params,
        querystring: query(
          by === 'id' ? resource.remove : (Type.Omit(resource.remove, ['password']) as TObject),
        ),
        ...responses('delete', One, [...stale, ...resource.errors.delete]),
      },
      async handler(request, reply) {
        const json = await change(request, reply, (guard, key) =>
          resource.delete(key, request, service.view(request, false), guard),
        )
        return send(request, reply, there(json))
      },
    })
  }
  addSingle(`/${plural}/:id`, 'id')
  if (resource.bySlug) addSingle(`/${plural}/by-slug/:slug`, 'slug')
}

const article = (name: string) => (/^[aeiou]/.test(name) ? 'an' : 'a')

/** Clients refuse headers that are much longer. */
const MAX_HEADER = 4_000

/** Names as a header carries them: percent-encoded where need be (brackets are not), and `...` for those that are too many. */
function printNames(names: string[]): string {
  let text = ''
  for (const name of names) {
    // through a Buffer, since a lone surrogate can't be percent-encoded
    const more =
      (text && ', ') + encodeURI(Buffer.from(name).toString()).replace(/%5[BD]/g, decodeURIComponent)
    if (text.length + more.length > MAX_HEADER) return `${text && `${text}, `}...`
    text += more
  }
  return text
}

/** Sends JSON bytes; on reads only the members that `_fields` names. */
export function send(request: FastifyRequest, reply: FastifyReply, json: Json) {
  const { _fields } = request.query as { _fields?: string }
  const ignored = ignoredOf(request.body)
  if (ignored.length > 0) reply.header('x-ignored-fields', printNames(ignored))
  const bytes = Buffer.concat(json)
  return reply.type(JSON_ANSWER).send(_fields ? trimFields(bytes, _fields) : bytes)
}
