// Where this file is one of several copies, something else keeps the truth. What that gives is said here, and not who it is.

/** Keeps what is written here elsewhere as well, where several files are copies of one truth. */
export type Replication = {
  /** Takes the lock of the only writer of all copies. Throws if nothing can be written. */
  take(): Promise<void>
  /** Whether other copies wrote meanwhile. */
  isBehind(): boolean
  /** Brings what other copies wrote meanwhile, in a transaction of its own, at whose end its references are checked. */
  catchUp(): Promise<void>
  /** Keeps what the transaction wrote, before its commit. */
  keep(): Promise<void>
  /** Does not keep what a transaction wrote, before its commit: it is of this file, or came from elsewhere. */
  forget(): void
  /**
   * After a transaction failed: whether what it wrote was kept nevertheless. If so, `catchUp` brings it here, in a transaction of its
   * own. Throws if that can not be found out.
   */
  wasKept(error: unknown): Promise<boolean>
  /** The error of a write that was not kept, or is not here although it was. */
  failure(error: unknown): unknown
}

/**
 * What came of waiting: it is here; it is not, although the copy has everything that there was when the waiting began; or the copy did
 * not get there in time.
 */
export type Arrival = 'here' | 'nowhere' | 'late'

/** How a node's clock stands to that of the truth: within two seconds, off, or off by more than a minute. */
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
  /** Tells services that run on this copy that it was mended: they take it anew, and with it what they have in memory. */
  tell(): Promise<void>
}

/** How a node stands to the others. */
export type NodeStatus = {
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
  /** Groups of other nodes that this process applied since it opened its copy. */
  applied: number
  /** Copies that this process took since its start in the place of one that could not be followed. */
  copies: number
  clock: ClockStatus
}

/** What a node is beside its database. */
export type Node = {
  status(): NodeStatus
  /** Unix milliseconds to stamp with: by the clock of this machine, or by that of the truth while that is far off. */
  now(): number
  /** Notes where it listens, once that is known. */
  listens(address: string): void
  /** Compares the copy with the truth, and mends it. */
  truth: Truth
  /** Calls `heard` with milliseconds that the lock of the head was waited for, and that commits took. */
  onMeasured(heard: (what: 'lock' | 'commit', milliseconds: number) => void): void
  /**
   * Calls `heard` when this copy can not be followed any more, at once if that is so already: it has to be taken anew, by `renewCopy`.
   */
  onStale(heard: (why: string) => void): void
}

/** States in which a node knows that it lacks something which others may have. */
export const LATE: NodeStatus['state'][] = ['behind', 'stuck', 'stale', 'outdated']
