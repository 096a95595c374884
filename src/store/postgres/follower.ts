import type { Db, Queries } from '../sqlite/db.ts'
import { applyRows, type Group } from './apply.ts'
import { type Head, headFor, type Parting, partingOf } from './history.ts'
import type { PostgresLink } from './link.ts'
import { notePosition, positionOf } from './position.ts'
import { literal } from './rows.ts'
import type { Session } from './session.ts'

/** Groups that are read and applied at a time. */
const BATCH = 100
/** Milliseconds between questions for the head, between heartbeats, and between removals of old rows. */
const EVERY = 1_000
const HEARTBEAT = 5_000
const PRUNING = 600_000
/** Milliseconds for an answer to a question for the head; readers wait for it. */
const ANSWER = 2_000
/** Milliseconds for rows of the log. */
const READ = 30_000
/** Seconds for which a lease holds unless it is renewed. */
const LEASE = 15
/** Seconds by which the holder stops before the lease ends. */
const MARGIN = 3

export type FollowerOptions = {
  /** A random ID of this process, and what people know it by. */
  id: string
  name: string
  address: string
  version: string
  link: PostgresLink
  /** Days that rows of the log are kept. */
  logDays: number
  parted(parting: Parting): void
  /** The last group in PostgreSQL, and when it was asked for. */
  saw(head: Head): void
  trouble(error: unknown): void
  /** So many groups of other nodes were brought. */
  applied(groups: number): void
}

/** Brings what other nodes write to a copy, and tells them of this node. */
export function openFollower(db: Db, options: FollowerOptions) {
  const { id, link, parted } = options
  const started = new Date().toISOString()
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let asking: Promise<Head | undefined> | undefined
  let next: Promise<Head | undefined> | undefined
  let leadsUntil = 0
  let beaten = 0
  let pruned = Date.now()
  const position = () => positionOf(db.read)!

  /** Asks for the head, and brings what is missing up to it. Returns undefined if the copy can not follow it. */
  async function ask(): Promise<Head | undefined> {
    try {
      const copy = position()
      const session = await link.get()
      const [row] = await session.ask<Head>(headFor(copy.seq), ANSWER)
      const head = row!
      link.note()
      options.saw(head)
      const parting = partingOf(head, copy)
      if (parting) {
        parted(parting)
        return undefined
      }
      await follow(session, head.seq)
      return head
    } catch (error) {
      link.note(error)
      throw error
    }
  }

  async function follow(session: Session, until: number) {
    for (let { seq } = position(); seq < until; { seq } = position()) {
      const groups = await session.ask<Group>(
        `select seq, commit_id, rows from almanac.log where seq > ${seq} order by seq limit ${BATCH}`,
        READ,
      )
      // removed a moment ago: the next question for the head tells
      if (groups[0]?.seq !== seq + 1) return
      await db.local((tx) => applyAll(tx, groups))
      options.applied(groups.length)
    }
  }

  /** Asks after this call, together with others that ask meanwhile: an answer that is under way may be older. */
  function fresh(): Promise<Head | undefined> {
    next ??= (asking ?? Promise.resolve(undefined))
      .catch(() => undefined)
      .then(() => {
        asking = next
        next = undefined
        return ask()
      })
    return next
  }

  /** Tells of this node, and renews or takes the lease of work that one node does for all. */
  async function beat() {
    const { name, address, version, logDays } = options
    const now = Date.now()
    if (now - beaten < HEARTBEAT) return
    const session = await link.get()
    const lease = await session.ask(
      `insert into almanac.nodes (id, name, address, version, started, seen, seq)
        values ('${id}', ${literal(name)}, ${literal(address)}, ${literal(version)}, '${started}', now(), ${position().seq})
        on conflict (id) do update set seen = excluded.seen, seq = excluded.seq;
      insert into almanac.leases as l (name, node, until) values ('webhooks', '${id}', now() + interval '${LEASE} seconds')
        on conflict (name) do update set node = excluded.node, until = excluded.until where l.node = excluded.node or l.until < now()
        returning node`,
      ANSWER,
    )
    beaten = now
    leadsUntil = lease.length > 0 ? now + (LEASE - MARGIN) * 1_000 : 0
    if (now - pruned < PRUNING) return
    pruned = now
    await session.run(
      `delete from almanac.log where at < now() - interval '${logDays} days' and seq < (select seq from almanac.head);
      delete from almanac.nodes where seen < now() - interval '1 day'`,
      READ,
    )
  }

  async function round() {
    try {
      await fresh()
      await beat()
    } catch (error) {
      link.note(error)
      options.trouble(error)
    }
    if (!stopped) timer = setTimeout(round, EVERY)
  }

  return {
    fresh,
    position,
    /** Whether this node does for all nodes what only one may do. */
    leads: () => Date.now() < leadsUntil,
    /** Looks at once: a notification came. */
    wake() {
      if (!stopped) fresh().catch(() => {}) // the next round tells what is wrong
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

/** Applies groups that another process on this file has not brought meanwhile. */
async function applyAll(tx: Queries, groups: Group[]) {
  for (const group of groups) {
    if (group.seq !== positionOf(tx)!.seq + 1) continue
    await applyRows(tx, group.rows)
    await notePosition(tx, group)
  }
}
