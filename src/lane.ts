import { overloaded } from './errors.ts'

/**
 * Runs jobs in the order of their arrival, `atOnce` at a time; up to `mostWaiting` others wait, and more get
 * `rest_overloaded`. For expensive work: the limit applies to the whole process.
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
      const next = waiting.shift() // starts as this one ends
      if (next) next()
      else running--
    }
  }
}
