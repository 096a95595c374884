import { and, desc, eq, gt, ne, or, sql } from 'drizzle-orm'
import { changes, links } from '../../../drizzle/tables.ts'
import { toWall } from '../../rules/dates.ts'
import { type Db, prepared, type Queries } from './db.ts'

/** The kind of a change that invalidates everything in memory. */
export const EVERYTHING = 'everything'

/**
 * What happened to a record. `refresh`: its row is as it was, but others that it shows were written, and so its answer is another;
 * all other words are of a write to the record itself.
 */
export type Operation = (typeof changes.$inferInsert)['operation']

/** The time of a row: never back, and later than the last where the clock went back, for what was modified by then is known by its time. */
const at = sql`coalesce((select datetime(at_utc, '+1 second') from changes where seq = (select max(seq) from changes) and at_utc > ${sql.placeholder('at')}), ${sql.placeholder('at')})`

const insertChange = prepared((db) =>
  db
    .insert(changes)
    .values({
      kind: sql.placeholder('kind'),
      record_id: sql.placeholder('id'),
      operation: sql.placeholder('operation'),
      at_utc: at,
    })
    .prepare(),
)

/** Notes what happened to a record; to be called in its transaction. */
export async function recordChange(tx: Queries, kind: string, id: number, operation: Operation, now: number) {
  await insertChange(tx).execute({ kind, id, operation, at: toWall(now, 'UTC') })
}

const insertLinked = prepared((db) =>
  db
    .insert(changes)
    .select(
      db
        .selectDistinct({
          seq: sql`null`.as('seq'),
          kind: sql`'event'`.as('kind'),
          record_id: links.event_id,
          operation: sql`'refresh'`.as('operation'),
          at_utc: at.as('at_utc'),
        })
        .from(links)
        .where(
          and(
            eq(links.kind, sql.placeholder('kind')),
            sql`${links.target_id} in (select value from json_each(${sql.placeholder('targets')}))`,
          ),
        ) as never,
    )
    .prepare(),
)

/** Notes, in one statement however many there are, that the answers of all events changed that are linked to these records. */
export async function refreshLinked(tx: Queries, kind: string, targets: number[], now: number) {
  if (targets.length > 0)
    await insertLinked(tx).execute({ kind, targets: JSON.stringify(targets), at: toWall(now, 'UTC') })
}

/**
 * What came after a number, latest first. Counted from the end: what SQLite once learned of a table's size, by ANALYZE, says nothing
 * of one that grows, and a search from the number on would be planned as a scan of it all.
 */
const latestOf = (db: Queries) =>
  db
    .select()
    .from(changes)
    .orderBy(desc(changes.seq))
    .limit(sql`coalesce((select max(seq) from changes), 0) - ${sql.placeholder('seq')}` as never)
    .as('latest')

const later = prepared((db) => {
  const latest = latestOf(db)
  return db
    .select({ seq: latest.seq, kind: latest.kind, id: latest.record_id })
    .from(latest)
    .where(
      and(
        gt(latest.seq, sql.placeholder('seq')),
        or(ne(latest.kind, 'event'), ne(latest.operation, 'refresh')),
      ),
    )
    .orderBy(latest.seq)
    .limit(sql.placeholder('most'))
    .prepare()
})

const laterOf = prepared((db) => {
  const latest = latestOf(db)
  return db
    .select({ seq: latest.seq })
    .from(latest)
    .where(
      and(
        gt(latest.seq, sql.placeholder('seq')),
        eq(latest.kind, sql.placeholder('kind')),
        eq(latest.record_id, sql.placeholder('id')),
      ),
    )
    .limit(1)
    .prepare()
})

/** Whether a record was written after the write of this number, or what it shows of others. */
export const wasChanged = async (tx: Queries, kind: string, id: number, seq: number): Promise<boolean> =>
  (await laterOf(tx).execute({ seq, kind, id })).length > 0

const last = prepared((db) =>
  db
    .select({ seq: changes.seq, at_utc: changes.at_utc })
    .from(changes)
    .orderBy(desc(changes.seq))
    .limit(1)
    .prepare(),
)
const NONE = { seq: 0, at_utc: undefined }

/** The writes of this and other processes, which caches follow. */
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
    /**
     * What was committed after the write of this number, in order, the first `most` of it. Events are left out whose row is as it was
     * and which only show others anew: nothing is kept of an event that such a write could make wrong.
     */
    after: (seq: number, most = Number.MAX_SAFE_INTEGER) => later(db.read).all({ seq, most }),
  }
}
export type Changes = ReturnType<typeof openChanges>
