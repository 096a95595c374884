/** Milliseconds of work after which others get a turn. */
const MOST = 5

/**
 * Lets others have a turn of the event loop once in a while, in a write of many rows. In memory readers share the connection of the writer,
 * and would see half of a write: there nobody has a turn.
 */
export function openPauses(tx: object): () => Promise<void> {
  const { memory } = (tx as { $client: { memory: boolean } }).$client
  let since = performance.now()
  return async () => {
    if (memory || performance.now() - since < MOST) return
    await new Promise(setImmediate)
    since = performance.now()
  }
}
