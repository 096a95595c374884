import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import type { Queries } from '../../kernel/database/db.ts'
import type { Replication } from '../../kernel/database/replica.ts'
import { ApiError } from '../../kernel/errors.ts'
import { applyGroups, countersOf, raiseCounters } from './apply.ts'
import { isRefusal, type Outage, type PostgresLink } from './connection.ts'
import {
  batchOf,
  type Group,
  groupsAfter,
  type Head,
  headFor,
  isWhole,
  notePosition,
  type Parting,
  type Position,
  partingOf,
  positionOf,
  removed,
} from './history.ts'
import { literal, openWrittenRows } from './rows.ts'
import { isPassing, isSaid, Lost, type Pace, type Session } from './session.ts'
import type { Clock } from './status.ts'

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

export type ReplicatorOptions = {
  node: string
  link: PostgresLink
  outage: Outage
  pace: Pace
  clock: Clock
  /** Why nothing may be written by this node at all; undefined if it may. */
  barred(): ApiError | undefined
  parted(parting: Parting): void
  /** Milliseconds that the lock was waited for, and that a commit took. */
  measured(what: 'lock' | 'commit', milliseconds: number): void
  /** Is told how many groups of other nodes the current transaction applied to the copy, and in which tables these wrote. */
  applied(groups: number, tables: Set<string>): void
}

/** Keeps what a node writes in PostgreSQL: `docs/scaling.md` tells the protocol. */
export function openReplicator(options: ReplicatorOptions) {
  let closed = false
  return {
    /** For the connection of a copy that writes. */
    open: (writer: Database.Database, tx: Queries) => replicationOf(options, writer, tx, () => closed),
    close() {
      closed = true
      options.link.end()
    },
  }
}

/** The lock of the head, and what is known with it. */
type Held = { session: Session; head: Head; missed: Group[] }

function replicationOf(
  { node, link, outage, pace, clock, barred, parted, measured, applied }: ReplicatorOptions,
  writer: Database.Database,
  tx: Queries,
  isClosed: () => boolean,
): Replication {
  const written = openWrittenRows(writer)
  let held: Held | undefined
  /** The group of this turn, once it was sent, and whether it is known to be in PostgreSQL. */
  let sent: { seq: number; commit_id: string; kept: boolean } | undefined

  const position = (): Position => positionOf(tx)!

  /** Takes the lock. Throws if it can not be had, and if the copy can not follow, or lacks too much. */
  async function lock(copy: Position): Promise<Held> {
    const session = await link.get()
    const began = performance.now()
    try {
      // the isolation is named, because another one may be the default, with which the head would be as it was before the lock
      const results = await session.run(
        `begin isolation level read committed; set local lock_timeout = ${pace.lock};
          set local idle_in_transaction_session_timeout = ${pace.silent};
          ${headFor(copy.seq)} for update of head; ${groupsAfter(copy.seq, MOST_MISSED)}`,
        pace.lock + pace.answer,
      )
      measured('lock', performance.now() - began)
      link.note()
      const head = results[3]!.rows[0] as Head
      clock.heard(head.clock, performance.now() - began)
      const missed = results[4]!.rows as Group[]
      const parting =
        partingOf(head, copy) ?? (isWhole(copy.seq, missed, head.seq) ? undefined : removed(copy.seq))
      if (parting) {
        parted(parting)
        throw barred()
      }
      if (copy.seq + missed.length < head.seq)
        throw busy('This node lacks many writes of others and is following')
      return { session, head, missed }
    } catch (error) {
      await leave(session)
      throw error
    }
  }

  /** Ends a transaction in PostgreSQL without keeping anything. */
  async function leave(session: Session) {
    if (!session.isOver()) await session.run('rollback').catch(session.cut)
  }

  /** What a failure before the commit is for those who write. */
  function failureOf(error: unknown): unknown {
    if (sent?.kept) return Object.assign(notKnown(), { cause: error })
    if (isSaid(error) && error.code === LOCKED) return busy('Other nodes were writing all the time')
    return error instanceof Lost || (isSaid(error) && isPassing(error))
      ? unavailable(error, isRefusal(error))
      : error
  }

  async function take() {
    sent = undefined
    const refusal = barred() ?? (outage.since() === undefined ? undefined : unavailable(undefined, false))
    if (refusal) throw refusal
    try {
      held = await lock(position())
    } catch (error) {
      link.note(error)
      throw failureOf(error)
    }
  }

  /** Finds out whether a group could be stored, by one that is rolled back; it needs room like that of a few events. */
  async function attempt(session: Session) {
    const rows = JSON.stringify({ attempt: randomBytes(ROOM).toString('base64') })
    await session.run(
      `insert into almanac.log (seq, commit_id, at, node, rows) values (-1, '${randomUUID()}', now(), ${literal(node)}, ${literal(rows)})`,
      pace.commit,
    )
    outage.wrote()
  }

  async function keep() {
    const { session, head } = held!
    const rows = written.take()
    const counters = countersOf(tx)
    if (!rows && counters === head.counters) {
      if (outage.isDoubtful()) await attempt(session)
      held = undefined
      return leave(session)
    }
    const seq = head.seq + 1
    const commit_id = randomUUID()
    await notePosition(tx, { seq, commit_id })
    sent = { seq, commit_id, kept: false }
    const began = performance.now()
    await session.run(batchOf({ seq, commit_id, node }, rows, counters), pace.commit)
    sent.kept = true
    held = undefined
    measured('commit', performance.now() - began)
    link.note()
    outage.wrote()
  }

  /** Whether the group that was sent is in the log. The lock of `head` waits for the end of the transaction that sent it. */
  async function isInTruth({ seq, commit_id }: { seq: number; commit_id: string }): Promise<boolean> {
    const found = await lock(position())
    // not among what is missed, if another process on this file has brought it
    const [head] = await found.session.ask<Head>(headFor(seq))
    await leave(found.session)
    const isKept = head!.mine === commit_id
    if (isKept) held = found
    return isKept
  }

  return {
    take,
    isBehind: () => held!.head.seq > position().seq || countersOf(tx) !== held!.head.counters,
    async catchUp() {
      const { missed, head } = held!
      const tables = await applyGroups(tx, missed)
      if (missed.length > 0) applied(missed.length, tables)
      raiseCounters(tx, head.counters)
    },
    keep,
    forget: written.clear,
    async wasKept(error) {
      const session = held?.session
      held = undefined
      if (session) await leave(session)
      link.note(error)
      if (!sent) return false
      // what PostgreSQL refused on a connection that goes on was not stored
      if (isSaid(error) && !session!.isOver()) return false
      const until = performance.now() + pace.unknown
      let isKept: boolean | undefined
      while (isKept === undefined)
        isKept = await isInTruth(sent).catch(async (later) => {
          if (barred() || isClosed() || performance.now() > until)
            throw Object.assign(notKnown(), { cause: later })
          await pause(pace.again)
          return undefined
        })
      sent.kept = isKept
      return isKept
    },
    failure: failureOf,
  }
}
