import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'drizzle-orm'
import type { Db, Queries } from './db.ts'

/** What a write does in its transaction. */
export type Work<T> = (tx: Queries) => Promise<T>

/** Runs what a write does in a transaction that is open, instead of one of its own. */
export type Join = <T>(work: Work<T>) => Promise<T>

/** What a request has in common with all writes that are begun for it, however deep in the store. */
type WriteContext = {
  /** The ID of the commit marker that each of them leaves. */
  marker?: string
  /** Wraps each of them, in its transaction. */
  around?: <T>(work: Work<T>) => Work<T>
}

/**
 * What hooks of the server say of all writes of a request: that each leaves a commit marker, or notes an `Idempotency-Key`. Such writes are
 * in stores of any feature, which know no requests, and one that a parameter did not reach could be made twice; so it is none.
 */
const current = new AsyncLocalStorage<WriteContext>()

/** The context of writes here; undefined of nearly all. */
export const writeContext = (): WriteContext | undefined => current.getStore()

/** Runs `work`; its writes have this context, beside the one that is here. */
export const withWriteContext = (more: WriteContext, work: () => void) =>
  current.run({ ...current.getStore(), ...more }, work)

/** Runs `work`; its writes have no context. */
export const withoutWriteContext = <T>(work: () => T): T => current.exit(work)

/** Number of commit markers to keep: far more than writes can be in progress. */
const KEPT = 1_000

/** Runs `work`; its writes leave a commit marker with this ID. */
export const withMarker = (id: string, work: () => void) => withWriteContext({ marker: id }, work)

/**
 * Wraps a job so that it stores a commit marker with the current ID, if any, in its transaction. `findMarker` then tells whether the job was
 * committed, even if nobody received the response.
 */
export function marked<T>(work: Work<T>): Work<T> {
  const id = writeContext()?.marker
  if (id === undefined) return work
  return async (tx) => {
    const before = tx.get<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from changes`).seq
    const value = await work(tx)
    // a linked record is created before the one that it is linked to, what follows from it after it: what is returned is the ID
    const returned = typeof value === 'number' ? value : null
    tx.run(
      sql`insert or ignore into marks (mark, record_id) values (${id}, (select record_id from changes where seq > ${before} and operation = 'create' order by record_id is ${returned} desc, seq desc limit 1))`,
    )
    tx.run(sql`delete from marks where id <= (select max(id) from marks) - ${KEPT}`)
    return value
  }
}

/** What a commit marker tells of its write: the ID of the record that it created, if any. */
export type CommitMarker = { record: number | null }

/** The commit marker with this ID if its write was committed, as far as this file knows; undefined if not. */
export function findMarker(db: Pick<Db, 'rows'>, id: string): CommitMarker | undefined {
  const [row] = db.rows<[number | null]>('SELECT record_id FROM marks WHERE mark = ?', id)
  return row && { record: row[0] }
}
