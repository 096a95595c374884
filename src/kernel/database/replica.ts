// A file may be one of several copies of what is kept elsewhere. What is known of such a copy is said here, and not who keeps the truth.

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
  inTruth?: unknown[]
}

/** Compares a copy with the truth, and mends it. */
export type Truth = {
  /** Compares the copy row by row with the truth, both at the same group. Throws `unusable` if the truth does not answer. */
  compare(): Promise<RowDifference[]>
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
  /** Seconds since this node last knew that it has everything. */
  age: number
  /** Does for all what only one node may do, such as sending webhooks. */
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
  truth: Truth
  /** Calls `observe` with milliseconds that the lock of the only writer was waited for, and that commits took. */
  onMeasured(observe: (what: 'lock' | 'commit', milliseconds: number) => void): void
  /** Calls `listener` when the copy can not follow the others any more, at once if that is so already: it has to be taken anew. */
  onStale(listener: (why: string) => void): void
}

/** States in which a copy knows that it lacks something which others may have. */
export const LAGGING: ReplicaStatus['state'][] = ['behind', 'stuck', 'stale', 'outdated']
