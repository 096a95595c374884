import { type Changes, EVERYTHING, type Row } from './changes.ts'

/** Rows after which what is kept is made anew instead of following each. */
const MOST = 1_000

type Follower = {
  /** Forgets what one write made wrong. */
  on(row: Row): void
  /** Forgets everything. */
  reset(): void
  /** Rows from which on everything is forgotten. */
  most?: number
}

/**
 * Follows the writes of all processes to records of these kinds, for what is kept of them in memory. Each call tells `on` of every write since
 * the one before, or calls `reset` once: if there are too many, if rows of the log are gone, or if a write invalidates everything. Gives the
 * number of the last write, up to which all is followed. A call is cheap while nothing is written.
 */
export function openFollowing(
  changes: Changes,
  kinds: readonly string[],
  { on, reset, most = MOST }: Follower,
) {
  const wanted = [...kinds, EVERYTHING]
  let seen = changes.latest().seq
  return (): number => {
    const { seq } = changes.latest()
    if (seq === seen) return seen
    const rows = changes.rows(seen, seq, wanted, most)
    const isFar = rows.length === most || !changes.reaches(seen)
    if (isFar || rows.some(({ kind }) => kind === EVERYTHING)) reset()
    else for (const row of rows) on(row)
    seen = seq
    return seen
  }
}
