import { randomUUID } from 'node:crypto'
import type { AuditCode } from '../../../schemas/audit-codes.ts'
import { type Actor, type Details, entryOf } from '../../kernel/access/audit-log.ts'
import type { CommitMarker } from '../../kernel/database/context.ts'
import { batchOf, type Head, headFor } from './log-position.ts'
import { literal, TABLES } from './rows.ts'
import { withSession } from './schema.ts'

/** Milliseconds for the lock: as long as the transaction of a process that has ended may go on. */
const LOCK = 12_000

/**
 * The commit marker with this ID if its write is in PostgreSQL, after the process that wrote it has ended. What it sent may still be under way there:
 * its transaction holds the lock of the head, so the answer is final once this has had the lock. Throws if PostgreSQL does not tell.
 */
export const findMarkerInTruth = (url: string, id: string): Promise<CommitMarker | undefined> =>
  withSession(url, async (session) => {
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = ${LOCK}; select seq from almanac.head for update;
        select record_id as record from almanac.marks where mark = ${literal(id)}; rollback`,
      LOCK + 3_000,
    )
    return results[3]!.rows[0] as CommitMarker | undefined
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

/** A node as it reported itself last. Times are in UTC. */
export type KnownNode = {
  name: string
  address: string
  version: string
  state: 'following' | 'behind' | 'silent' | 'stuck' | 'stale' | 'outdated'
  seq: number
  /** Groups that it lacked. */
  lag: number
  seen_utc: string
  started_utc: string
  leads: boolean
  /** Milliseconds by which PostgreSQL's clock was ahead of its own; null if it did not report it. */
  clock: number | null
}

/** Whether a node has not reported for three times as long as it takes between two reports. */
const silent = "seen < now() - interval '15 seconds'"

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS')`

/** The nodes that followed within a day, by name, without those that were killed and started again at the same address. Throws one sentence for the operator if PostgreSQL can not be asked. */
export const readNodes = (url: string): Promise<KnownNode[]> =>
  withSession(url, (session) =>
    session.ask<KnownNode>(
      `select name, address, version, case when ${silent} then 'silent' when state <> 'follows' then state
            when lag > 0 then 'behind' else 'following' end as state,
          seq, lag, ${utc('seen')} as seen_utc, ${utc('started')} as started_utc,
          exists (select 1 from almanac.leases where node = nodes.id and until > now()) as leads, clock
          from almanac.nodes where seen > now() - interval '1 day' and not (${silent} and exists (select 1 from almanac.nodes later
            where later.name = nodes.name and later.address = nodes.address and later.started > nodes.started)) order by name, address, started`,
    ),
  )
