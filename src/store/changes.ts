import { gt, sql } from 'drizzle-orm'
import { changes } from '../../drizzle/tables.ts'
import { toWall } from '../dates.ts'
import type { Queries } from './db.ts'

export type Operation = (typeof changes.$inferInsert)['operation']

/** Notes a write; to be called in its transaction. */
export async function recordChange(tx: Queries, kind: string, id: number, operation: Operation, now: number) {
  await tx.insert(changes).values({ kind, record_id: id, operation, at_utc: toWall(now, 'UTC') })
}

/** What was written after `seq`, in order. */
export const changesAfter = (db: Queries, seq: number) =>
  db
    .select({ seq: changes.seq, kind: changes.kind, id: changes.record_id })
    .from(changes)
    .where(gt(changes.seq, seq))
    .orderBy(changes.seq)

/** The number of the last write, 0 before the first. */
export async function lastChange(db: Queries): Promise<number> {
  const [row] = await db.select({ seq: sql<number>`coalesce(max(${changes.seq}), 0)` }).from(changes)
  return row!.seq
}
