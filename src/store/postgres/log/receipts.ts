import type { Receipt } from '../../sqlite/receipts.ts'
import { literal } from '../tables/rows.ts'
import { withSession } from '../tables/schema.ts'

/** Milliseconds for the lock: as long as the transaction of a process that has ended may go on. */
const LOCK = 12_000

/**
 * Whether a write with this mark is in PostgreSQL, after the process that wrote it has ended. What it sent may still be under way there:
 * its transaction holds the lock of the head, so the answer is final once this has had the lock. Throws if PostgreSQL does not tell.
 */
export const findReceiptThere = (url: string, mark: string): Promise<Receipt | undefined> =>
  withSession(url, async (session) => {
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = ${LOCK}; select seq from almanac.head for update;
        select record_id as record from almanac.marks where mark = ${literal(mark)}; rollback`,
      LOCK + 3_000,
    )
    return results[3]!.rows[0] as Receipt | undefined
  })
