/** Milliseconds of work after which others get their turns, for as long at most. */
const MOST = 5
/** Milliseconds of a turn in which others had something to do. */
const BUSY = 0.2

/**
 * Lets others have turns of the event loop once in a while, in a write of many rows: as many as they have something to do in, because a
 * request takes several, but no longer than the write worked. In memory readers share the connection of the writer, and would see half of
 * a write: there nobody has a turn.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { memory } = (tx as { $client: { memory: boolean } }).$client
  let since = performance.now()
  return async () => {
    if (memory || performance.now() - since < MOST) return
    const paused = performance.now()
    for (let began = paused; ; ) {
      await new Promise(setImmediate)
      since = performance.now()
      if (since - began < BUSY || since - paused >= MOST) return
      began = since
    }
  }
}
