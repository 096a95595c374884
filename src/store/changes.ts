import { gt, sql } from 'drizzle-orm'
import { changes, type Move } from '../../drizzle/tables.ts'
import { toWall } from '../dates.ts'
import { prepared, type Queries } from './db.ts'

export type Operation = (typeof changes.$inferInsert)['operation']

const insertChange = prepared((db) =>
  db
    .insert(changes)
    .values({
      kind: sql.placeholder('kind'),
      record_id: sql.placeholder('id'),
      operation: sql.placeholder('operation'),
      at_utc: sql.placeholder('at'),
      moved: sql.placeholder('moved'),
    })
    .prepare(),
)

/** Notes a write, and how an event's place in lists moved; to be called in its transaction. */
export async function recordChange(
  tx: Queries,
  kind: string,
  id: number,
  operation: Operation,
  now: number,
  moved: Move | null = null,
) {
  await insertChange(tx).execute({ kind, id, operation, at: toWall(now, 'UTC'), moved })
}

/** What was written after `seq`, in order. */
export const changesAfter = (db: Queries, seq: number) => later(db).all({ seq })
const later = prepared((db) =>
  db
    .select({ seq: changes.seq, kind: changes.kind, id: changes.record_id, moved: changes.moved })
    .from(changes)
    .where(gt(changes.seq, sql.placeholder('seq')))
    .orderBy(changes.seq)
    .prepare(),
)

/** The number of the last write, 0 before the first. */
export const lastChange = (db: Queries): number => latest(db).get()!.seq
const latest = prepared((db) =>
  db
    .select({ seq: sql<number>`coalesce(max(${changes.seq}), 0)` })
    .from(changes)
    .prepare(),
)
