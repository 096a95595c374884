import type { Steps } from './slices.ts'

/** Milliseconds that a range aims to take. */
const AIM = 5
/** Parts of a thousand events in the first range, which is asked without knowing how long one takes. */
const FIRST = 50
/** Shorter ones save nothing: FTS5 takes a millisecond or more to begin with a common word, wherever it begins. */
const SHORTEST = 50

/** Asks for all numbers from 1 to `last` in ranges, each a step, as long as the one before took time for. */
export function* inRanges(last: number, ask: (from: number, to: number) => void): Steps<void> {
  let length = FIRST
  for (let from = 1; from <= last; ) {
    // what is left in equal parts: a short one at the end would take as long to begin with
    const left = last - from + 1
    const to = from + Math.ceil(left / Math.max(1, Math.round(left / length))) - 1
    const began = performance.now()
    ask(from, to)
    length = Math.max(SHORTEST, ((to - from + 1) * AIM) / Math.max(1, performance.now() - began))
    from = to + 1
    yield
  }
}
