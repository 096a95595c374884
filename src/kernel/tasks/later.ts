type Timer = { clear(): void }
/** Runs something after so many milliseconds, unless it is cleared before. */
export type Later = (run: () => void, milliseconds: number) => Timer

/** Runs it by a timer of Node, which keeps no process alive. */
export const later: Later = (run, milliseconds) => {
  const timer = setTimeout(run, milliseconds).unref()
  return { clear: () => clearTimeout(timer) }
}

/**
 * Runs `look` again and again. It returns the milliseconds until the next time, and so does `fail`, which is called where it throws.
 * Returns a function that stops this, and resolves once nothing is under way; `look` is told of it by the signal.
 */
export function repeat(
  look: (stop: AbortSignal) => number | Promise<number>,
  { first, fail, wait }: { first: number; fail(error: unknown): number; wait: Later },
): () => Promise<void> {
  const stop = new AbortController()
  let underWay = Promise.resolve()
  let timer = wait(run, first)
  const again = (milliseconds: number) => {
    if (!stop.signal.aborted) timer = wait(run, milliseconds)
  }
  function run() {
    try {
      const next = look(stop.signal)
      if (typeof next === 'number') again(next)
      else underWay = next.then(again, (error) => again(fail(error)))
    } catch (error) {
      again(fail(error))
    }
  }
  return () => {
    stop.abort()
    timer.clear()
    return underWay
  }
}
