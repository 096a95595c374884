/** Milliseconds of work after which others get their turns, for as long at most. */
const MOST = 5
/** Milliseconds of a turn in which others had something to do. */
const BUSY = 0.2

/** How many databases of this process write to a file, by its name. */
const writing = new Map<string, number>()

/** Notes that a database of this process begins to write to a file; gives what notes that it ends. */
export function noteWriter(file: string): () => void {
  writing.set(file, (writing.get(file) ?? 0) + 1)
  return () => void writing.set(file, writing.get(file)! - 1)
}

/**
 * Lets others have turns of the event loop once in a while, in a write of many rows: as many as they have something to do in, because a
 * request takes several, but no longer than the write worked. In memory readers share the connection of the writer, and would see half of
 * a write: there nobody has a turn. Nor has anybody where the process writes to the file by two databases: the other one would hold up the
 * event loop while it waits for the lock, and so wait in vain.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { memory, name } = (tx as { $client: { memory: boolean; name: string } }).$client
  let since = performance.now()
  return async () => {
    if (memory || performance.now() - since < MOST || writing.get(name)! > 1) return
    const paused = performance.now()
    let began: number
    do {
      began = performance.now()
      await new Promise(setImmediate)
      since = performance.now()
    } while (since - began >= BUSY && since - paused < MOST)
  }
}
