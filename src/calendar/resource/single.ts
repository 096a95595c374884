import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { ForTranslations } from '../../../schemas/shared-fields.ts'
import type { Permission } from '../../kernel/access/permissions.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { ignoredOf } from '../../kernel/input/validator.ts'
import { capital, responses, withArticle } from '../../kernel/openapi/responses.ts'
import type { ResponseHead } from '../../kernel/output/header-values.ts'
import type { Guard, Json, Key, PostKind, View } from '../store.ts'
import { descriptionOf } from './descriptions.ts'
import { linkCalendar } from './page.ts'
import type { Resource } from './resource.ts'
import { bodyOf, type RecordRequest, type Service } from './service.ts'
import {
  type Around,
  addCurrentEtag,
  addDifferences,
  addEtag,
  addWrite,
  FREE,
  guarded,
  refuseInput,
  remove,
  update,
  within,
  writeAround,
} from './writes.ts'

type Kind = Pick<Resource<never, never>, 'name' | 'plural' | 'right'>
type Shown = Pick<Resource<never, never>, 'name' | 'show'>

/** The permission that a write requires. */
export const mayDo = (verb: string, { right, plural }: Kind): Permission => ({
  right,
  to: `${verb} ${plural}`,
})

/** The code of the 404 of a record. */
export const absent = (name: Kind['name']) =>
  name === 'event' ? 'rest-event-not-found' : (`${name}-not-found` as const)

/** The error of a record that another one's source and ID are sent for, of kinds that have them. */
export const takenIn = ({ hasSlugs }: { hasSlugs: boolean }): ErrorCode[] =>
  hasSlugs ? ['external_id_taken'] : []

/** The errors of routes that understand `Idempotency-Key`. */
export const REPEATED: ErrorCode[] = ['idempotency_key_reused', 'idempotency_key_in_use']

/** Returns the JSON; throws the 404 if another write has just deleted the record. */
export function mustExist({ name }: Pick<Kind, 'name'>, json: Json | undefined): Json {
  if (json !== undefined) return json
  throw new ApiError(absent(name), `This ${name} has just been deleted permanently.`)
}

/** The JSON of one record; throws the 404 if it no longer exists. */
export const showOne = async (resource: Shown, id: number, view: View) =>
  mustExist(resource, (await resource.show([id], view))[0])

type Readable = Pick<Resource<never, never>, 'name' | 'find' | 'show'>

/** The response to a read of a record by this caller. */
export async function readOne(request: RecordRequest, service: Service, resource: Readable, key: Key) {
  const view = service.view(request, true)
  const id = await resource.find(key, request, view)
  return { id, json: await showOne(resource, id, view) }
}

/**
 * The JSON of a record after a write, and its ETag as a header: that of a read with this key by the same caller. Both show the same
 * state of the data, so that nobody overwrites what they have not seen.
 */
export const showWritten = (
  request: RecordRequest,
  head: ResponseHead,
  service: Service,
  resource: Readable,
  id: number,
  key: Key,
): Promise<Json> =>
  service.store.consistently(request, async () => {
    const json = await showOne(resource, id, service.view(request, false))
    await addEtag(request, head, id, () => readOne(request, service, resource, key))
    await addDifferences(request, head, service.store, resource.name, id)
    return json
  })

/** The key of the record that the path of a request names. */
const keyAt = (request: RecordRequest, service: Service): Key =>
  // the parameters themselves, as a batch puts the IDs of its records into them
  Object.assign(request.params as Key, { language: service.language(request) })

/** The tag of operations that do what others do. */
const ALIASES = ['Aliases']
const SAME_AS_PATCH =
  'Does the same as PATCH. Use PATCH: this method is kept for existing clients, and will stay.'

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
  const prepare = (request: RecordRequest) => {
    const body = request.body as Record<string, unknown>
    const names = Object.keys(resource.rename?.properties ?? {}).filter((name) => name in body)
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
      const json = around ? await removeThere(request, around, removeHere) : await removeHere(FREE)
      return mustExist(resource, json)
    },
  })
}

/** Registers the way back from the trash for a kind of record, by ID: with the status that the record had before. */
export function addRestore<Query, Input>(
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
