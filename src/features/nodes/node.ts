import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { type Db, openDb } from '../../kernel/database/db.ts'
import { MIGRATIONS } from '../../kernel/database/migrations.ts'
import { withoutReceipt } from '../../kernel/database/queue.ts'
import { VERSION } from '../../package.ts'
import { openTruth } from './comparison.ts'
import { openLink, openOutage } from './connection.ts'
import { copiesTaken } from './copy.ts'
import { openApplied, openFollower, openWaiting } from './follower.ts'
import { openReplicator } from './group.ts'
import { mendedOf } from './history.ts'
import { PACE } from './session.ts'
import { type NodeLog, openClock, openStatus } from './status.ts'

/** Where the truth is, and the copy of a node. */
export type Replicated = {
  url: string
  /** The file of the copy. */
  file: string
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
  { url, file, logDays, address, machine }: Replicated,
  log?: NodeLog,
  pace = PACE,
): Promise<Db> {
  const id = randomUUID()
  const name = hostname()
  const outage = openOutage(log)
  const clock = openClock(machine, log)
  let told = address
  const measuring: ((what: 'lock' | 'commit', milliseconds: number) => void)[] = []
  const waiting = openWaiting(pace.patience)
  const status = openStatus({ outage, log, far: pace.far, parted: waiting.giveUp })
  const applied = openApplied()
  applied.on(['changes'], waiting.look)
  const replicator = openReplicator({
    ...{ node: id, outage, pace, clock, parted: status.part },
    // the transaction in which they are ends before another begins
    applied: (groups, tables) => applied.note(groups, tables, () => db.local(async () => {})),
    link: openLink(url, outage, pace),
    barred: status.barred,
    measured(what, milliseconds) {
      for (const heard of measuring) heard(what, milliseconds)
    },
  })
  const db = openDb(file, 'normal', MIGRATIONS, undefined, replicator.open)
  const mended = mendedOf(db)
  const follower = openFollower(db, {
    ...{
      id,
      name,
      address: () => told,
      version: VERSION,
      logDays,
      pace,
      clock,
      outage,
      parted: status.part,
    },
    link: openLink(url, outage, pace, async (session) => {
      session.onNotification((node) => follower.wake(node))
      await session.run('listen almanac').catch(() => {}) // some poolers refuse it; then there is the question every second
    }),
    saw({ seq, behind }, lacks) {
      status.saw(seq, behind, lacks)
      if (mendedOf(db) !== mended)
        status.part({
          kind: 'stale',
          why: 'a command mended it, and this process has in memory what it was',
          isUsual: true,
        })
    },
    reached(at) {
      status.reached(at)
      waiting.reached(at)
    },
    applied: (groups, tables) => applied.note(groups, tables, async () => {}),
    state: status.state,
    trouble: status.failed,
    unheard: status.unheard,
  })
  const troubleOf = () => [status.trouble(), clock.trouble()].filter((one) => one !== undefined).join('; ')
  const leads = () => status.parting() === undefined && follower.leads()
  if (log) follower.start()
  else await follower.fresh().catch(() => {}) // a write will tell what is wrong
  return {
    ...db,
    async fresh(isPatient = true) {
      if (status.state() !== 'follows') return status.age()
      const follows = follower.fresh().catch(() => false)
      return (await (isPatient ? follows : within(pace.patience, follows))) ? 0 : status.age()
    },
    bring: () => withoutReceipt(() => db.write(async () => {})),
    async reach(isHere, signal) {
      if (status.parting()) return 'late'
      const arrival = waiting.wait(isHere, signal)
      follower.fresh().catch(() => {}) // the next round asks again
      return arrival
    },
    lag: status.lag,
    leads,
    term: follower.term,
    onApplied: applied.on,
    node: {
      truth: openTruth(db, url),
      status() {
        const state = status.state()
        const { seq } = follower.position()
        const most = Math.max(status.head(), seq)
        const age = state === 'follows' && seq === most ? 0 : status.age()
        const counts = { applied: applied.groups(), copies: copiesTaken() }
        const trouble = troubleOf()
        return {
          id,
          name,
          state,
          ...(trouble && { trouble }),
          seq,
          head: most,
          age,
          leads: leads(),
          ...counts,
          clock: clock.status(),
        }
      },
      now: clock.now,
      listens(at) {
        told = at
        follower.tell()
      },
      onMeasured: (heard) => void measuring.push(heard),
      onStale: status.onStale,
    },
    close() {
      waiting.giveUp()
      follower.stop()
      replicator.close()
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
