import type { Db } from '../../../kernel/database/db.ts'
import type { Clock } from '../clock.ts'
import type { PostgresLink } from '../connection/link.ts'
import type { Outage } from '../connection/outage.ts'
import type { Pace } from '../connection/pace.ts'
import {
  type Group,
  groupsAfter,
  type Head,
  headFor,
  isWhole,
  type Parting,
  partingOf,
  removed,
} from '../tables/history.ts'
import { positionOf } from '../tables/position.ts'
import { literal } from '../tables/rows.ts'
import { applyGroups } from './apply.ts'

/** Groups that are read and applied at a time. */
const BATCH = 100

/** Codes of SQLite for a copy that differs from the truth, or is damaged. */
const MISFIT = /^SQLITE_(CONSTRAINT|CORRUPT|NOTADB)/

export type FollowerOptions = {
  /** A random ID of this process, and what people know it by. */
  id: string
  name: string
  address(): string
  version: string
  link: PostgresLink
  outage: Outage
  pace: Pace
  /** Days that rows of the log are kept. */
  logDays: number
  parted(parting: Parting): void
  /** The last group in PostgreSQL, and whether the copy lacks any. */
  saw(head: Head, isLate: boolean): void
  /** The copy has everything that there was at this moment of `performance.now`. */
  reached(at: number): void
  /** The copy could not follow. */
  trouble(error: unknown): void
  /** PostgreSQL did not take what this node tells of itself. */
  unheard(error: unknown): void
  /** Is told how many groups of other nodes were applied to the copy, and in which tables these wrote. */
  applied(groups: number, tables: Set<string>): void
  /** How the copy stands, as other nodes are told. */
  state(): string
  clock: Clock
}

/** Brings what other nodes write to a copy, and tells them of this node. */
export function openFollower(db: Db, options: FollowerOptions) {
  const { id, link, pace, outage } = options
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

  async function question<T>(statement: string, deadline: number): Promise<T[]> {
    try {
      const session = await link.get()
      const rows = await session.ask<T>(statement, deadline)
      link.note()
      return rows
    } catch (error) {
      link.note(error)
      throw error
    }
  }

  function part(parting: Parting): false {
    options.parted(parting)
    return false
  }

  /** Asks for the head, and brings what is missing up to it. Returns whether the copy has it then; it has not if it can not follow. */
  async function ask(): Promise<boolean> {
    const at = performance.now()
    const copy = position()
    const [row] = await question<Head>(headFor(copy.seq), pace.answer)
    const head = row!
    options.clock.heard(head.clock, performance.now() - at)
    options.saw(head, head.seq > copy.seq)
    const parting = partingOf(head, copy)
    if (parting) return part(parting)
    if (!(await follow(head.seq))) return false
    options.reached(at)
    return true
  }

  async function follow(until: number): Promise<boolean> {
    for (let { seq } = position(); seq < until; { seq } = position()) {
      const groups = await question<Group>(groupsAfter(seq, BATCH), pace.read)
      if (!isWhole(seq, groups, until)) return part(removed(seq))
      try {
        const tables = await db.local((tx) => applyGroups(tx, groups))
        options.applied(groups.length, tables)
      } catch (error) {
        if (!MISFIT.test(String((error as { code?: string }).code))) throw error
        return part({
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

  /** Tells of this node, and takes, renews or gives up the lease of work that one node does for all. */
  async function beat(follows: boolean) {
    const { name, version, logDays } = options
    const address = options.address()
    const { offset } = options.clock.status()
    const now = performance.now()
    if (now - beaten < pace.heartbeat) return
    const lease = follows
      ? `insert into almanac.leases as l (name, node, until) values ('webhooks', '${id}', now() + interval '${pace.lease} milliseconds')
        on conflict (name) do update set node = excluded.node, until = excluded.until where l.node = excluded.node or l.until < now()
        returning node`
      : `delete from almanac.leases where node = '${id}'`
    const leases = await question(
      `insert into almanac.nodes (id, name, address, version, started, seen, seq, state, lag, clock)
        values ('${id}', ${literal(name)}, ${literal(address)}, ${literal(version)}, '${started}', now(), ${position().seq}, '${options.state()}',
          greatest(0, (select seq from almanac.head) - ${position().seq}), ${offset})
        on conflict (id) do update set address = excluded.address, seen = excluded.seen, seq = excluded.seq, state = excluded.state, lag = excluded.lag, clock = excluded.clock; ${lease}`,
      pace.answer,
    )
    beaten = now
    if (leases.length > 0 && performance.now() >= leadsUntil) term++
    leadsUntil = leases.length > 0 ? now + pace.lease - pace.margin : 0
    if (now - pruned < pace.pruning) return
    pruned = now
    // times of groups are those of their beginning, which are not in order: the first that stays decides
    await question(
      `delete from almanac.log where seq < least((select seq from almanac.head),
        (select min(seq) from almanac.log where at > now() - interval '${logDays} days'));
      delete from almanac.nodes where seen < now() - interval '1 day'`,
      pace.read,
    )
  }

  async function round() {
    const told = (tell: (error: unknown) => void) => (error: unknown) => {
      if (!stopped) tell(error)
      return false
    }
    const follows = await fresh().catch(told(options.trouble))
    if (!stopped && outage.since() === undefined) await beat(follows).catch(told(options.unheard))
    // nothing is written: it shows whether something could be
    if (!stopped && follows && outage.isDoubtful()) await db.write(async () => {}).catch(() => {})
    if (!stopped) timer = setTimeout(round, pace.every)
  }

  return {
    fresh,
    position,
    /** Tells of this node in the next round, whenever it did last. */
    tell() {
      beaten = -Infinity
    },
    /** Whether this node does for all nodes what only one may do. */
    leads: () => performance.now() < leadsUntil,
    /** How often it began to, after a time in which another one may have. */
    term: () => term,
    /** Looks at once: a notification came from another node, which it names. */
    wake(node: string) {
      if (!stopped && node !== id) fresh().catch(() => {}) // the next round tells what is wrong
    },
    start() {
      timer = setTimeout(round, 0)
    },
    stop() {
      stopped = true
      clearTimeout(timer)
      link.end(
        `delete from almanac.nodes where id = '${id}'; delete from almanac.leases where node = '${id}'`,
      )
    },
  }
}
export type Follower = ReturnType<typeof openFollower>
