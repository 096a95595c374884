import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { replica } from '../../../drizzle/tables.ts'
import type { AuditCode } from '../../../schemas/audit-codes.ts'
import { type Actor, type Details, entryOf } from '../../kernel/access/audit-log.ts'
import type { CommitMarker } from '../../kernel/database/context.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { literal, removeFilesThere, removeThere, TABLES, upsertThere, type Written } from './rows.ts'
import { versionOf, withSession } from './schema.ts'
import type { Session } from './session.ts'

/** The row of `almanac.head`, and what the log says of the group that a copy has. */
export type Head = {
  seq: number
  commit_id: string
  origin: string
  version: number
  counters: string
  /** The ID of the group with the copy's number, if the log still has it. */
  mine: string | null
  /** Seconds since the first group began that the copy lacks; null if it lacks none, or the log does not have it. */
  behind: number | null
  /** Unix milliseconds by PostgreSQL's clock. */
  clock: number
}

/** SQL that reads the head for a copy that has this group. */
export const headFor = (seq: number) =>
  `select seq, commit_id, origin, version, counters, (select commit_id from almanac.log where seq = ${seq}) as mine,
    (select floor(extract(epoch from now() - at))::int from almanac.log where seq = ${seq + 1}) as behind,
    (extract(epoch from clock_timestamp()) * 1000)::float8 as clock from almanac.head`

/** Begins a transaction that sees one state of all tables; returns its head. */
export async function beginSnapshot(session: Session): Promise<Head> {
  const [head] = await session.ask<Head>(
    `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = 0; ${headFor(0)}`,
  )
  return head!
}

/** The group of writes up to which a copy has what PostgreSQL keeps, and which tables these are. */
export type Position = { seq: number; commit_id: string; origin: string }

/** Why a node can not go on with its copy. `isUsual`: nothing is lost or wrong, such as after a command that changed all copies. */
export type Divergence =
  | { kind: 'newer'; version: number }
  | { kind: 'stale'; why: string; isUsual?: boolean }

/** Whether a copy with this group can follow the head; if not, why. */
export function divergenceOf(head: Head, copy: Position): Divergence | undefined {
  // of tables that this program does not know no copy can be taken
  if (head.version > versionOf()) return { kind: 'newer', version: head.version }
  if (head.origin !== copy.origin) return { kind: 'stale', why: 'it is of another calendar' }
  if (head.mine === null)
    return copy.seq > head.seq
      ? {
          kind: 'stale',
          why: `it has group ${copy.seq}, and PostgreSQL has ${head.seq} at most: a failover lost what came after`,
        }
      : removed(copy.seq)
  if (head.mine === copy.commit_id) return undefined
  return {
    kind: 'stale',
    why: `group ${copy.seq} is another one in PostgreSQL: a failover lost what this copy has`,
  }
}

/** The divergence of a copy from a log that has too little. */
export const removed = (seq: number): Divergence => ({
  kind: 'stale',
  why: `what followed group ${seq} is no longer in the log`,
  isUsual: true,
})

/** A row of `almanac.log`. `rows` is JSON: of each table the rows that a group left, and the keys of those that it deleted. */
export type LoggedGroup = { seq: number; commit_id: string; rows: string }

/** Characters of rows that are read at a time, beside those of one group. */
const MOST = 16_000_000

/** SQL that reads what followed a group, so many groups at most. */
export const groupsAfter = (seq: number, most: number) =>
  `select seq, commit_id, rows from (select *, sum(length(rows::text)) over (order by seq) - length(rows::text) as before
    from (select * from almanac.log where seq > ${seq} order by seq limit ${most}) l) l where before < ${MOST} order by seq`

/** Whether groups that were read after this one, and up to the last, lack none: old ones are removed at any time. */
export const isWhole = (seq: number, groups: LoggedGroup[], last: number) =>
  (groups.at(-1)?.seq ?? last) - seq === groups.length

/** The statements of a group: its row of the log, from which the tables take the rows, the head, and the commit. */
export function batchOf(
  { seq, commit_id, node }: { seq: number; commit_id: string; node: string },
  written: Written | undefined,
  counters: string,
): string {
  const part = (name: string, which: 'set' | 'gone') =>
    `(select rows->'${name}'->'${which}' from almanac.log where seq = ${seq})`
  return [
    `insert into almanac.log (seq, commit_id, at, node, rows) values (${seq}, '${commit_id}', now(), ${literal(node)}, ${literal(written?.rows ?? '{}')})`,
    ...(written?.tables ?? []).flatMap(({ table, set, gone }) => [
      ...(gone && table.name === 'media' ? [removeFilesThere(part(table.name, 'gone'))] : []),
      ...(gone ? [removeThere(table, part(table.name, 'gone'))] : []),
      ...(set ? [upsertThere(table, part(table.name, 'set'))] : []),
    ]),
    `update almanac.head set seq = ${seq}, commit_id = '${commit_id}', counters = ${literal(counters)}`,
    `notify almanac, '${node}'`,
    'commit',
  ].join(';\n')
}

const stored = prepared((db) => db.select().from(replica).prepare())

/** How far a copy is; undefined for a file that is no copy. */
export const positionOf = (db: Queries): Position | undefined => stored(db).get()

/** Notes how far a copy is, in the transaction that brought it there. */
export async function notePosition(tx: Queries, { seq, commit_id }: Pick<Position, 'seq' | 'commit_id'>) {
  await tx.update(replica).set({ seq, commit_id }).where(eq(replica.id, 1))
}

/** How often a copy was mended: whoever runs on it has other data in memory then. */
export const mendedOf = (db: Db): number => db.rows<[number]>('pragma user_version')[0]![0]

/** Notes that a copy was mended. */
export const noteMended = (db: Db) =>
  db.local(async (tx) => void tx.run(sql.raw(`pragma user_version = ${mendedOf(db) + 1}`)))

/** Milliseconds for the lock: as long as the transaction of a process that has ended may go on. */
const LOCK = 12_000

/**
 * The commit marker with this ID if its write is in PostgreSQL, after the process that wrote it has ended. What it sent may still be under way there:
 * its transaction holds the lock of the head, so the answer is final once this has had the lock. Throws if PostgreSQL does not tell.
 */
export const findMarkerThere = (url: string, id: string): Promise<CommitMarker | undefined> =>
  withSession(url, async (session) => {
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = ${LOCK}; select seq from almanac.head for update;
        select record_id as record from almanac.marks where mark = ${literal(id)}; rollback`,
      LOCK + 3_000,
    )
    return results[3]!.rows[0] as CommitMarker | undefined
  })

const AUDIT = TABLES.find(({ name }) => name === 'audit')!

/** Adds a row to the audit log in PostgreSQL, as a group that every node follows. For commands that have no copy. */
export const noteThere = (url: string, by: Actor, code: AuditCode, details: Details): Promise<void> =>
  withSession(url, async (session) => {
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = 5000; ${headFor(0)} for update of head`,
    )
    const head = results.at(-1)!.rows[0] as Head
    const counters = JSON.parse(head.counters) as Record<string, number>
    const id = (counters.audit ?? 0) + 1
    const { details: named, ...entry } = entryOf(Date.now(), by, code, undefined, details)
    const row = JSON.stringify({ id, ...entry, details: JSON.stringify(named) })
    const group = { seq: head.seq + 1, commit_id: randomUUID(), node: by.address }
    const written = {
      rows: `{"audit":{"set":[${row}],"gone":[]}}`,
      tables: [{ table: AUDIT, set: true, gone: false }],
    }
    await session.run(batchOf(group, written, JSON.stringify({ ...counters, audit: id })))
  })
