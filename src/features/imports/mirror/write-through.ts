import type { Around, RecordWrite } from '../../../calendar/resource/writes.ts'
import { canPublish } from '../../../calendar/rights.ts'
import type { Actor, Guard, Store } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import type { Caller } from '../../../kernel/access/rights.ts'
import type { ErrorCode } from '../../../kernel/errors.ts'
import { mountOf } from '../../../kernel/server/mounts.ts'

/** A write that was checked here, and is to be made at the source of a mirror. */
export type ForwardedWrite = {
  kind: RecordWrite['kind']
  verb: RecordWrite['verb']
  /** The record here; absent of one that is created. */
  id?: number | undefined
  /** The members that were sent, as they were read. */
  body: Record<string, unknown>
  /** What the address says beside the record. */
  query: { apply_to?: string; translations?: string; force?: boolean; reassign?: number }
  /** The status that the record gets by the role of the caller, where that decides. */
  status?: string | undefined
  /** The language of the address. */
  language?: string | undefined
  /** The `Idempotency-Key`. */
  key?: string | undefined
  caller: NonNullable<Caller>
  by: Actor
}

/** Makes a write at the source of a mirror and imports what comes of it. Returns the record here. */
export type WriteThrough = (write: ForwardedWrite) => Promise<number>

/** The errors of writes that a mirror may forward. */
export const WRITE_THROUGH_ERRORS: ErrorCode[] = ['source_refused', 'source_failed']

type DryRun = { id?: number; status?: string | undefined }

/** Makes a write with all that is checked before and within it, and takes it back. Returns what the record would be. */
async function dryRun(
  { imports }: Pick<Store, 'imports'>,
  kind: ForwardedWrite['kind'],
  write: (guard: Guard) => Promise<unknown>,
): Promise<DryRun> {
  const found: DryRun = {}
  const back = new Error('taken back')
  const guard: Guard = async (tx, work) => {
    const done = await work()
    if (typeof done === 'number') {
      found.id = done
      found.status = (await imports.state(tx, kind, done))?.status
    }
    throw back
  }
  await write(guard).catch((error) => {
    if (error !== back) throw error
  })
  return found
}

/** In a mirror that forwards writes: tries a write here, and makes it at the source instead. */
export const openForwarding =
  (store: Store, writeThrough: WriteThrough): Around =>
  async (request, { kind, verb, find }, write) => {
    const tried = await dryRun(store, kind, write)
    const id = find ? await find() : tried.id
    const caller = request.caller!
    return writeThrough({
      kind,
      verb,
      caller,
      by: actorOf(request),
      ...(verb !== 'create' && { id }),
      body: (request.body ?? {}) as Record<string, unknown>,
      query: request.query as ForwardedWrite['query'],
      ...(!canPublish(caller) && { status: tried.status }),
      language: mountOf(request)!.language,
      key:
        request.routeOptions.config.repeatable && (request.headers['idempotency-key'] as string | undefined),
    })
  }
