import { desc, gt, sql } from 'drizzle-orm'
import { changes } from '../../../drizzle/tables.ts'
import { toWall } from '../../rules/dates.ts'
import { type Db, prepared, type Queries } from './db.ts'

/** The kind of a change after which nothing that is kept in memory holds any more. */
export const EVERYTHING = 'everything'

export type Operation = (typeof changes.$inferInsert)['operation']

const insertChange = prepared((db) =>
  db
    .insert(changes)
    .values({
      kind: sql.placeholder('kind'),
      record_id: sql.placeholder('id'),
      operation: sql.placeholder('operation'),
      // never back, and later than the last where the clock went back: what was modified by then is known by its time
      at_utc: sql`coalesce((select datetime(at_utc, '+1 second') from changes where seq = (select max(seq) from changes) and at_utc > ${sql.placeholder('at')}), ${sql.placeholder('at')})`,
    })
    .prepare(),
)

/** Notes a write; to be called in its transaction. */
export async function recordChange(tx: Queries, kind: string, id: number, operation: Operation, now: number) {
  await insertChange(tx).execute({ kind, id, operation, at: toWall(now, 'UTC') })
}

/**
 * What came after a number, in order. Counted from the end: what SQLite once learned of a table's size, by ANALYZE, says nothing of
 * one that grows, and a search from the number on would be planned as a scan of it all.
 */
const later = prepared((db) => {
  const latest = db
    .select()
    .from(changes)
    .orderBy(desc(changes.seq))
    .limit(sql`coalesce((select max(seq) from changes), 0) - ${sql.placeholder('seq')}` as never)
    .as('latest')
  return db
    .select({ seq: latest.seq, kind: latest.kind, id: latest.record_id })
    .from(latest)
    .where(gt(latest.seq, sql.placeholder('seq')))
    .orderBy(latest.seq)
    .prepare()
})

/** Whether a record was written after the write of this number. */
export const wasChanged = async (tx: Queries, kind: string, id: number, seq: number): Promise<boolean> =>
  (await later(tx).execute({ seq })).some((change) => change.kind === kind && change.id === id)

const last = prepared((db) =>
  db
    .select({ seq: changes.seq, at_utc: changes.at_utc })
    .from(changes)
    .orderBy(desc(changes.seq))
    .limit(1)
    .prepare(),
)
const NONE = { seq: 0, at_utc: undefined }

/** What was written, by this process and others: what caches follow. */
export function openChanges(db: Db) {
  let version = Number.NaN
  let latest: { seq: number; at_utc: string | undefined } = NONE
  return {
    /** The number of the last committed write and its time; 0 before the first. Cheap while nothing is committed. */
    latest() {
      const now = db.version()
      if (now !== version) {
        version = now
        latest = last(db.read).get() ?? NONE
      }
      return latest
    },
    /** What was committed after the write of this number, in order. */
    after: (seq: number) => later(db.read).all({ seq }),
  }
}
export type Changes = ReturnType<typeof openChanges>
