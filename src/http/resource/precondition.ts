import type { FastifyReply, FastifyRequest } from 'fastify'
import { wasChanged } from '../../store/changes/changes.ts'
import type { Queries } from '../../store/sqlite/db.ts'
import type { Store } from '../../store/store.ts'
import type { Json } from '../../store/views/documents.ts'
import { ApiError } from '../../support/errors.ts'
import { etagOf, named } from '../output/freshness.ts'

/** Runs a write inside its transaction, after the check. */
export type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

/** Returns the record at the same URL as the same caller reads it, or throws the error of the read or of the write. */
type Current = () => Promise<{ id: number; json: Json }>

const PASS: Guard = (_tx, work) => work()

/**
 * Checks the `If-Match` of a write (RFC 9110 §13.1.1): 412 with the current ETag, unless the record still has the ETag in the
 * header. Writes that share a transaction do not see each other's responses, so the guard also checks inside the transaction whether
 * the record was written since. All other errors come first (§13.2.1). The write is to the record that was looked at, where
 * there is one: what an address means may change meanwhile.
 */
export async function guarded<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  store: Store,
  kind: string,
  current: Current,
  write: (guard: Guard, id?: number) => Promise<T>,
): Promise<T> {
  const match = request.headers['if-match']
  // `*` requires that the record exists, as every write does
  if (match === undefined || match.trim() === '*') return write(PASS)
  const { seq } = store.changes.latest()
  const known = await look(current)
  const fits = known !== undefined && named(match, known.etag) !== undefined
  try {
    return await write(async (tx, work) => {
      const stale = !fits || (await wasChanged(tx, kind, known.id, seq))
      const done = await work()
      if (stale) throw changed()
      return done
    }, known?.id)
  } catch (error) {
    if ((error as ApiError).code === 'rest_precondition_failed') {
      const now = await look(current)
      if (now) reply.header('etag', now.etag)
    }
    throw error
  }
}

/** Adds the ETag of a record to the refusal of a read, if the caller may change it: an event is restored from the trash by it. */
export async function tag(reply: FastifyReply, current: Current) {
  const known = await look(current)
  if (known) reply.header('etag', known.etag)
}

/**
 * Adds the ETag of a record that was written: that of a read of its URL, if this shows the record to the caller. A response to PUT has
 * none, since the record is not what was sent (RFC 9110 §9.3.4).
 */
export async function addEtag(request: FastifyRequest, reply: FastifyReply, id: number, current: Current) {
  reply.removeHeader('etag')
  if (request.method === 'PUT') return
  const known = await look(current)
  if (known?.id === id) reply.header('etag', known.etag)
}

/** The current record with its ETag; undefined if the caller may not see it here. */
const look = (current: Current) =>
  current().then(
    ({ id, json }) => ({ id, etag: etagOf(Buffer.concat(json)) }),
    () => undefined,
  )

const changed = () =>
  new ApiError(
    'rest_precondition_failed',
    'The record has changed: its ETag does not match If-Match. Read it again, and send the new ETag.',
  )
