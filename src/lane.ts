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

/**
 * Runs jobs `atOnce` at a time. Those that wait have their turn by the client whom they are for, one of each client after the other, so
 * that a client with many jobs does not keep others waiting.
 */
export function openFairLane(atOnce: number) {
  const waiting = new Map<string, (() => void)[]>()
  let running = 0
  function next() {
    const [first] = waiting
    if (!first) return void running--
    const [client, jobs] = first
    waiting.delete(client)
    const job = jobs.shift()!
    if (jobs.length > 0) waiting.set(client, jobs) // behind all other clients
    job()
  }
  return async <T>(client: string, work: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++
    else
      await new Promise<void>((resolve) => {
        const jobs = waiting.get(client)
        if (jobs) jobs.push(resolve)
        else waiting.set(client, [resolve])
      })
    try {
      return await work()
    } finally {
      next()
    }
  }
}
