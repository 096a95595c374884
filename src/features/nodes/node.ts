import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { withoutWriteContext } from '../../kernel/database/context.ts'
import { type Db, openDb } from '../../kernel/database/db.ts'
import type { Replica } from '../../kernel/database/replica.ts'
import type { DatabaseLog, SharedCalendar } from '../host.ts'
import { openComparison } from './comparison.ts'
import { openConnection, openOutage } from './connection.ts'
import { copiesTaken } from './copy.ts'
import { openApplied, openFollower, openWaiting } from './follower.ts'
import { openReplication } from './replication.ts'
import { TIMING } from './session.ts'
import { openClock, openStatus } from './status.ts'

/** Addresses that are the same on every machine. */
const ANYWHERE = /^(0\.0\.0\.0|::|\[::\]|localhost|::1|\[::1\]|127\..*)$/

/** Where a node listens, so that nobody mistakes it for another: by the name of the machine if its address says nothing of that. */
export function addressOf({ host, port }: { host: string; port: number }): string {
  const name = ANYWHERE.test(host) ? hostname() : host
  return `${name.includes(':') ? `[${name}]` : name}:${port}`
}

/** Where the truth is, and the copy of a node. */
export type Replicated = SharedCalendar & {
  /** Days that the log is kept. */
  logDays: number
  /** Where this node listens, told apart from all others. */
  address: string
  /** The clock of this machine, in Unix milliseconds. */
  machine: () => number
}

/**
 * Opens the copy of a node. With `log` it follows what other nodes write, until it is closed; else it has what there is now. Call
 * `prepareCopy` before.
 */
export async function openReplica(
  { url, file, logDays, address: first, machine }: Replicated,
  log?: DatabaseLog,
  timing = TIMING,
): Promise<Db> {
  const id = randomUUID()
  const name = hostname()
  const outage = openOutage(log)
  const clock = openClock(machine, log)
  let address = first
  const observers: Parameters<Replica['onMeasured']>[0][] = []
  const waiting = openWaiting(timing.patience)
  const status = openStatus({ outage, log, far: timing.far, onDiverged: waiting.giveUp })
  const applied = openApplied()
  applied.on(['changes'], waiting.check)
  const replication = openReplication({
    node: id,
    connection: openConnection(url, outage, timing),
    outage,
    timing,
    clock,
    status,
    onMeasured(what, milliseconds) {
      for (const observe of observers) observe(what, milliseconds)
    },
    // the transaction in which they are ends before another begins
    onApplied: (groups, tables) => applied.note(groups, tables, () => db.local(async () => {})),
  })
  const db = openDb(file, { durability: 'normal', group: replication.group })
  const follower = openFollower(db, {
    id,
    name,
    address: () => address,
    logDays,
    connection: openConnection(url, outage, timing, async (session) => {
      session.onNotification((node) => follower.wake(node))
      await session.run('listen almanac').catch(() => {}) // some poolers refuse it; then there is the question every second
    }),
    outage,
    timing,
    clock,
    status,
    waiting,
    applied,
  })
  const troubleOf = () => [status.trouble(), clock.trouble()].filter((one) => one !== undefined).join('; ')
  const leads = () => status.divergence() === undefined && follower.leads()
  if (log) follower.start()
  else await follower.fresh().catch(() => {}) // a write will say what is wrong
  return {
    ...db,
    async fresh(isPatient = true) {
      if (status.state() !== 'follows') return status.age()
      const follows = follower.fresh().catch(() => false)
      return (await (isPatient ? follows : within(timing.patience, follows))) ? 0 : status.age()
    },
    catchUp: () => withoutWriteContext(() => db.write(async () => {})),
    async waitUntil(isHere, signal) {
      if (status.divergence()) return 'late'
      const arrival = waiting.wait(isHere, signal)
      follower.fresh().catch(() => {}) // the next round asks again
      return arrival
    },
    lag: status.lag,
    leads,
    term: follower.term,
    onApplied: applied.on,
    replica: {
      comparison: openComparison(db, url),
      status() {
        const state = status.state()
        const { seq } = follower.position()
        const head = Math.max(status.head(), seq)
        const age = state === 'follows' && seq === head ? 0 : status.age()
        const trouble = troubleOf()
        return {
          id,
          name,
          state,
          ...(trouble && { trouble }),
          seq,
          head,
          age,
          leads: leads(),
          applied: applied.groups(),
          copies: copiesTaken(),
          clock: clock.status(),
        }
      },
      now: clock.now,
      listensAt(at) {
        address = at
        follower.reportSoon()
      },
      onMeasured: (observe) => void observers.push(observe),
      onStale: status.onStale,
    },
    close() {
      waiting.giveUp()
      follower.stop()
      replication.close()
      return db.close()
    },
  }
}

/** What comes of this within so many milliseconds; false if nothing does. */
async function within(milliseconds: number, work: Promise<boolean>): Promise<boolean> {
  let late: NodeJS.Timeout | undefined
  const isLate = new Promise<false>((resolve) => {
    late = setTimeout(resolve, milliseconds, false)
  })
  return Promise.race([work, isLate]).finally(() => clearTimeout(late))
}
