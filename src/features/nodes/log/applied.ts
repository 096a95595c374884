import type { Arrival } from '../../../kernel/database/replica.ts'

/** Requests that wait at a time for what a copy does not have yet; more are told at once that it is late. */
const MOST = 500

type Waiting = { since: number; isHere(): boolean; settle(arrival: Arrival): void }

/** Requests that wait for writes of other nodes, each for `patience` milliseconds at most. Nothing runs while none waits. */
export function openWaiting(patience: number, most = MOST) {
  const waiting = new Set<Waiting>()
  return {
    /** Waits until `isHere`, which is asked when something has arrived. The copy is late for who has left, by `signal`. */
    wait(isHere: () => boolean, signal: AbortSignal): Promise<Arrival> {
      if (signal.aborted || waiting.size >= most) return Promise.resolve('late')
      return new Promise((resolve) => {
        const leave = () => one.settle('late')
        const timer = setTimeout(leave, patience)
        const one: Waiting = {
          since: performance.now(),
          isHere,
          settle(arrival) {
            waiting.delete(one)
            clearTimeout(timer)
            signal.removeEventListener('abort', leave)
            resolve(arrival)
          },
        }
        waiting.add(one)
        signal.addEventListener('abort', leave)
      })
    },
    /** Something has arrived. */
    look() {
      for (const one of waiting) if (one.isHere()) one.settle('here')
    },
    /** The copy has everything that there was at this moment of `performance.now`. */
    reached(at: number) {
      for (const one of waiting) if (one.since <= at) one.settle(one.isHere() ? 'here' : 'nowhere')
    },
    /** Nothing will arrive for those who wait. */
    giveUp() {
      for (const one of waiting) one.settle('late')
    },
  }
}

/** Counts the groups of other nodes, and tells those who want to know in which tables they wrote. */
export function openApplied() {
  const listeners: { tables: string[]; heard: () => void }[] = []
  let applied = 0
  return {
    /** Groups that were applied. */
    groups: () => applied,
    on: (tables: string[], heard: () => void) => void listeners.push({ tables, heard }),
    /** Notes groups that wrote in these tables; `committed` is done once they can be read. */
    note(groups: number, written: ReadonlySet<string>, committed: () => Promise<unknown>) {
      applied += groups
      const told = listeners.filter(({ tables }) => tables.some((table) => written.has(table)))
      const tell = () => {
        for (const { heard } of told) heard()
      }
      if (told.length > 0) committed().then(tell, tell)
    },
  }
}
