import type { CommitMarker } from './context.ts'

/**
 * What a database has beside the rest if its file is one of several copies of a truth that is kept elsewhere. Who keeps it is not said here. Of a
 * file that is the truth all is absent; of a copy, what the process can not do that does not write to it.
 */
export type Copied = {
  /**
   * Brings everything that was committed anywhere before the call. Returns 0, or the age of what is here in seconds if that can not be
   * known at the moment. Who is not patient waits two seconds at most.
   */
  fresh(isPatient?: boolean): Promise<number>
  /** Brings everything that was committed anywhere before the call on the way of a write, and throws what a write would. */
  catchUp(): Promise<void>
  /** Waits for two seconds at most until something that other copies wrote is here: until `isHere`, which is asked whenever something was brought. */
  waitUntil(isHere: () => boolean, signal: AbortSignal): Promise<Arrival>
  /** Seconds for which what is here may be out of date, while this process knows that others may have more; else 0. */
  lag(): number
  /**
   * The commit marker with this ID, if its write was committed where the truth is by a process that has ended meanwhile: this file may
   * not have it yet. Throws if that can not be known.
   */
  findMarkerThere(id: string): Promise<CommitMarker | undefined>
  /** How this copy stands to the others. */
  replica: Replica
}

/**
 * What came of waiting: it is here; it is not, although the copy has everything that there was when the waiting began; or the copy did
 * not get there in time.
 */
export type Arrival = 'here' | 'nowhere' | 'late'

/** How the clock of a copy stands to that of the truth: within two seconds, off, or off by more than a minute. */
export type ClockState = 'right' | 'off' | 'wrong'

/** What is known of a clock; `offset` is what that of the truth is ahead of it, in milliseconds. */
export type ClockStatus = { state: ClockState; offset: number }

/** How a row here differs from the truth. Absent is what one side does not have. */
export type RowDifference = {
  table: { name: string; keys: string[]; columns: { name: string }[] }
  here?: unknown[]
  there?: unknown[]
}

/** The values by which a row is found. */
export const keyOf = ({ keys, columns }: RowDifference['table'], row: unknown[]): unknown[] =>
  keys.map((key) => row[columns.findIndex(({ name }) => name === key)])

/** Compares a copy with the truth, and mends it. */
export type Comparison = {
  /** Compares the copy row by row with the truth, both at the same group. Throws `unusable` if the truth does not answer. */
  compare(): Promise<RowDifference[]>
  /** What a difference is, for people. */
  describe(difference: RowDifference): string
  /** Takes rows that differ from the truth, and indexes their texts again; what else depends on them is derived by `rebuild`. */
  mend(differences: RowDifference[]): Promise<void>
  /** Has services that run on this copy take it anew, because it was mended, and with it what they have in memory. */
  announce(): Promise<void>
}

/** How a copy stands to the others. */
export type ReplicaStatus = {
  id: string
  name: string
  /**
   * `follows`; `alone` while the truth does not answer; `behind` while it lacks what is older than a minute; `stuck` while what others
   * write can not be written here; `stale` while it takes its copy anew; `outdated` where its program is too old.
   */
  state: 'follows' | 'alone' | 'behind' | 'stuck' | 'stale' | 'outdated'
  /** What is wrong, in a sentence for everybody; absent if nothing is known to be. */
  trouble?: string
  /** The last group here, and the last that is known of. */
  seq: number
  head: number
  /** Seconds since it was last known that everything is here. */
  age: number
  /** Does for all what only one may do, such as sending webhooks. */
  leads: boolean
  /** Groups of other copies that this process applied since it opened its copy. */
  applied: number
  /** Copies that this process took since its start in the place of one that could not be followed. */
  copies: number
  clock: ClockStatus
}

/** What a copy is beside its database. */
export type Replica = {
  status(): ReplicaStatus
  /** Unix milliseconds to stamp with: by the clock of this machine, or by that of the truth while that is far off. */
  now(): number
  /** Notes where the service on it listens, once that is known. */
  listensAt(address: string): void
  /** Compares the copy with the truth, and mends it. */
  comparison: Comparison
  /** Calls `observe` with milliseconds that the lock of the only writer was waited for, and that commits took. */
  onMeasured(observe: (what: 'lock' | 'commit', milliseconds: number) => void): void
  /** Calls `listener` when the copy can not follow the others any more, at once if that is so already: it has to be taken anew. */
  onStale(listener: (why: string) => void): void
}

/** States in which a copy knows that it lacks something which others may have. */
export const LAGGING: ReplicaStatus['state'][] = ['behind', 'stuck', 'stale', 'outdated']
