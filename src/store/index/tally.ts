import { Few, type Numbers } from './bits.ts'
import type { Columns } from './columns.ts'
import type { Days } from './days.ts'
import { type Histogram, openHistogram } from './histogram.ts'

/** Halves of days that one step counts. */
const DAYS = 250

/** Counts the events of a set by start and length, in steps. If events are added or removed between steps, the counts are wrong. */
export function* tally(
  members: Numbers,
  days: Days,
  { slots, lengths }: Columns,
): Generator<void, Histogram, void> {
  const histogram = openHistogram()
  if (members instanceof Few) {
    for (const row of members) histogram.add(days.halfAt(slots[row]!), lengths[row]!, 1)
    return histogram
  }
  const short = new Uint32Array(days.size()) // most events end on the day they start on
  const ends = new Uint32Array(days.size()) // of the others, the end of each half in `sorted`
  const ordered = Array.from(days.inOrder(), (slot) => ({ slot, half: days.halfAt(slot) }))
  members.each((row) => {
    ;(lengths[row] === 0 ? short : ends)[slots[row]!]!++
  })
  yield
  for (let slot = 1; slot < ends.length; slot++) ends[slot]! += ends[slot - 1]!
  const sorted = new Int32Array(ends.at(-1) ?? 0)
  const starts = ends.slice()
  members.each((row) => {
    if (lengths[row] !== 0) sorted[--starts[slots[row]!]!] = lengths[row]!
  })
  for (const [at, { slot, half }] of ordered.entries()) {
    if (at % DAYS === 0) yield
    if (short[slot]! > 0) histogram.add(half, 0, short[slot]!)
    const part = sorted.subarray(starts[slot], ends[slot]).sort()
    for (let first = 0, at = 1; at <= part.length; at++)
      if (part[at] !== part[first]) {
        histogram.add(half, part[first]!, at - first)
        first = at
      }
  }
  return histogram
}
