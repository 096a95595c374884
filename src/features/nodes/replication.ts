import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type { Queries } from '../../kernel/database/db.ts'
import type { Group } from '../../kernel/database/queue.ts'
import { ApiError } from '../../kernel/errors.ts'
import { applyGroups, countersOf, raiseCounters } from './apply.ts'
import { type Connection, isRefusal, type Outage } from './connection.ts'
import {
  batchOf,
  divergenceOf,
  groupsAfter,
  type Head,
  headFor,
  isWhole,
  type LoggedGroup,
  notePosition,
  type Position,
  positionOf,
  removed,
} from './log.ts'
import { literal, openWrittenRows } from './rows.ts'
import { ConnectionLost, isPostgresError, isTransient, type Session, type Timing } from './session.ts'
import type { Clock, Status } from './status.ts'

/** Groups that a write brings first, if its copy lacks them. A node that lacks more refuses writes until it has followed. */
const MOST_MISSED = 100

/** Bytes of an attempt to write, which can not be compressed. */
const ROOM = 48_000

/** SQLSTATE of a lock that others held too long. */
const LOCKED = '55P03'

const unavailable = (cause: unknown, isRefused: boolean) =>
  Object.assign(
    new ApiError(
      'database_unavailable',
      `PostgreSQL, which keeps the truth, ${isRefused ? 'refuses writes' : 'does not answer'}; nothing was written. Reads still work.`,
      { retry_after: 2 },
    ),
    { cause },
  )
const busy = (why: string) =>
  new ApiError('database_busy', `${why}; nothing was written.`, { retry_after: 1 })
const notKnown = () =>
  new ApiError(
    'outcome_unknown',
    'It could not be found out whether PostgreSQL stored this. The request was applied completely or not at all; check before you send it again.',
    { retry_after: 5 },
  )

export type ReplicationOptions = {
  node: string
  connection: Connection
  outage: Outage
  timing: Timing
  clock: Clock
  /** Knows why nothing may be written by this node at all, and is told why its copy can not follow. */
  status: Pick<Status, 'refusal' | 'diverge'>
  /** Gets milliseconds that the lock was waited for, and that a commit took. */
  onMeasured(what: 'lock' | 'commit', milliseconds: number): void
  /** Gets how many groups of other nodes the current transaction applied to the copy, and in which tables these wrote. */
  onApplied(groups: number, tables: Set<string>): void
}

/**
 * Keeps what a node writes in PostgreSQL as well: `docs/scaling.md` tells the protocol. `group` takes part in the group commits of the connection
 * that writes to the copy.
 */
export function openReplication(options: ReplicationOptions) {
  let closed = false
  return {
    group: (writer: Database.Database, tx: Queries) => groupOf(options, writer, tx, () => closed),
    close() {
      closed = true
      options.connection.end()
    },
  }
}

type Sent = { seq: number; commit_id: string }

/** The lock of the head, and what is known with it. */
type Held = { session: Session; head: Head; missed: LoggedGroup[]; isBehind: boolean }

function groupOf(
  { node, connection, outage, timing, clock, status, onMeasured, onApplied }: ReplicationOptions,
  writer: Database.Database,
  tx: Queries,
  isClosed: () => boolean,
): Group {
  const written = openWrittenRows(writer)
  let held: Held | undefined
  /** This group, once it was sent. */
  let sent: Sent | undefined
  /** Whether this group is in PostgreSQL although it failed here, and is brought from there. */
  let isRecovering = false

  const position = (): Position => positionOf(tx)!

  /** Takes the lock. Throws if it can not be had, and if the copy can not follow, or lacks too much. */
  async function lock(copy: Position): Promise<Held> {
    const session = await connection.get()
    const began = performance.now()
    try {
      // the isolation is named, because another one may be the default, with which the head would be as it was before the lock
      const results = await session.run(
        `begin isolation level read committed; set local lock_timeout = ${timing.lock};
          set local idle_in_transaction_session_timeout = ${timing.silent};
          ${headFor(copy.seq)} for update of head; ${groupsAfter(copy.seq, MOST_MISSED)}`,
        timing.lock + timing.answer,
      )
      onMeasured('lock', performance.now() - began)
      connection.note()
      const head = results[3]!.rows[0] as Head
      clock.compare(head.clock, performance.now() - began)
      const missed = results[4]!.rows as LoggedGroup[]
      const divergence =
        divergenceOf(head, copy) ?? (isWhole(copy.seq, missed, head.seq) ? undefined : removed(copy.seq))
      if (divergence) {
        status.diverge(divergence)
        throw status.refusal()
      }
      if (copy.seq + missed.length < head.seq)
        throw busy('This node lacks many writes of others and is following')
      // another process on this file may have brought it meanwhile
      const isBehind = head.seq > position().seq || countersOf(tx) !== head.counters
      return { session, head, missed, isBehind }
    } catch (error) {
      await leave(session)
      throw error
    }
  }

  /** Ends a transaction in PostgreSQL without keeping anything. */
  async function leave(session: Session) {
    if (!session.isOver()) await session.run('rollback').catch(session.cut)
  }

  /** What a failure is for those who write. */
  function failureOf(error: unknown): unknown {
    if (isPostgresError(error) && error.code === LOCKED) return busy('Other nodes were writing all the time')
    return error instanceof ConnectionLost || (isPostgresError(error) && isTransient(error))
      ? unavailable(error, isRefusal(error))
      : error
  }

  /** Finds out whether a group could be stored, by one that is rolled back; it needs room like that of a few events. */
  async function attempt(session: Session) {
    const rows = JSON.stringify({ attempt: randomBytes(ROOM).toString('base64') })
    await session.run(
      `insert into almanac.log (seq, commit_id, at, node, rows) values (-1, '${randomUUID()}', now(), ${literal(node)}, ${literal(rows)})`,
      timing.commit,
    )
    outage.wrote()
  }

  /** Whether the group that was sent is in the log. The lock of `head` waits for the end of the transaction that sent it. */
  async function isThere({ seq, commit_id }: Sent): Promise<boolean> {
    const found = await lock(position())
    // not among what is missed, if another process on this file has brought it
    const [head] = await found.session.ask<Head>(headFor(seq))
    await leave(found.session)
    const isKept = head!.mine === commit_id
    if (isKept) held = found
    return isKept
  }

  /** Whether what a failed group wrote was stored nevertheless. Throws if that can not be found out. */
  async function wasKept(error: unknown): Promise<boolean> {
    const session = held?.session
    held = undefined
    if (session) await leave(session)
    connection.note(error)
    if (!sent) return false
    // what PostgreSQL refused on a connection that goes on was not stored
    if (isPostgresError(error) && !session!.isOver()) return false
    const until = performance.now() + timing.unknown
    for (;;)
      try {
        return await isThere(sent)
      } catch (cause) {
        if (status.refusal() || isClosed() || performance.now() > until)
          throw Object.assign(notKnown(), { cause })
        await pause(timing.again)
      }
  }

  return {
    async before() {
      sent = undefined
      isRecovering = false
      const why =
        status.refusal() ?? (outage.since() === undefined ? undefined : unavailable(undefined, false))
      if (why) throw why
      try {
        held = await lock(position())
        return held.isBehind
      } catch (error) {
        connection.note(error)
        throw failureOf(error)
      }
    },
    async apply() {
      const { missed, head } = held!
      const tables = await applyGroups(tx, missed)
      if (missed.length > 0) onApplied(missed.length, tables)
      raiseCounters(tx, head.counters)
    },
    async keep() {
      const { session, head } = held!
      const rows = written.collect()
      const counters = countersOf(tx)
      if (!rows && counters === head.counters) {
        if (outage.isDoubtful()) await attempt(session)
        held = undefined
        return leave(session)
      }
      const seq = head.seq + 1
      const commit_id = randomUUID()
      await notePosition(tx, { seq, commit_id })
      sent = { seq, commit_id }
      const began = performance.now()
      await session.run(batchOf({ seq, commit_id, node }, rows, counters), timing.commit)
      held = undefined
      onMeasured('commit', performance.now() - began)
      connection.note()
      outage.wrote()
    },
    forget: written.clear,
    async outcome(error) {
      if (isRecovering) throw Object.assign(notKnown(), { cause: error })
      isRecovering = await wasKept(error)
      if (!isRecovering) throw failureOf(error)
    },
  }
}
