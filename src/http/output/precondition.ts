import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { wasChanged } from '../../store/sqlite/changes.ts'
import type { Queries } from '../../store/sqlite/db.ts'
import type { Store } from '../../store/store.ts'
import type { Json } from '../../store/views/documents.ts'
import { etagOf, names } from './freshness.ts'

/** What stands around a write, in its transaction. */
export type Guard = <T>(tx: Queries, work: () => Promise<T>) => Promise<T>

/** What a GET of the same address by the same caller answers now; throws what that throws. */
type Current = () => Promise<{ id: number; json: Json }>

const PASS: Guard = (_tx, work) => work()

/**
 * Holds a write to its `If-Match` (RFC 9110 §13.1.1): refused with 412 and the current ETag unless the record is still the one
 * that the header names. Writes that share a transaction do not see each other's answers, so that the guard asks there whether
 * the record was written since. Every other refusal comes first (§13.2.1). The write is to the record that was looked at, where
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
  // `*` asks for a record that is there, which every write to one does
  if (match === undefined || match.trim() === '*') return write(PASS)
  const { seq } = store.changes.latest()
  const known = await look(current)
  const fits = known !== undefined && names(match, known.etag, false)
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

/** The record as it is, with its ETag; undefined where the caller may change it but a read shows none. */
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
