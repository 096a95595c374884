import type Database from 'better-sqlite3'

/** Milliseconds of work after which others get their turns, for as long at most. */
const MOST = 5
/** Milliseconds of a turn in which others had something to do. */
const BUSY = 0.2

/** The connections of this process that write, each to its file. */
export const writers = new Set<Database.Database>()

/**
 * Lets others have turns of the event loop once in a while, in a write of many rows: as many as they have something to do in, because a
 * request takes several, but no longer than the write worked. In memory readers share the connection of the writer, and would see half of
 * a write: there nobody has a turn. Nor has anybody where the process writes to the file by two databases: the other one would hold up the
 * event loop while it waits for the lock, and so wait in vain.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { $client: own } = tx as { $client: Database.Database }
  const isShared = () => [...writers].some((other) => other !== own && other.name === own.name)
  let since = performance.now()
  return async () => {
    if (own.memory || performance.now() - since < MOST || isShared()) return
    const paused = performance.now()
    let began: number
    do {
      began = performance.now()
      await new Promise(setImmediate)
      since = performance.now()
    } while (since - began >= BUSY && since - paused < MOST)
  }
}
