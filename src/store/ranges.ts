import type { Steps } from './slices.ts'

/** Milliseconds that a range aims to take. */
const AIM = 4
/** Numbers of the first range, which is asked without knowing how long one takes. */
const FIRST = 30_000
/** Shorter ones save nothing: FTS5 takes a millisecond or more to begin with a common word, wherever it begins. */
const SHORTEST = 20_000

/** Asks for all numbers from 1 to `last` in ranges, each a step, as long as the one before took time for. */
export function* inRanges(
  last: number,
  ask: (from: number, to: number) => void,
  { first = FIRST, shortest = SHORTEST } = {},
): Steps<void> {
  let length = first
  for (let from = 1; from <= last; ) {
    const to = Math.min(last, from + length - 1)
    const began = performance.now()
    ask(from, to)
    length = Math.max(shortest, Math.ceil((length * AIM) / Math.max(1, performance.now() - began)))
    from = to + 1
    yield
  }
}
