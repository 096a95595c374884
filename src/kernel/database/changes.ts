import { createHash } from 'node:crypto'
import { and, desc, eq, gt, lte, ne, or, sql } from 'drizzle-orm'
import { changes, changes as log, type posts } from '../../../drizzle/tables.ts'
import type { Site } from '../site.ts'
import { toWall } from '../time/dates.ts'
import { type Db, prepared, type Queries } from './db.ts'

/**
 * What happened to a record. `refresh`: its row is as it was, but others that it shows were written, and so its answer is another.
 * `recount`: the number of events of a term changed. All other words are of a write to the record itself.
 */
export type Operation = (typeof changes.$inferInsert)['operation']

/**
 * What filters look at, as bits: who sees a record, its dates, its flags and parent, its links, its texts. `unseen` says that what everybody
 * sees is as it was: the write was to a hidden record, or to something that the record shows to few.
 */
export const TOUCHED = { sight: 1, dates: 2, traits: 4, links: 8, texts: 16, unseen: 32 } as const
/** All that filters look at. */
export const ALL = 31

/** What decided who saw a record before a write. A term has only a language. */
export type Was = {
  status?: Post['status']
  author?: number
  language: string
  hidden?: boolean
}
type Post = typeof posts.$inferSelect
/** A row of the log: `was` is absent where there was no record before. */
export type Change = {
  kind: string
  id: number
  operation: Operation
  /** Unix milliseconds. */
  now: number
  /** The user who wrote; absent for the service itself. */
  by?: number | undefined
  was?: Was | undefined
  touched?: number
}

/** The time of a row: never back, and later than the last where the clock went back, for what was modified by then is known by its time. */
export const ROW_TIME = sql`coalesce((select datetime(at_utc, '+1 second') from changes where seq = (select max(seq) from changes) and at_utc > ${sql.placeholder('at')}), ${sql.placeholder('at')})`

const insertChange = prepared((db) =>
  db
    .insert(changes)
    .values({
      kind: sql.placeholder('kind'),
      record_id: sql.placeholder('id'),
      operation: sql.placeholder('operation'),
      at_utc: ROW_TIME,
      by: sql.placeholder('by'),
      was_status: sql.placeholder('status'),
      was_author: sql.placeholder('author'),
      was_language: sql.placeholder('language'),
      was_hidden: sql.placeholder('hidden'),
      touched: sql.placeholder('touched'),
    })
    .prepare(),
)

/** Notes what happened to a record; to be called in its transaction. */
export async function recordChange(
  tx: Queries,
  { kind, id, operation, now, by = null!, was, touched = ALL }: Change,
) {
  const { status = null, author = null, language = null, hidden = null } = was ?? {}
  const before = { status, author, language, hidden }
  await insertChange(tx).execute({ kind, id, operation, at: toWall(now, 'UTC'), by, touched, ...before })
}

/** The kind of a change that invalidates everything in memory. */
export const EVERYTHING = 'everything'

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
        ne(latest.operation, 'recount'),
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
/** The last write that everybody sees. Those of users, tokens and pictures show in the records with which they are told. */
const SEEN = `select at_utc from changes where seq > ? and (touched & ${TOUCHED.unseen}) = 0 and kind not in ('user', 'token', 'media')
  order by seq desc limit 1`

/** The last committed write, 0 before the first; its time, and that of the last one that everybody sees. */
export type Latest = { seq: number; at_utc: string | undefined; seen_utc: string | undefined }
const NONE = { seq: 0, at_utc: undefined }

/** A row of the log as it is read: who wrote when, and what had been before. */
export type Row = Required<Pick<Change, 'kind' | 'id' | 'operation' | 'touched'>> & {
  seq: number
  at_utc: string
  by: number | null
  was: Was | undefined
}
type RowColumns = [
  seq: number,
  kind: string,
  id: number,
  operation: Operation,
  at_utc: string,
  by: number | null,
  status: Was['status'] | null,
  author: number | null,
  language: string | null,
  hidden: 0 | 1 | null,
  touched: number,
]
const ROWS = `select seq, kind, record_id, operation, at_utc, "by", was_status, was_author, was_language, was_hidden, touched
  from changes where seq between ? and ? and kind in (select value from json_each(?)) and (touched & ?) = 0 order by seq limit ?`

const ROW = 'select kind, record_id, operation, at_utc, "by" from changes where seq = ?'
const FIRST = 'select coalesce(min(seq), 1) from changes'

/** The writes of this and other processes, which caches follow. */
export function openChanges(db: Db) {
  let version = Number.NaN
  let latest: Latest = { ...NONE, seen_utc: undefined }
  const changes = {
    /** Cheap while nothing is committed. */
    latest(): Latest {
      const now = db.version()
      if (now !== version) {
        version = now
        const { seq, at_utc } = last(db.read).get() ?? NONE
        // another history begins anew
        const since = seq < latest.seq ? { ...NONE, seen_utc: undefined } : latest
        const [seen] = db.rows<[string]>(SEEN, since.seq)
        latest = { seq, at_utc, seen_utc: seen?.[0] ?? since.seen_utc }
      }
      return latest
    },
    /** Whether all rows after this one are there: not if some were removed, or if the row itself never was. */
    reaches: (seq: number) => seq <= changes.latest().seq && seq >= db.rows<[number]>(FIRST)[0]![0] - 1,
    /**
     * What was committed after the write of this number, in order, the first `most` of it; everything, if rows after it were removed.
     * Events are left out whose row is as it was and which only show others anew, and counts of terms: nothing is kept of them that such a
     * write could make wrong.
     */
    after(seq: number, most = Number.MAX_SAFE_INTEGER): { seq: number; kind: string; id: number }[] {
      if (!changes.reaches(seq)) return [{ seq: changes.latest().seq, kind: EVERYTHING, id: 0 }]
      return later(db.read).all({ seq, most })
    },
    /** A digest of the row of this number, by which another history is told apart; undefined if the row is gone. */
    digest(seq: number): string | undefined {
      const [row] = db.rows(ROW, seq)
      return row && createHash('sha1').update(JSON.stringify(row)).digest('base64url').slice(0, 6)
    },
    /** The rows of these kinds after one number and up to another that touched nothing of `without`, in order, the first `most` of them. */
    rows: (after: number, until: number, kinds: string[], most: number, without = 0): Row[] =>
      db
        .rows<RowColumns>(ROWS, after + 1, until, JSON.stringify(kinds), without, most)
        .map((columns): Row => {
          const [seq, kind, id, operation, at_utc, by, status, author, language, hidden, touched] = columns
          const sight = status === null ? {} : { status, author: author!, hidden: hidden === 1 }
          const was = language === null ? undefined : { ...sight, language }
          return { seq, kind, id, operation, at_utc, by, was, touched }
        }),
  }
  return changes
}
export type Changes = ReturnType<typeof openChanges>

/** Rows after which what is kept is made anew instead of following each. */
const MOST = 1_000

type Follower = {
  /** Forgets what one write made wrong. */
  on(row: Row): void
  /** Forgets everything. */
  reset(): void
  /** Rows from which on everything is forgotten. */
  most?: number
}

/**
 * Follows the writes of all processes to records of these kinds, for what is kept of them in memory. Each call tells `on` of every write since
 * the one before, or calls `reset` once: if there are too many, if rows of the log are gone, or if a write invalidates everything. Gives the
 * number of the last write, up to which all is followed. A call is cheap while nothing is written.
 */
export function openFollowing(
  changes: Changes,
  kinds: readonly string[],
  { on, reset, most = MOST }: Follower,
) {
  const wanted = [...kinds, EVERYTHING]
  let seen = changes.latest().seq
  return (): number => {
    const { seq } = changes.latest()
    if (seq === seen) return seen
    const rows = changes.rows(seen, seq, wanted, most)
    const isFar = rows.length === most || !changes.reaches(seen)
    if (isFar || rows.some(({ kind }) => kind === EVERYTHING)) reset()
    else for (const row of rows) on(row)
    seen = seq
    return seen
  }
}

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
