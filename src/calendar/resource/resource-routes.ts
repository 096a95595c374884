import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import * as c from '../../../schemas/common.ts'
import { LanguageInput } from '../../../schemas/input.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { ignoredOf, publishBody } from '../../kernel/input/validator.ts'
import { capital, responses, withArticle } from '../../kernel/openapi/responses.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import { type Guard, type Json, type Key, type PostKind, UNCONDITIONAL } from '../store.ts'
import { composePage, linkCalendar, MAX_PER_PAGE } from './envelope.ts'
import { addByExternal } from './external.ts'
import { absent, descriptionOf, mayDo, REPEATED, type Resource, takenIn } from './resource.ts'
import { bodyOf, type RecordRequest, type Service } from './service.ts'
import {
  type Around,
  addCurrentEtag,
  addDifferences,
  addWrite,
  create,
  guarded,
  mustExist,
  readOne,
  refuseInput,
  remove,
  showWritten,
  update,
  within,
  writeAround,
} from './writes.ts'

/** Whether records of a kind have URLs by slug, and go to the trash when they are deleted: all but terms. */
const hasTrash = <R extends { name: SyncKind; hasSlugs: boolean }>(
  resource: R,
): resource is R & { name: PostKind } => resource.hasSlugs

/** Records that are shown for a unit of work. */
const SHOWN = 25

type Listed = { page: number; per_page: number }

/** Registers list, create, read, update and delete, by ID and by slug, at the namespace root. */
export function addResource<Query extends Listed, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input>,
) {
  const { name, plural } = resource
  const tags = [capital(plural)]
  const One = capital(name)
  const language = c.LanguageSelector(service.site.languages)
  const own = LanguageInput(service.site.languages)
  const Input = c.extend(resource.input, { ...resource.more.properties, ...own }, { $id: `${One}Input` })
  publishBody(app, Input, resource.answer)
  const Update = c.extend(Input, resource.rename?.properties ?? {})
  publishBody(app, c.update(Update, { $id: `${One}Update` }), resource.answer)

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
      const { entries, total, filters } = await service.store.consistently(request, async () => {
        const { ids, total, filters, occurrences } = await resource.list(filter, request)
        request.spend?.(ids.length / SHOWN)
        const view = { ...service.view(request, false), occurrences }
        return { entries: await resource.show(ids, view), total, filters }
      })
      const page = {
        url: `${service.root(request)}/${plural}`,
        page: filter.page,
        perPage: filter.per_page,
        filters,
      }
      const json = composePage(reply, plural, name, entries, total, page)
      linkCalendar(request, reply, service.root(request))
      return bodyOf(request, reply, json)
    },
  })

  addWrite(app, {
    method: 'POST',
    url: `/${plural}`,
    config: {
      operation: 'create',
      permission: mayDo('create', resource),
      repeatable: true,
      forwardable: true,
    },
    schema: {
      operationId: `create${One}`,
      tags,
      summary: `Create ${withArticle(name)}`,
      description: descriptionOf('create', name),
      querystring: Type.Object(language),
      body: Type.Ref(`${One}Input`) as TSchema,
      ...responses('create', resource.answer.$id!, [
        ...resource.errors.create,
        ...takenIn(resource),
        ...REPEATED,
        ...service.around.errors,
      ]),
    },
    refuse: resource.refuse,
    async make(request, head) {
      await refuseInput(request, service, resource)
      const id = await writeAround(request, service, { kind: name, verb: 'create' }, (guard) =>
        create(request, service, resource, guard),
      )
      // what a read of `Location` shows, which repeats nothing of this query
      const key = { id, language: mountOf(request)!.language }
      const json = await showWritten(request, head, service, resource, id, key)
      head.code(201)
      head.header('location', `${service.root(request)}/${plural}/${id}`)
      return json
    },
  })

  addSingle(app, service, resource, 'id')
  if (!hasTrash(resource)) return
  addSingle(app, service, resource, 'slug')
  addByExternal(app, service, resource)
  addRestore(app, service, resource)
}

/** The key of the record that the path of a request names. */
const keyAt = (request: RecordRequest, service: Service): Key =>
  // the parameters themselves, as a batch puts the IDs of its records into them
  Object.assign(request.params as Key, { language: service.language(request) })

/** The tag of operations that do what others do. */
const ALIASES = ['Aliases']
const SAME_AS_PATCH =
  'Does the same as PATCH. Use PATCH: this method is kept for existing clients, and will stay.'

/** Registers read, update and delete of one record of a kind, by ID or by slug. */
function addSingle<Query, Input>(
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
  const suffix = by === 'id' ? '' : 'BySlug'
  const params = by === 'id' ? Type.Object({ id: c.PathId(name) }) : Type.Object({ slug: c.PathSlug(name) })
  /** The key of the record at this address: a write changes what a read returns (R12). */
  const keyOf = (request: RecordRequest): Key => keyAt(request, service)
  /** The record as the caller reads it at this address. */
  const read = (request: RecordRequest) => readOne(request, service, resource, keyOf(request))
  /** The record as it stands before a write, by whose ETag the write is conditional. */
  const current = (request: RecordRequest) =>
    readOne(request, service, { ...resource, find: resource.findEditable }, keyOf(request))

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
      try {
        const { json } = await service.store.consistently(request, async () => {
          const found = await read(request)
          await addDifferences(request, reply, service.store, name, found.id)
          return found
        })
        linkCalendar(request, reply, service.root(request))
        return bodyOf(request, reply, json)
      } catch (refusal) {
        if (request.caller) await addCurrentEtag(reply, () => current(request))
        throw refusal
      }
    },
  })

  /** What was sent of the members that only updates by slug take. */
  const unused = new WeakMap<RecordRequest, [name: string, value: unknown][]>()
  const renamed = Object.keys(resource.rename?.properties ?? {})
  const prepare = (request: RecordRequest) => {
    const body = request.body as Record<string, unknown>
    const names = renamed.filter((name) => name in body)
    if (names.length === 0) return
    unused.set(
      request,
      names.map((name) => [name, body[name]]),
    )
    for (const name of names) delete body[name]
  }
  /** Names the members that were not used, but for values that the record has anyway (R11, R14). */
  function nameUnused(request: RecordRequest, json: Json) {
    const sent = unused.get(request)
    if (sent === undefined) return
    const record = JSON.parse(Buffer.concat(json).toString())
    for (const [name, value] of sent) if (record[name] !== value) ignoredOf(request.body).push(name)
  }

  for (const [method, operationId] of [
    ['PATCH', `update${One}${suffix}`],
    ['PUT', `replace${One}${suffix}`],
    ['POST', `update${One}${suffix}ByPost`],
  ] as const) {
    addWrite(app, {
      method,
      url,
      config: { operation: 'update', permission: mayDo('change', resource), forwardable: true },
      schema: {
        operationId,
        tags: by === 'id' && method === 'PATCH' ? tags : ALIASES,
        summary: `Update ${one} by ${by === 'id' ? 'ID' : 'slug'}${method === 'PATCH' ? '' : ` (${method})`}`,
        ...(method !== 'PATCH' && { deprecated: true }),
        description: method === 'PATCH' ? descriptionOf('update', name) : SAME_AS_PATCH,
        params,
        querystring: c.extend(resource.change ?? Type.Object({}), language),
        body: Type.Ref(`${One}Update`) as TSchema,
        ...responses('update', resource.answer.$id!, [
          ...stale,
          ...resource.errors.update,
          ...takenIn(resource),
          ...service.around.errors,
        ]),
      },
      refuse: resource.refuse,
      ...(by === 'id' && resource.rename && { prepare }),
      async make(request, head) {
        const key = keyOf(request)
        await refuseInput(request, service, resource, key)
        const id = await writeAround(request, service, { kind: name, verb: 'update' }, (guard) =>
          update(request, head, service, resource, key, () => current(request), guard),
        )
        const json = await showWritten(request, head, service, resource, id, key)
        nameUnused(request, json)
        return json
      },
    })
  }

  /** Removes a record where a feature removes it; gives it as it is in the trash, or was before. */
  async function removeThere(
    request: RecordRequest,
    around: Around,
    remove: (guard: Guard) => Promise<unknown>,
  ) {
    const view = service.view(request, false)
    let before: Json | undefined
    const find = async () => {
      const id = await resource.findEditable(keyOf(request), request)
      before = (await resource.show([id], view))[0]
      return id
    }
    const id = await around(request, { kind: name, verb: 'delete', find }, remove)
    const { force } = request.query as { force?: boolean }
    return (force ? undefined : (await resource.show([id], view))[0]) ?? before
  }

  addWrite(app, {
    method: 'DELETE',
    url,
    config: { operation: 'delete', permission: mayDo('delete', resource), forwardable: true },
    schema: {
      operationId: `delete${One}${suffix}`,
      tags: by === 'id' ? tags : ALIASES,
      summary: `Delete ${one} by ${by === 'id' ? 'ID' : 'slug'}`,
      description: descriptionOf('delete', name),
      params,
      querystring: c.extend(
        by === 'id' ? resource.remove : (Type.Omit(resource.remove, ['password']) as TObject),
        language,
      ),
      ...responses('delete', resource.answer.$id!, [
        ...stale,
        ...resource.errors.delete,
        ...service.around.errors,
      ]),
    },
    async make(request, head) {
      const key = keyOf(request)
      const removeHere = (guard: Guard) =>
        remove(request, head, service, resource, key, () => current(request), guard)
      const { write: around } = service.around
      const json = around ? await removeThere(request, around, removeHere) : await removeHere(UNCONDITIONAL)
      return mustExist(resource, json)
    },
  })
}

/** Registers the way back from the trash for a kind of record, by ID: with the status that the record had before. */
function addRestore<Query, Input>(
  app: FastifyInstance,
  service: Service,
  resource: Resource<Query, Input> & { name: PostKind },
) {
  const { name, plural } = resource
  const { store } = service
  const One = capital(name)

  addWrite(app, {
    method: 'POST',
    url: `/${plural}/:id/restore`,
    config: {
      operation: 'update',
      permission: mayDo('change', resource),
      repeatable: true,
      forwardable: true,
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
    async make(request, head) {
      // what is sent changes nothing
      request.body = {}
      const key = keyAt(request, service)
      const current = () => readOne(request, service, { ...resource, find: resource.findEditable }, key)
      const restore = (outer: Guard) =>
        guarded(request, head, store, name, current, (guard, known) =>
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
      return showWritten(request, head, service, resource, id, key)
    },
  })
}
