import type { Task } from '../../../support/scheduler.ts'

/** Milliseconds that a range aims to take. */
const AIM = 5
/** Parts of a thousand events in the first range, before the speed is known. */
const FIRST = 50
/** Shorter ranges save nothing: FTS5 takes a millisecond or more to start with a common word, wherever the range begins. */
const SHORTEST = 50

/** Splits the numbers from 1 to `last` into ranges, one a step. The time of each range decides the length of the next. */
export function* inRanges(last: number, ask: (from: number, to: number) => void): Task<void> {
  let length = FIRST
  for (let from = 1; from <= last; ) {
    // the rest in equal parts: a short one at the end would take as long to start
    const left = last - from + 1
    const to = from + Math.ceil(left / Math.max(1, Math.round(left / length))) - 1
    const began = performance.now()
    ask(from, to)
    length = Math.max(SHORTEST, ((to - from + 1) * AIM) / Math.max(1, performance.now() - began))
    from = to + 1
    yield
  }
}
