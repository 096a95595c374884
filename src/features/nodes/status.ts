import {
  type ClockState,
  type ClockStatus,
  LAGGING,
  type Replica,
  type ReplicaStatus,
} from '../../kernel/database/replica.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Meter } from '../../kernel/server/metrics.ts'
import { VERSION } from '../../package.ts'
import type { DatabaseLog } from '../host.ts'
import { isRefusal, type Outage } from './connection.ts'
import type { Divergence } from './log.ts'

/** Milliseconds beyond which a clock is off, and beyond which nothing is stamped or published by it. */
export const OFF = 2_000
const WRONG = 60_000

const LEVELS: ClockState[] = ['right', 'off', 'wrong']
const levelOf = (milliseconds: number) => Number(milliseconds > OFF) + Number(milliseconds > WRONG)

/** How a clock differs, in words. */
export const describeOffset = (offset: number) =>
  `${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'behind' : 'ahead of'}`

const describe = ({ state, offset }: ClockStatus): string | undefined => {
  const differs = `the clock of this node is ${describeOffset(offset)} that of PostgreSQL`
  if (state === 'right') return undefined
  return state === 'off'
    ? `${differs}; set it, by NTP for example`
    : `${differs}: it publishes nothing that is scheduled, and stamps with the time of PostgreSQL, until one of the two is set`
}

/**
 * Compares the clock of this machine with PostgreSQL's. Between question and answer that was read at any moment, so a difference
 * counts only beyond the half of that time; while the two can not be told apart, it is taken to be as before.
 */
export function openClock(machine: () => number, log?: Pick<DatabaseLog, 'warn'>) {
  let level = 0
  let offset = 0
  const status = (): ClockStatus => ({ state: LEVELS[level]!, offset })
  return {
    status,
    /** What is wrong with it, for everybody; undefined if nothing is known to be. */
    trouble: () => describe(status()),
    /** Unix milliseconds to stamp with. */
    now: () => machine() + (LEVELS[level] === 'wrong' ? offset : 0),
    /** Compares it with the time of PostgreSQL in an answer that has just come, and that was waited for so many milliseconds. */
    compare(there: number, waited: number) {
      const half = waited / 2
      const seen = Math.round(there + half - machine())
      const [least, most] = [levelOf(Math.abs(seen) - half), levelOf(Math.abs(seen) + half)]
      const now = Math.min(Math.max(level, least), most)
      offset = seen
      if (now === level) return
      level = now
      const message = describe(status()) ?? 'the clock of this node agrees with that of PostgreSQL again'
      log?.warn({ seconds: Math.round(offset / 1_000) }, message)
    },
  }
}
export type Clock = ReturnType<typeof openClock>

type Options = {
  outage: Outage
  log: DatabaseLog | undefined
  /** Milliseconds of age from which a node that follows is behind. */
  far: number
  /** Is called when the copy can not follow any more. */
  onDiverged(): void
}

/** How a node stands to what the others wrote: what it knows of that, what it lacks, and why. */
export function openStatus({ outage, log, far, onDiverged }: Options) {
  const staleListeners: ((why: string) => void)[] = []
  let divergence: Divergence | undefined
  let head = 0
  let current = performance.now()
  let isLate = false
  let isUnreported = false
  let stuck: string | undefined

  function state(): ReplicaStatus['state'] {
    if (divergence) return divergence.kind === 'newer' ? 'outdated' : 'stale'
    if (outage.since() !== undefined) return 'alone'
    if (stuck !== undefined) return 'stuck'
    return log && isLate && performance.now() - current >= far ? 'behind' : 'follows'
  }
  /** Seconds since this node last knew that it has everything. */
  const age = () => Math.max(1, Math.round((performance.now() - current) / 1_000))

  return {
    state,
    age,
    /** Seconds for which it lacks what others may have; 0 if it lacks nothing that it knows of. */
    lag: () => (LAGGING.includes(state()) ? age() : 0),
    /** Why it can not follow; undefined if it can. */
    divergence: () => divergence,
    /** Why it may write nothing at all; undefined if it may. */
    refusal: () => divergence && refusalOf(divergence),
    /** The last group that is known of. */
    head: () => head,
    /** What keeps it from writing, for everybody; undefined if nothing is known to. */
    trouble() {
      const why = outage.why()
      return why === undefined ? stuck : `writes are refused because ${why}`
    },
    /** Notes why the copy can not be followed any more. */
    diverge(why: Divergence) {
      if (divergence?.kind === 'stale' || divergence?.kind === why.kind) return
      divergence = why
      onDiverged()
      if (why.kind === 'newer')
        return log?.error(
          { version: why.version },
          'a newer Almanac has changed the tables in PostgreSQL: this node writes nothing any more, and goes on reading; start that version here',
        )
      if (why.isUsual) log?.warn({ why: why.why }, 'the copy of this node is taken anew')
      else
        log?.error(
          { why: why.why },
          'THE COPY OF THIS NODE CAN NOT BE FOLLOWED ANY MORE: it is thrown away and taken anew',
        )
      for (const listener of staleListeners) listener(why.why)
    },
    /** Notes the last group, and since how many seconds there is one that is not here, if there is one. */
    noteHead(seq: number, behind: number | null, lacks: boolean) {
      head = seq
      isLate = lacks
      // it has everything up to the first group that it lacks
      if (behind !== null) current = Math.min(current, performance.now() - behind * 1_000)
    },
    /** Notes that the copy has everything that there was at this moment of `performance.now`. */
    noteCaughtUp(at: number) {
      current = at
      isLate = false
      if (divergence?.kind === 'newer') {
        divergence = undefined
        log?.warn({}, 'the tables in PostgreSQL are those of this version again: this node writes again')
      }
      if (stuck !== undefined) log?.warn({}, 'what other nodes write is brought here again')
      stuck = undefined
    },
    /** Notes what kept the writes of other nodes from being brought here. */
    noteFailure(err: unknown) {
      if (outage.since() !== undefined) return outage.reportSilence(err)
      if (stuck === undefined)
        log?.error({ err }, 'what other nodes wrote could not be brought here; this is tried again')
      stuck = `what other nodes write can not be written here: ${faultOf(err)}`
    },
    /** Notes what kept PostgreSQL from storing how this node stands. */
    noteUnreported(err: unknown) {
      if (outage.since() !== undefined) return outage.reportSilence(err)
      if (isRefusal(err) || isUnreported) return
      isUnreported = true
      log?.warn({ err }, 'PostgreSQL does not take what this node tells of itself: others count it as silent')
    },
    /** Calls `listener` when the copy has to be taken anew, at once if that is so already. */
    onStale(listener: (why: string) => void) {
      staleListeners.push(listener)
      if (divergence?.kind === 'stale') listener(divergence.why)
    },
  }
}

export type Status = ReturnType<typeof openStatus>

/** What keeps the file from being written, for everybody: SQLite's own words. */
function faultOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  return code?.startsWith('SQLITE_') ? `${message} (${code})` : 'the log says why'
}

function refusalOf(divergence: Divergence): ApiError {
  if (divergence.kind === 'newer')
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

/** Bounds of the histograms in seconds, from a database in the same house to one that others hold for long. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const STATES: ReplicaStatus['state'][] = ['follows', 'alone', 'behind', 'stuck', 'stale', 'outdated']

/** Metrics of one of several nodes: how far it is behind, and what PostgreSQL costs it. */
export function addNodeMetrics(replica: Replica, { gauge: add, library, registers }: Meter) {
  const { Gauge, Counter, Histogram } = library
  type Read = (status: ReplicaStatus) => number
  const gauge = (name: string, help: string, read: Read) => add(name, help, () => read(replica.status()))
  const counter = (name: string, help: string, read: Read) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read(replica.status()))
      },
    })
  const histogram = (name: string, help: string) => new Histogram({ name, help, buckets: BUCKETS, registers })
  new Gauge({
    name: 'almanac_node_state',
    help: '1 for the state of this node: follows, alone (PostgreSQL does not answer), behind (by more than a minute), stuck (can not write its copy), stale (takes its copy anew) or outdated.',
    labelNames: ['state'],
    registers,
    collect() {
      const { state } = replica.status()
      for (const one of STATES) this.set({ state: one }, Number(one === state))
    },
  })
  gauge('almanac_node_seq', 'The last group of writes that this node has.', ({ seq }) => seq)
  gauge('almanac_node_head', 'The last group of writes that it knows of.', ({ head }) => head)
  gauge('almanac_node_lag_groups', 'Groups of writes that it lacks.', ({ head, seq }) => head - seq)
  gauge('almanac_node_lag_seconds', 'Seconds since it last had all groups; 0 while it has.', ({ age }) => age)
  gauge('almanac_node_trouble', '1 while /health says what is wrong.', ({ trouble }) =>
    Number(trouble !== undefined),
  )
  gauge(
    'almanac_node_clock_offset_seconds',
    'Seconds by which the clock of PostgreSQL is ahead of that of this node.',
    ({ clock }) => clock.offset / 1_000,
  )
  gauge('almanac_node_leads', '1 if it does the work that one node does for all.', ({ leads }) =>
    Number(leads),
  )
  counter(
    'almanac_node_groups_applied_total',
    'Groups of other nodes that it applied.',
    ({ applied }) => applied,
  )
  counter('almanac_node_copies_total', 'Copies that it had to take anew.', ({ copies }) => copies)
  const seconds = {
    lock: histogram(
      'almanac_node_lock_wait_seconds',
      'Seconds until PostgreSQL gave the lock of the writer, for each group that was written here.',
    ),
    commit: histogram(
      'almanac_node_commit_seconds',
      'Seconds until PostgreSQL had stored a group that was written here.',
    ),
  }
  replica.onMeasured((what, milliseconds) => seconds[what].observe(milliseconds / 1_000))
}
