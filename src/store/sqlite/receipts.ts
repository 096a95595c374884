import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'drizzle-orm'
import type { Db, Queries } from './db.ts'

/** Number of marks to keep: far more than writes can be in progress. */
const KEPT = 1_000

const current = new AsyncLocalStorage<string>()

/** Runs `work`; its writes carry the mark. */
export const withReceipt = (mark: string, work: () => void) => current.run(mark, work)

/** Runs `work`; its writes carry no mark. */
export const withoutReceipt = <T>(work: () => T): T => current.exit(work)

/**
 * Wraps a job so that it stores the current mark, if any, in its transaction. `findReceipt` then tells whether the job was committed,
 * even if nobody received the response.
 */
export function marked<T>(work: (tx: Queries) => Promise<T>): (tx: Queries) => Promise<T> {
  const mark = current.getStore()
  if (mark === undefined) return work
  return async (tx) => {
    const before = tx.get<{ seq: number }>(sql`select coalesce(max(seq), 0) as seq from changes`).seq
    const value = await work(tx)
    // a linked record is created before the one that it is linked to
    tx.run(
      sql`insert or ignore into marks (mark, record_id) values (${mark}, (select record_id from changes where seq > ${before} and operation = 'create' order by seq desc limit 1))`,
    )
    tx.run(sql`delete from marks where id <= (select max(id) from marks) - ${KEPT}`)
    return value
  }
}

/** What a mark tells of its write: the ID of the record that it created, if any. */
export type Receipt = { record: number | null }

/** Whether a write with this mark was committed, as far as this file knows; undefined if not. */
export function findReceipt(db: Pick<Db, 'rows'>, mark: string): Receipt | undefined {
  const [row] = db.rows<[number | null]>('SELECT record_id FROM marks WHERE mark = ?', mark)
  return row && { record: row[0] }
}
