import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { ApiError } from '../../errors.ts'
import type { Queries } from '../sqlite/db.ts'
import type { Keeper } from '../sqlite/queue.ts'
import { applyRows, countersOf, type Group, raiseCounters } from './apply.ts'
import { type Head, headFor, type Parting, partingOf } from './history.ts'
import type { Outage, PostgresLink } from './link.ts'
import { notePosition, type Position, positionOf } from './position.ts'
import { literal, removeThere, upsertThere } from './rows.ts'
import { isFatal, isSaid, Lost, type Session } from './session.ts'
import { openTouched, type Touched } from './touched.ts'

/** Groups that a write brings first, if its copy lacks them. A node that lacks more refuses writes until it has followed. */
const MOST_MISSED = 100
/** Milliseconds: for the lock; of a transaction whose node says nothing any more; for the answer to a commit. */
const LOCK = 5_000
const SILENT = 10_000
const COMMIT = 8_000
/** Milliseconds in which it has to become known whether a group was kept, and between two questions. */
const UNKNOWN = 30_000
const AGAIN = 250

/** SQLSTATE of a lock that others held too long. */
const LOCKED = '55P03'

export const unavailable = () =>
  new ApiError(
    'database_unavailable',
    'PostgreSQL, which keeps the truth, does not answer; nothing was written. Reads still work.',
    { retry_after: 2 },
  )
const busy = (why: string) =>
  new ApiError('database_busy', `${why}; nothing was written.`, { retry_after: 1 })
const notKnown = () =>
  new ApiError(
    'outcome_unknown',
    'PostgreSQL stopped answering while it stored this. The request was applied completely or not at all; check before you send it again.',
    { retry_after: 5 },
  )

export type KeeperOptions = {
  node: string
  link: PostgresLink
  outage: Outage
  /** Why nothing may be written by this node at all; undefined if it may. */
  barred(): ApiError | undefined
  parted(parting: Parting): void
  /** Milliseconds that the lock was waited for, and that a commit took. */
  measured(what: 'lock' | 'commit', milliseconds: number): void
}

/** Keeps what a node writes in PostgreSQL: `docs/scaling.md` tells the protocol. */
export const openKeeper = (options: KeeperOptions) => ({
  /** For the connection of a copy that writes. */
  open: (writer: Database.Database, tx: Queries) => keeperOf(options, writer, tx),
  close: () => options.link.end(),
})

function keeperOf(
  { node, link, outage, barred, parted, measured }: KeeperOptions,
  writer: Database.Database,
  tx: Queries,
): Keeper {
  const touched = openTouched(writer)
  let held: { session: Session; head: Head; missed: Group[] } | undefined
  /** The group of this turn, once it was sent, and whether PostgreSQL said that it is committed. */
  let sent: { commit_id: string; committed: boolean } | undefined

  const position = (): Position => positionOf(tx)!

  async function lock(session: Session, seq: number) {
    const began = performance.now()
    const results = await session.run(
      `begin isolation level read committed; set local lock_timeout = ${LOCK}; set local idle_in_transaction_session_timeout = ${SILENT};
        set local standard_conforming_strings = on; ${headFor(seq)} for update of head;
        select seq, commit_id, rows from almanac.log where seq > ${seq} order by seq limit ${MOST_MISSED + 1}`,
      LOCK + 3_000,
    )
    measured('lock', performance.now() - began)
    link.note()
    return { head: results[4]!.rows[0] as Head, missed: results[5]!.rows as Group[] }
  }

  /** Ends the transaction in PostgreSQL without keeping anything. */
  async function release() {
    const session = held?.session
    held = undefined
    if (!session || session.isOver()) return
    await session.run('rollback').catch(() => session.cut())
  }

  async function take() {
    sent = undefined
    const refusal = barred() ?? (outage.since() === undefined ? undefined : unavailable())
    if (refusal) throw refusal
    let session: Session
    try {
      session = await link.get()
      const copy = position()
      const { head, missed } = await lock(session, copy.seq)
      held = { session, head, missed }
      const parting = partingOf(head, copy)
      if (parting) parted(parting)
      if (parting) throw barred()!
      if (missed.length > MOST_MISSED) throw busy('This node lacks many writes of others and is following')
    } catch (error) {
      await release()
      if (error instanceof ApiError) throw error
      link.note(error)
      if (isSaid(error) && error.code === LOCKED) throw busy('Other nodes were writing all the time')
      throw unavailable()
    }
  }

  async function catchUp() {
    touched.clear()
    const { seq } = position()
    for (const group of held!.missed) {
      if (group.seq <= seq) continue // another process on this file has brought it
      await applyRows(tx, group.rows)
      await notePosition(tx, group)
    }
    raiseCounters(tx, held!.head.counters)
    touched.clear()
  }

  async function keep() {
    const { session, head } = held!
    const rows = touched.take()
    const counters = countersOf(tx)
    if (!rows && counters === head.counters) return release()
    const seq = head.seq + 1
    const commit_id = randomUUID()
    await notePosition(tx, { seq, commit_id })
    sent = { commit_id, committed: false }
    const began = performance.now()
    const results = await session.run(batchOf({ seq, commit_id, node }, rows, counters), COMMIT)
    // PostgreSQL answers COMMIT with ROLLBACK where something failed before
    if (results.at(-1)!.command !== 'COMMIT') throw new Error('PostgreSQL did not commit a group')
    measured('commit', performance.now() - began)
    link.note()
    sent.committed = true
    held = undefined
  }

  /** Whether the group that was sent is in the log. The lock of `head` waits for the end of the transaction that sent it. */
  async function isThere(commit_id: string): Promise<boolean> {
    const session = await link.get()
    const { head, missed } = await lock(session, position().seq)
    await session.run('rollback')
    link.note()
    const there = missed.some((group) => group.commit_id === commit_id)
    held = there ? { session, head, missed } : undefined
    return there
  }

  return {
    take,
    catchUp,
    keep,
    async wasKept(error) {
      const isRefused = isSaid(error) && !isFatal(error)
      if (!sent || (isRefused && !sent.committed)) {
        await release()
        return false
      }
      if (!sent.committed) link.note(error)
      held = undefined
      const until = Date.now() + UNKNOWN
      while (Date.now() < until) {
        try {
          return await isThere(sent.commit_id)
        } catch {
          await pause(AGAIN)
        }
      }
      throw notKnown()
    },
    failure: (error) => (isSaid(error) || error instanceof Lost ? unavailable() : error),
  }
}

/** The statements of a group: its row of the log, from which the tables take the rows, the head, and the commit. */
function batchOf(
  { seq, commit_id, node }: { seq: number; commit_id: string; node: string },
  touched: Touched | undefined,
  counters: string,
): string {
  const part = (name: string, which: 'set' | 'gone') =>
    `(select rows->'${name}'->'${which}' from almanac.log where seq = ${seq})`
  return [
    `insert into almanac.log (seq, commit_id, at, node, rows) values (${seq}, '${commit_id}', now(), ${literal(node)}, ${literal(touched?.rows ?? '{}')})`,
    ...(touched?.tables ?? []).flatMap(({ table, set, gone }) => [
      ...(gone ? [removeThere(table, part(table.name, 'gone'))] : []),
      ...(set ? [upsertThere(table, part(table.name, 'set'))] : []),
    ]),
    `update almanac.head set seq = ${seq}, commit_id = '${commit_id}', counters = ${literal(counters)}`,
    `notify almanac`,
    'commit',
  ].join(';\n')
}
