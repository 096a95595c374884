import { overloaded } from './errors.ts'

/**
 * Runs works in the order in which they come, `atOnce` at a time, while `mostWaiting` others may wait; throws
 * `rest_overloaded` for any beyond these. For what is dear: the bound holds for the whole process.
 */
export function openLane(atOnce: number, mostWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++
    else if (waiting.length < mostWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw overloaded()
    try {
      return await work()
    } finally {
      const next = waiting.shift() // takes the place of the one that ends
      if (next) next()
      else running--
    }
  }
}
