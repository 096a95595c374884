import type { Db } from '../../kernel/database/db.ts'
import type { Arrival } from '../../kernel/database/replica.ts'
import { VERSION } from '../../package.ts'
import { applyGroups } from './apply.ts'
import type { Connection, Outage } from './connection.ts'
import {
  type Divergence,
  divergenceOf,
  groupsAfter,
  type Head,
  headFor,
  isWhole,
  type LoggedGroup,
  mendedOf,
  positionOf,
  removed,
} from './log.ts'
import { literal } from './rows.ts'
import type { Timing } from './session.ts'
import type { Clock, Status } from './status.ts'

/** Groups that are read and applied at a time. */
const BATCH = 100

/** The divergence of a copy that a command has mended. */
const MENDED: Divergence = {
  kind: 'stale',
  why: 'a command mended it, and this process has in memory what it was',
  isUsual: true,
}

/** Codes of SQLite for a copy that differs from the truth, or is damaged. */
const MISFIT = /^SQLITE_(CONSTRAINT|CORRUPT|NOTADB)/

export type FollowerOptions = {
  /** A random ID of this process, what people know it by, and where it listens. */
  id: string
  name: string
  address(): string
  /** Days that rows of the log are kept. */
  logDays: number
  connection: Connection
  outage: Outage
  timing: Timing
  clock: Clock
  /** What is told of the copy, and who waits for what comes. */
  status: Status
  waiting: Waiting
  applied: Applied
}

/** Brings what other nodes write to a copy, and reports to them how this node stands. */
export function openFollower(db: Db, options: FollowerOptions) {
  const { id, name, address, logDays, connection, outage, timing, clock, status, waiting, applied } = options
  const mended = mendedOf(db)
  const started = new Date().toISOString()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<boolean> = Promise.resolve(false)
  let next: Promise<boolean> | undefined
  let leadsUntil = 0
  let term = 0
  let beaten = -Infinity
  let pruned = performance.now()
  const position = () => positionOf(db.read)!

  async function query<T>(statement: string, deadline: number): Promise<T[]> {
    try {
      const session = await connection.get()
      const rows = await session.ask<T>(statement, deadline)
      connection.note()
      return rows
    } catch (error) {
      connection.note(error)
      throw error
    }
  }

  function diverge(divergence: Divergence): false {
    status.diverge(divergence)
    return false
  }

  /** Asks for the head, and brings what is missing up to it. Returns whether the copy has it then; it has not if it can not follow. */
  async function ask(): Promise<boolean> {
    const at = performance.now()
    const copy = position()
    const [row] = await query<Head>(headFor(copy.seq), timing.answer)
    const head = row!
    clock.compare(head.clock, performance.now() - at)
    status.noteHead(head.seq, head.behind, head.seq > copy.seq)
    if (mendedOf(db) !== mended) diverge(MENDED)
    const divergence = divergenceOf(head, copy)
    if (divergence) return diverge(divergence)
    if (!(await follow(head.seq))) return false
    status.noteCaughtUp(at)
    waiting.noteCaughtUp(at)
    return true
  }

  async function follow(until: number): Promise<boolean> {
    for (let { seq } = position(); seq < until; { seq } = position()) {
      const groups = await query<LoggedGroup>(groupsAfter(seq, BATCH), timing.read)
      if (!isWhole(seq, groups, until)) return diverge(removed(seq))
      try {
        const tables = await db.local((tx) => applyGroups(tx, groups))
        applied.note(groups.length, tables, async () => {})
      } catch (error) {
        if (!MISFIT.test(String((error as { code?: string }).code))) throw error
        return diverge({
          kind: 'stale',
          why: `group ${seq + 1} does not fit it (${(error as Error).message})`,
        })
      }
    }
    return true
  }

  /** Asks after this call, together with others that ask meanwhile: an answer that is under way may be older. */
  function fresh(): Promise<boolean> {
    next ??= asking
      .catch(() => false)
      .then(() => {
        asking = next!
        next = undefined
        return ask()
      })
    return next
  }

  /** Reports how this node stands, and takes, renews or gives up the lease of work that one node does for all. */
  async function beat(follows: boolean) {
    const { offset } = clock.status()
    const now = performance.now()
    if (now - beaten < timing.heartbeat) return
    const lease = follows
      ? `insert into almanac.leases as l (name, node, until) values ('webhooks', '${id}', now() + interval '${timing.lease} milliseconds')
        on conflict (name) do update set node = excluded.node, until = excluded.until where l.node = excluded.node or l.until < now()
        returning node`
      : `delete from almanac.leases where node = '${id}'`
    const leases = await query(
      `insert into almanac.nodes (id, name, address, version, started, seen, seq, state, lag, clock)
        values ('${id}', ${literal(name)}, ${literal(address())}, ${literal(VERSION)}, '${started}', now(), ${position().seq}, '${status.state()}',
          greatest(0, (select seq from almanac.head) - ${position().seq}), ${offset})
        on conflict (id) do update set address = excluded.address, seen = excluded.seen, seq = excluded.seq, state = excluded.state, lag = excluded.lag, clock = excluded.clock; ${lease}`,
      timing.answer,
    )
    beaten = now
    if (leases.length > 0 && performance.now() >= leadsUntil) term++
    leadsUntil = leases.length > 0 ? now + timing.lease - timing.margin : 0
    if (now - pruned < timing.pruning) return
    pruned = now
    // times of groups are those of their beginning, which are not in order: the first that stays decides
    await query(
      `delete from almanac.log where seq < least((select seq from almanac.head),
        (select min(seq) from almanac.log where at > now() - interval '${logDays} days'));
      delete from almanac.nodes where seen < now() - interval '1 day'`,
      timing.read,
    )
  }

  async function round() {
    const reporting = (report: (error: unknown) => void) => (error: unknown) => {
      if (!stopped) report(error)
      return false
    }
    const follows = await fresh().catch(reporting(status.noteFailure))
    if (!stopped && outage.since() === undefined) await beat(follows).catch(reporting(status.noteUnreported))
    // nothing is written: it shows whether something could be
    if (!stopped && follows && outage.isDoubtful()) await db.write(async () => {}).catch(() => {})
    if (!stopped) timer = setTimeout(round, timing.every)
  }

  return {
    fresh,
    position,
    /** Reports how this node stands in the next round, whenever it did last. */
    reportSoon() {
      beaten = -Infinity
    },
    /** Whether this node does for all nodes what only one may do. */
    leads: () => performance.now() < leadsUntil,
    /** How often it began to, after a time in which another one may have. */
    term: () => term,
    /** Asks at once: a notification came from another node, which it names. */
    wake(node: string) {
      if (!stopped && node !== id) fresh().catch(() => {}) // the next round reports what is wrong
    },
    start() {
      timer = setTimeout(round, 0)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      connection.end(
        `delete from almanac.nodes where id = '${id}'; delete from almanac.leases where node = '${id}'`,
      )
    },
  }
}

/** Requests that wait at a time for what a copy does not have yet; for more it is late at once. */
const MOST = 500

type Request = { since: number; isHere(): boolean; resolve(arrival: Arrival): void }

/** Requests that wait for writes of other nodes, each for `patience` milliseconds at most. Nothing runs while none waits. */
export function openWaiting(patience: number, most = MOST) {
  const waiting = new Set<Request>()
  return {
    /** Waits until `isHere`, which is asked when something has arrived. The copy is late for who has left, by `signal`. */
    wait(isHere: () => boolean, signal: AbortSignal): Promise<Arrival> {
      if (signal.aborted || waiting.size >= most) return Promise.resolve('late')
      return new Promise((resolve) => {
        const leave = () => one.resolve('late')
        const timer = setTimeout(leave, patience)
        const one: Request = {
          since: performance.now(),
          isHere,
          resolve(arrival) {
            waiting.delete(one)
            clearTimeout(timer)
            signal.removeEventListener('abort', leave)
            resolve(arrival)
          },
        }
        waiting.add(one)
        signal.addEventListener('abort', leave)
      })
    },
    /** Something has arrived. */
    check() {
      for (const one of waiting) if (one.isHere()) one.resolve('here')
    },
    /** The copy has everything that there was at this moment of `performance.now`. */
    noteCaughtUp(at: number) {
      for (const one of waiting) if (one.since <= at) one.resolve(one.isHere() ? 'here' : 'nowhere')
    },
    /** Nothing will arrive for those who wait. */
    giveUp() {
      for (const one of waiting) one.resolve('late')
    },
  }
}

export type Waiting = ReturnType<typeof openWaiting>

/** Counts the groups of other nodes, and calls listeners to the tables in which they wrote. */
export function openApplied() {
  const listeners: { tables: string[]; listener: () => void }[] = []
  let applied = 0
  return {
    /** Groups that were applied. */
    groups: () => applied,
    on: (tables: string[], listener: () => void) => void listeners.push({ tables, listener }),
    /** Notes groups that wrote in these tables; `committed` is done once they can be read. */
    note(groups: number, written: ReadonlySet<string>, committed: () => Promise<unknown>) {
      applied += groups
      const called = listeners.filter(({ tables }) => tables.some((table) => written.has(table)))
      const call = () => {
        for (const { listener } of called) listener()
      }
      if (called.length > 0) committed().then(call, call)
    },
  }
}
export type Applied = ReturnType<typeof openApplied>
