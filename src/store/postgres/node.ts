import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { VERSION } from '../../package.ts'
import { ApiError } from '../../support/errors.ts'
import { type Db, openDb } from '../sqlite/db.ts'
import { unmarked } from '../sqlite/marks.ts'
import { MIGRATIONS } from '../sqlite/migrations.ts'
import { type ClockStatus, openClock } from './clock.ts'
import { isRefusal } from './connection/cause.ts'
import { openLink } from './connection/link.ts'
import { openOutage } from './connection/outage.ts'
import { PACE } from './connection/pace.ts'
import { copiesTaken } from './copy/preparation.ts'
import { openTruth, type Truth } from './copy/truth.ts'
import { openBrought } from './log/brought.ts'
import { openFollower } from './log/follower.ts'
import { openKeeper } from './log/keeper.ts'
import { openWaiting } from './log/waiting.ts'
import type { Parting } from './tables/history.ts'
import { mendedOf } from './tables/position.ts'

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

/** How a node stands to the others. */
export type NodeStatus = {
  id: string
  name: string
  /**
   * `follows`; `alone` while PostgreSQL does not answer; `behind` while it lacks what is older than a minute; `stuck` while what others
   * write can not be written here; `stale` while it takes its copy anew; `outdated` where its program is too old.
   */
  state: 'follows' | 'alone' | 'behind' | 'stuck' | 'stale' | 'outdated'
  /** What is wrong, in a sentence for everybody; absent if nothing is known to be. */
  trouble?: string
  /** The last group here, and the last that is known of. */
  seq: number
  head: number
  /** Seconds since this node last knew that it has everything. */
  age: number
  /** Does for all what only one node may do, such as sending webhooks. */
  leads: boolean
  /** Groups of other nodes that this process applied since it opened its copy. */
  applied: number
  /** Copies that this process took since its start in the place of one that could not be followed. */
  copies: number
  clock: ClockStatus
}

/** What a node is beside its database. */
export type Node = {
  status(): NodeStatus
  /** Unix milliseconds to stamp with: by the clock of this machine, or by PostgreSQL's while that is far off. */
  now(): number
  /** Notes where it listens, once that is known. */
  listens(address: string): void
  /** Compares the copy with PostgreSQL, and mends it. */
  truth: Truth
  /** Calls `heard` with milliseconds that the lock of the head was waited for, and that commits took. */
  onMeasured(heard: (what: 'lock' | 'commit', milliseconds: number) => void): void
  /**
   * Calls `heard` when this copy can not be followed any more, at once if that is so already: it has to be taken anew, by `renewCopy`.
   */
  onStale(heard: (why: string) => void): void
}

/** What is told of a node to operators. */
export type NodeLog = {
  warn(what: object, message: string): void
  error(what: object, message: string): void
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
  const staleTo: ((why: string) => void)[] = []
  let parting: Parting | undefined
  let head = 0
  let current = performance.now()
  let isLate = false
  let isUnheard = false
  let stuck: string | undefined
  const waiting = openWaiting(pace.patience)
  const parted = (why: Parting) => {
    if (parting?.kind === 'stale' || parting?.kind === why.kind) return
    parting = why
    waiting.giveUp()
    if (why.kind === 'newer')
      return log?.error(
        { version: why.version },
        'a newer Almanac has changed the tables in PostgreSQL: this node writes nothing any more, and goes on reading; start that version here',
      )
    log?.error(
      { why: why.why },
      'THE COPY OF THIS NODE CAN NOT BE FOLLOWED ANY MORE: it is thrown away and taken anew',
    )
    for (const tell of staleTo) tell(why.why)
  }
  const stateOf = (): NodeStatus['state'] => {
    if (parting) return parting.kind === 'newer' ? 'outdated' : 'stale'
    if (outage.since() !== undefined) return 'alone'
    if (stuck !== undefined) return 'stuck'
    return log && isLate && performance.now() - current >= pace.far ? 'behind' : 'follows'
  }
  const brought = openBrought()
  brought.on(['changes'], waiting.look)
  const keeper = openKeeper({
    ...{ node: id, outage, pace, clock, parted },
    // the transaction in which they are ends before another begins
    brought: (groups, tables) => brought.note(groups, tables, () => db.local(async () => {})),
    link: openLink(url, outage, pace),
    barred: () => parting && refusalOf(parting),
    measured(what, milliseconds) {
      for (const heard of measuring) heard(what, milliseconds)
    },
  })
  const db = openDb(file, 'normal', MIGRATIONS, undefined, keeper.open)
  const mended = mendedOf(db)
  const follower = openFollower(db, {
    ...{ id, name, address: () => told, version: VERSION, logDays, pace, clock, parted, outage },
    link: openLink(url, outage, pace, async (session) => {
      session.onNotification((node) => follower.wake(node))
      await session.run('listen almanac').catch(() => {}) // some poolers refuse it; then there is the question every second
    }),
    saw({ seq, behind }, lacks) {
      head = seq
      isLate = lacks
      // it has everything up to the first group that it lacks
      if (behind !== null) current = Math.min(current, performance.now() - behind * 1_000)
      if (mendedOf(db) !== mended)
        parted({
          kind: 'stale',
          why: '`almanac rebuild` mended it, and this process has in memory what it was',
        })
    },
    reached(at) {
      current = at
      isLate = false
      if (parting?.kind === 'newer') {
        parting = undefined
        log?.warn({}, 'the tables in PostgreSQL are those of this version again: this node writes again')
      }
      waiting.reached(at)
      if (stuck !== undefined) log?.warn({}, 'what other nodes write is brought here again')
      stuck = undefined
    },
    brought: (groups, tables) => brought.note(groups, tables, async () => {}),
    state: stateOf,
    trouble(err) {
      if (outage.since() !== undefined) return outage.tellSilence(err)
      if (stuck === undefined)
        log?.error({ err }, 'what other nodes wrote could not be brought here; this is tried again')
      stuck = `what other nodes write can not be written here: ${tellFault(err)}`
    },
    unheard(err) {
      if (outage.since() !== undefined) return outage.tellSilence(err)
      if (isRefusal(err) || isUnheard) return
      isUnheard = true
      log?.warn({ err }, 'PostgreSQL does not take what this node tells of itself: others count it as silent')
    },
  })
  const troubleOf = () => {
    const why = outage.why()
    const writing = why === undefined ? stuck : `writes are refused because ${why}`
    return [writing, clock.trouble()].filter((one) => one !== undefined).join('; ')
  }
  const ageOf = () => Math.max(1, Math.round((performance.now() - current) / 1_000))
  const leads = () => parting === undefined && follower.leads()
  if (log) follower.start()
  else await follower.fresh().catch(() => {}) // a write will tell what is wrong
  return {
    ...db,
    async fresh(isPatient = true) {
      if (stateOf() !== 'follows') return ageOf()
      const follows = follower.fresh().catch(() => false)
      return (await (isPatient ? follows : within(pace.patience, follows))) ? 0 : ageOf()
    },
    bring: () => unmarked(() => db.write(async () => {})),
    async reach(isHere, signal) {
      if (parting) return 'late'
      const arrival = waiting.wait(isHere, signal)
      follower.fresh().catch(() => {}) // the next round asks again
      return arrival
    },
    lag: () => (LATE.includes(stateOf()) ? ageOf() : 0),
    leads,
    term: follower.term,
    onBrought: brought.on,
    node: {
      truth: openTruth(db, url),
      status() {
        const state = stateOf()
        const { seq } = follower.position()
        const most = Math.max(head, seq)
        const age = state === 'follows' && seq === most ? 0 : ageOf()
        const counts = { applied: brought.applied(), copies: copiesTaken() }
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
      onStale(heard) {
        staleTo.push(heard)
        if (parting?.kind === 'stale') heard(parting.why)
      },
    },
    close() {
      waiting.giveUp()
      follower.stop()
      keeper.close()
      db.close()
    },
  }
}

/** States in which a node knows that it lacks something which others may have. */
export const LATE: NodeStatus['state'][] = ['behind', 'stuck', 'stale', 'outdated']

/** What comes of this within so many milliseconds; false if nothing does. */
async function within(milliseconds: number, work: Promise<boolean>): Promise<boolean> {
  let late: NodeJS.Timeout | undefined
  const isLate = new Promise<false>((resolve) => {
    late = setTimeout(resolve, milliseconds, false)
  })
  return Promise.race([work, isLate]).finally(() => clearTimeout(late))
}

/** What keeps the file from being written, for everybody: SQLite's own words. */
function tellFault(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return code?.startsWith('SQLITE_') ? `${message} (${code})` : 'the log says why'
}

function refusalOf(parting: Parting): ApiError {
  if (parting.kind === 'newer')
    return new ApiError(
      'database_unavailable',
      `A newer Almanac has changed the tables; this node (${VERSION}) writes nothing until it is upgraded.`,
      { retry_after: 30 },
    )
  return new ApiError(
    'database_unavailable',
    'This node takes its copy anew; nothing was written. Reads still work.',
    { retry_after: 5 },
  )
}
