/** Milliseconds of what a node does with PostgreSQL. */
export const PACE = {
  /** For a connection. */
  connect: 3_000,
  /** For an answer to a question for the head, which readers wait for, and for rows of the log. */
  answer: 2_000,
  read: 30_000,
  /** For the lock of the head; until PostgreSQL ends a transaction whose node says nothing any more; for the answer to a commit. */
  lock: 5_000,
  silent: 10_000,
  commit: 8_000,
  /** For which a request waits for what other nodes wrote, before it is answered otherwise. */
  patience: 2_000,
  /** In which it has to become known whether a group was kept, and between two questions for that. */
  unknown: 30_000,
  again: 250,
  /** Between questions for the head, between heartbeats, and between removals of old rows. */
  every: 1_000,
  heartbeat: 5_000,
  pruning: 600_000,
  /** After which a copy that lacks something is far behind. */
  far: 60_000,
  /** For which a lease holds unless it is renewed, and by which its holder stops before. */
  lease: 15_000,
  margin: 3_000,
}
export type Pace = typeof PACE
