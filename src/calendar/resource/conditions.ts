import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SyncKind } from '../../../schemas/changes.ts'
import { SHARED_FIELDS } from '../../../schemas/shared-fields.ts'
import type { ApiError, ErrorCode } from '../../kernel/errors.ts'
import { etagOf, named } from '../../kernel/output/header-values.ts'
import { canWrite } from '../rights.ts'
import type { Guard, Json, Store } from '../store.ts'

/** Returns the record at the same URL as the same caller reads it, or throws the error of the read or of the write. */
type Current = () => Promise<{ id: number; json: Json }>
type Known = { id: number; etag: string }

/** No condition of its own. */
export const FREE: Guard = (_tx, work) => work()

/** One guard within another. */
export const within =
  (outer: Guard, inner: Guard): Guard =>
  (tx, work) =>
    outer(tx, () => inner(tx, work))

/** A write is on the condition of `If-Match` (RFC 9110 §13.1.1), if it has one: 412 with the current ETag unless it holds (§13.2.1). */
export async function guarded<T>(
  request: FastifyRequest,
  reply: FastifyReply,
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
      if (now) reply.header('etag', now.etag)
    }
    throw error
  }
}

/** Adds the ETag of a record to the refusal of a read, if the caller may change it: an event is restored from the trash by it. */
export async function addCurrentEtag(reply: FastifyReply, current: Current) {
  const known = await findCurrent(current)
  if (known) reply.header('etag', known.etag)
}

/**
 * Adds the ETag of a record that was written: that of a read of its URL, if this shows the record to the caller. A response to PUT has
 * none, since the record is not what was sent (RFC 9110 §9.3.4).
 */
export async function addEtag(request: FastifyRequest, reply: FastifyReply, id: number, current: Current) {
  reply.removeHeader('etag')
  if (request.method === 'PUT') return
  const known = await findCurrent(current)
  if (known?.id === id) reply.header('etag', known.etag)
}

/** Tells a caller who may edit a record in which facts its translations differ from it. */
export async function addDifferences(
  { caller }: FastifyRequest,
  reply: FastifyReply,
  { differences }: Pick<Store, 'differences'>,
  kind: SyncKind,
  id: number,
) {
  if (!canWrite(caller) || !hasFacts(kind)) return
  const found = await differences(kind, id, caller)
  const text = found.map(([language, names]) => `${language}: ${names.join(', ')}`).join('; ')
  reply.removeHeader('x-translations-differ')
  if (text) reply.header('x-translations-differ', text)
}

/** Whether records of a kind have facts, which their translations share. */
const hasFacts = (kind: SyncKind): kind is keyof typeof SHARED_FIELDS => kind in SHARED_FIELDS

/** The current record with its ETag; undefined if the caller may not see it here. */
const findCurrent = (current: Current) =>
  current().then(
    ({ id, json }) => ({ id, etag: etagOf(Buffer.concat(json)) }),
    () => undefined,
  )

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a feature may make the writes of the route elsewhere. */
    forwardable?: true
  }
}

/** A write of one record: its kind and what it does, and the record where the write itself does not tell it. */
export type RecordWrite = {
  kind: Exclude<SyncKind, 'media'>
  verb: 'create' | 'update' | 'delete' | 'restore'
  find?(): Promise<number>
}
/** Makes a write elsewhere instead of here, where `write` only tries it. Returns the record here. */
export type Around = (
  request: FastifyRequest,
  asked: RecordWrite,
  write: (guard: Guard) => Promise<unknown>,
) => Promise<number>

/** What a feature puts around the writes of single records, and the errors that they then may have. */
export type AroundWrites = { write?: Around; errors: ErrorCode[] }

/** Makes a write here, unless a feature makes it elsewhere. */
export const writeAround = (
  request: FastifyRequest,
  { around }: { around: AroundWrites },
  asked: RecordWrite,
  write: (guard: Guard) => Promise<number>,
) => (around.write ? around.write(request, asked, write) : write(FREE))
