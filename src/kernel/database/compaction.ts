import { lte } from 'drizzle-orm'
import { changes as log } from '../../../drizzle/tables.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'
import type { Changes } from './changes.ts'
import type { Db } from './db.ts'

/** Rows that are removed in one transaction, which takes a millisecond or two. */
export const BATCH = 1_000
const DAY = 86_400_000

/** The last of the first rows that are older than a time, up to a number. The times of rows never go back. */
const OLDEST = `select max(seq) from (select seq, at_utc from changes order by seq limit ${BATCH}) where at_utc < ? and seq <= ?`

/** Removes the oldest rows of the log. */
export function openCompaction(db: Db, changes: Changes, { clock }: Pick<Site, 'clock'>) {
  const holds = new Set<() => number | undefined>()
  return {
    /**
     * Keeps rows that someone still needs: `done` returns the number of the last row that they no longer need, undefined if they need none.
     * Returns a function that ends this.
     */
    hold(done: () => number | undefined): () => void {
      holds.add(done)
      return () => void holds.delete(done)
    },
    /**
     * Removes a batch of rows that are older than so many days, but never the last row and none that is held. Returns whether there may be
     * more of them.
     */
    async compact(days: number): Promise<boolean> {
      const needed = [...holds].map((done) => done() ?? Number.POSITIVE_INFINITY)
      const last = Math.min(changes.latest().seq - 1, ...needed)
      const before = toWall(clock() - days * DAY, 'UTC')
      const [[seq]] = db.rows<[number | null]>(OLDEST, before, last) as [[number | null]]
      if (seq === null) return false
      await db.write(async (tx) => void (await tx.delete(log).where(lte(log.seq, seq))))
      return true
    },
  }
}
export type Compaction = ReturnType<typeof openCompaction>
