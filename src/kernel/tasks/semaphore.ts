import { setImmediate as nextTurn } from 'node:timers/promises'
import { overloaded } from '../errors.ts'

/**
 * Runs jobs in the order of their arrival, `atOnce` at a time; up to `mostWaiting` others wait, and more get
 * `rest_overloaded`. For expensive work: the limit applies to the whole process.
 */
export function openSemaphore(atOnce: number, mostWaiting: number) {
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

/** Gives what has some work done in the next turn of the event loop, once however often it is called until then. */
export function inNextTurn(work: () => void): () => void {
  let isPlanned = false
  return () => {
    if (!isPlanned)
      setImmediate(() => {
        isPlanned = false
        work()
      })
    isPlanned = true
  }
}

/** What waits, by the client whom it is for: one of each client comes before the second of any. */
export function openLine<T>() {
  const clients = new Map<string, Set<T>>()
  let size = 0

  function remove(client: string, one: T) {
    const all = clients.get(client)!
    all.delete(one)
    if (all.size === 0) clients.delete(client)
    size--
  }

  return {
    remove,
    size: () => size,
    /** How much of a client waits. */
    of: (client: string) => clients.get(client)?.size ?? 0,
    add(client: string, one: T) {
      const all = clients.get(client)
      if (all) all.add(one)
      else clients.set(client, new Set([one]))
      size++
    },
    /** Takes the next one, of a client of whom `mayBe` allows it; undefined if there is none. */
    next(mayBe: (client: string) => boolean = () => true): T | undefined {
      for (const [client, all] of clients) {
        if (!mayBe(client)) continue
        const [one] = all
        remove(client, one!)
        // behind all other clients
        if (clients.delete(client)) clients.set(client, all)
        return one
      }
      return undefined
    },
  }
}

/** How many jobs may run or wait, in all and of one client. */
type Bounds = { all: number; each: number }
const UNBOUNDED: Bounds = { all: Number.POSITIVE_INFINITY, each: Number.POSITIVE_INFINITY }

/**
 * Runs jobs, so many at a time. Those that wait are started after a `pause`, by default in the next turn of the event loop, by turns of
 * their clients: one, and others as long as fewer than `together` milliseconds have passed since the pause. So neither a client with many
 * jobs nor many clients keep others waiting, and small jobs share what a turn costs.
 */
export function openFairSemaphore(
  most: Bounds,
  mostWaiting = UNBOUNDED,
  pause: () => Promise<void> = nextTurn,
  together = 0,
) {
  const line = openLine<() => void>()
  /** The places that jobs which run take, by client. */
  const shares = new Map<string, number>()
  let running = 0
  let isPlanned = false
  /** Until when those that wait are started without a pause. */
  let shared = 0

  // a large job may take more places than are left
  const mayStart = (client: string) => running < most.all && (shares.get(client) ?? 0) < most.each

  function plan() {
    if (isPlanned || line.size() === 0) return
    isPlanned = true
    if (performance.now() < shared) queueMicrotask(startOne)
    else void pauseAndStart()
  }
  async function pauseAndStart() {
    await pause()
    shared = performance.now() + together
    startOne()
  }
  function startOne() {
    isPlanned = false
    const begin = line.next(mayStart)
    if (!begin) return // the end of one plans the next start
    begin()
    plan()
  }

  function end(client: string, places: number) {
    running -= places
    const rest = shares.get(client)! - places
    if (rest > 0) shares.set(client, rest)
    else shares.delete(client)
    plan()
  }

  /** A place for one job of a client, or several for a large one, which starts when one is free. */
  function place(client: string, places = 1) {
    let state: 'out' | 'waiting' | 'in' = 'out'
    let begin: () => void
    return {
      /** Starts a job, now or later. Throws `rest_overloaded` if too many wait. */
      enter(job: () => void) {
        begin = () => {
          state = 'in'
          running += places
          shares.set(client, (shares.get(client) ?? 0) + places)
          job()
        }
        const isNext = line.size() === 0 || (line.of(client) === 0 && !shares.has(client))
        if (isNext && mayStart(client)) return begin()
        if (line.size() >= mostWaiting.all || line.of(client) >= mostWaiting.each) throw overloaded()
        state = 'waiting'
        line.add(client, begin)
        plan()
      },
      /** Takes the job from the line, if it waits there. */
      giveUp() {
        if (state !== 'waiting') return
        state = 'out'
        line.remove(client, begin)
      },
      /** Ends the job, or takes it from the line; at any time, and any number of times. */
      leave() {
        const was = state
        state = 'out'
        if (was === 'in') end(client, places)
        else if (was === 'waiting') line.remove(client, begin)
      },
    }
  }

  return {
    place,
    /** Runs a job in its turn, and returns what it returns. */
    async run<T>(client: string, work: () => Promise<T>): Promise<T> {
      const { enter, leave } = place(client)
      try {
        await new Promise<void>((resolve) => enter(resolve))
        return await work()
      } finally {
        leave()
      }
    },
  }
}
