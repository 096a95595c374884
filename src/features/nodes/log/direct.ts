import { randomUUID } from 'node:crypto'
import type { AuditCode } from '../../../../schemas/audit-codes.ts'
import { type Actor, type Details, entryOf } from '../../../kernel/access/audit-log.ts'
import type { Receipt } from '../../../kernel/database/queue.ts'
import { batchOf, type Head, headFor } from '../tables/history.ts'
import { literal, TABLES } from '../tables/rows.ts'
import { withSession } from '../tables/schema.ts'

/** Milliseconds for the lock: as long as the transaction of a process that has ended may go on. */
const LOCK = 12_000

/**
 * The receipt with this ID if its write is in PostgreSQL, after the process that wrote it has ended. What it sent may still be under way there:
 * its transaction holds the lock of the head, so the answer is final once this has had the lock. Throws if PostgreSQL does not tell.
 */
export const findReceiptInTruth = (url: string, id: string): Promise<Receipt | undefined> =>
  withSession(url, async (session) => {
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = ${LOCK}; select seq from almanac.head for update;
        select record_id as record from almanac.marks where mark = ${literal(id)}; rollback`,
      LOCK + 3_000,
    )
    return results[3]!.rows[0] as Receipt | undefined
  })

const TABLE = TABLES.find(({ name }) => name === 'audit')!

/** Adds a row to the audit log in PostgreSQL, as a group that every node follows. For commands that have no copy. */
export const noteInTruth = (url: string, by: Actor, code: AuditCode, details: Details): Promise<void> =>
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
      tables: [{ table: TABLE, set: true, gone: false }],
    }
    await session.run(batchOf(group, written, JSON.stringify({ ...counters, audit: id })))
  })
