import type { Steps } from './slices.ts'

/** Milliseconds that a range aims to take. */
const AIM = 1.5
/** Numbers of the first range, which is asked without knowing how long one takes. */
const FIRST = 1_000
/** How much longer or shorter than the last a range may be. */
const MOST_GROWTH = 8

/** Asks for all numbers from 1 to `last` in ranges, each a step, as long as the one before took time for. */
export function* inRanges(last: number, ask: (from: number, to: number) => void): Steps<void> {
  let length = FIRST
  for (let from = 1; from <= last; ) {
    const to = Math.min(last, from + length - 1)
    const began = performance.now()
    ask(from, to)
    const factor = AIM / (performance.now() - began)
    length = Math.ceil(length * Math.min(MOST_GROWTH, Math.max(1 / MOST_GROWTH, factor)))
    from = to + 1
    yield
  }
}
