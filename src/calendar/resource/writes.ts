import type { FastifyInstance, RouteOptions } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import { SHARED_FIELDS } from '../../../schemas/shared-fields.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { mergeParameters } from '../../kernel/input/bodies.ts'
import { refuseUnread } from '../../kernel/input/validator.ts'
import { etagOf, named, type ResponseHead } from '../../kernel/output/header-values.ts'
import { canWrite } from '../rights.ts'
import { type Guard, type Json, type Key, type Store, UNCONDITIONAL, type View } from '../store.ts'
import { absent, type Resource } from './resource.ts'
import { bodyOf, type RecordRequest, type Service } from './service.ts'

type Readable = Pick<Resource<never, never>, 'name' | 'find' | 'show'>

/** Returns the JSON; throws the 404 if another write has just deleted the record. */
export function mustExist({ name }: Pick<Resource<never, never>, 'name'>, json: Json | undefined): Json {
  if (json !== undefined) return json
  throw new ApiError(absent(name), `This ${name} has just been deleted permanently.`)
}

/** The JSON of one record; throws the 404 if it no longer exists. */
export const showOne = async (resource: Pick<Readable, 'name' | 'show'>, id: number, view: View) =>
  mustExist(resource, (await resource.show([id], view))[0])

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

/** Returns the record at the same URL as the same caller reads it, or throws the error of the read or of the write. */
type Current = () => Promise<{ id: number; json: Json }>
type Known = { id: number; etag: string }

/** One guard within another. */
export const within =
  (outer: Guard, inner: Guard): Guard =>
  (tx, work) =>
    outer(tx, () => inner(tx, work))

/** A write is on the condition of `If-Match` (RFC 9110 §13.1.1), if it has one: 412 with the current ETag unless it holds (§13.2.1). */
export async function guarded<T>(
  request: RecordRequest,
  head: ResponseHead,
  store: Pick<Store, 'writeOn'>,
  kind: string,
  current: Current,
  write: (guard: Guard, id?: number) => Promise<T>,
): Promise<T> {
  const match = request.headers['if-match']
  // `*` requires that the record exists, as every write does
  if (match === undefined || match.trim() === '*') return store.writeOn(kind, undefined, write)
  const fits = ({ etag }: Known) => named(match, etag) !== undefined
  try {
    return await store.writeOn<Known, T>(kind, { current: () => findCurrent(current), fits }, write)
  } catch (error) {
    if ((error as ApiError).code === 'rest_precondition_failed') {
      const now = await findCurrent(current)
      if (now) head.header('etag', now.etag)
    }
    throw error
  }
}

/** Adds the ETag of a record to the refusal of a read, if the caller may change it: an event is restored from the trash by it. */
export async function addCurrentEtag(head: ResponseHead, current: Current) {
  const known = await findCurrent(current)
  if (known) head.header('etag', known.etag)
}

/**
 * Adds the ETag of a record that was written: that of a read of its URL, if this shows the record to the caller. A response to PUT has
 * none, since the record is not what was sent (RFC 9110 §9.3.4).
 */
export async function addEtag(request: RecordRequest, head: ResponseHead, id: number, current: Current) {
  head.removeHeader('etag')
  if (request.method === 'PUT') return
  const known = await findCurrent(current)
  if (known?.id === id) head.header('etag', known.etag)
}

/** Tells a caller who may edit a record in which shared fields its translations differ from it. */
export async function addDifferences(
  { caller }: Pick<RecordRequest, 'caller'>,
  head: ResponseHead,
  { differences }: Pick<Store, 'differences'>,
  kind: SyncKind,
  id: number,
) {
  if (!canWrite(caller) || !hasSharedFields(kind)) return
  const found = await differences(kind, id, caller)
  const text = found.map(([language, names]) => `${language}: ${names.join(', ')}`).join('; ')
  head.removeHeader('x-translations-differ')
  if (text) head.header('x-translations-differ', text)
}

/** Whether records of a kind have fields that their translations share. */
const hasSharedFields = (kind: SyncKind): kind is keyof typeof SHARED_FIELDS => kind in SHARED_FIELDS

/** The current record with its ETag; undefined if the caller may not see it here. */
const findCurrent = (current: Current) =>
  current().then(
    ({ id, json }) => ({ id, etag: etagOf(Buffer.concat(json)) }),
    () => undefined,
  )

/** A write of a record, as its route makes it for a request, and a batch for an operation. */
export type WriteOperation = {
  /** Throws for a body that is never right, before anything else is checked. */
  refuse?: ((body: unknown) => void) | undefined
  /** Reads the body further, once it has the parameters of the address. */
  prepare?: ((request: RecordRequest) => Promise<void> | void) | undefined
  /** Makes it, and gives the body of the response. */
  make(request: RecordRequest, head: ResponseHead): Promise<Json>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a feature may make the writes of the route elsewhere. */
    forwardable?: true
    /** What the route does. */
    write?: WriteOperation
  }
}

/** A write as data. Without a schema of a body it reads none. */
type WriteRoute = WriteOperation & Pick<RouteOptions, 'method' | 'url' | 'config' | 'schema'>

/** Registers the route of a write. All that is invalid is refused with what `make` finds wrong beside it. */
export function addWrite(app: FastifyInstance, { method, url, config, schema, ...write }: WriteRoute) {
  app.route({
    method,
    url,
    config: { ...config, write },
    schema,
    ...(schema?.body !== undefined && {
      async preValidation(request) {
        await mergeParameters(request)
        await write.prepare?.(request)
      },
      attachValidation: true,
    }),
    handler: async (request, reply) => bodyOf(request, reply, await write.make(request, reply)),
  })
}

/** Lets a feature read the bodies of a route further, after what the route itself does before they are validated. */
export function addPreparation(route: RouteOptions, step: (request: RecordRequest) => Promise<void>) {
  const write = route.config?.write
  if (write === undefined) {
    route.preValidation = [route.preValidation, step].flat().filter((hook) => hook !== undefined)
    return
  }
  const { prepare } = write
  write.prepare = async (request) => {
    await prepare?.(request)
    await step(request)
  }
}

/** What a resource has to do with a write. */
type Written = Pick<Resource<never, never>, 'name' | 'isLong' | 'check' | 'create' | 'update' | 'delete'>

/** Throws what is wrong with the body of a write, if it was refused: with what its resource finds wrong with the rest of it. */
export const refuseInput = (request: RecordRequest, service: Service, { check }: Written, key?: Key) =>
  refuseUnread(request, (understood) => check(service.checking(request), understood as never, request, key))

/** Creates a record; returns its ID. */
export const create = (
  request: RecordRequest,
  service: Service,
  resource: Written,
  guard: Guard = UNCONDITIONAL,
) =>
  service.write<never, number>(request, resource, (write, input) =>
    guard(write.tx, () => resource.create(write, input)),
  )

/** Updates the record with a key, on the condition of `If-Match`; returns its ID. `current` gives it as the caller knows it. */
export const update = (
  request: RecordRequest,
  head: ResponseHead,
  service: Service,
  resource: Written,
  key: Key,
  current: Current,
  outer: Guard = UNCONDITIONAL,
) =>
  guarded(request, head, service.store, resource.name, current, (guard, id) =>
    service.write<never, number>(request, resource, (write, input) =>
      within(outer, guard)(write.tx, () =>
        resource.update(write, id === undefined ? key : { id }, input, request),
      ),
    ),
  )

/** Deletes the record with a key, on the condition of `If-Match`; gives it as it is in the trash, or was before. */
export const remove = (
  request: RecordRequest,
  head: ResponseHead,
  service: Service,
  resource: Written,
  key: Key,
  current: Current,
  outer: Guard = UNCONDITIONAL,
) =>
  guarded(request, head, service.store, resource.name, current, (guard, id) =>
    resource.delete(
      id === undefined ? key : { id },
      request,
      service.view(request, false),
      within(outer, guard),
    ),
  )

/** A write of one record: its kind and what it does, and the record where the write itself does not tell it. */
export type RecordWrite = {
  kind: Exclude<SyncKind, 'media'>
  verb: 'create' | 'update' | 'delete' | 'restore'
  find?(): Promise<number>
}
/** Makes a write elsewhere instead of here, where `write` only tries it. Returns the record here. */
export type Around = (
  request: RecordRequest,
  asked: RecordWrite,
  write: (guard: Guard) => Promise<unknown>,
) => Promise<number>

/** What a feature puts around the writes of single records, and the errors that they then may have. */
export type AroundWrites = { write?: Around; errors: ErrorCode[] }

/** Makes a write here, unless a feature makes it elsewhere. */
export const writeAround = (
  request: RecordRequest,
  { around }: { around: AroundWrites },
  asked: RecordWrite,
  write: (guard: Guard) => Promise<number>,
) => (around.write ? around.write(request, asked, write) : write(UNCONDITIONAL))
