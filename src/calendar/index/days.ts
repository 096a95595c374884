import { type Bits, Few, inSteps, type Numbers } from './bits.ts'
import type { Columns } from './columns.ts'
import { type Histogram, openHistogram } from './histogram.ts'

/** The rows of the events that start in one half of a day. */
type Day = { half: number; rows: Uint32Array; sorted: boolean }
const NONE = new Uint32Array(0)

/** Events by the half of a day in which they start. Each half has a number, its slot, until everything is cleared. */
export function openDays(compare: (a: number, b: number) => number) {
  const days: Day[] = []
  const slotOf = new Map<number, number>()
  let order: Uint32Array | undefined

  function slotAt(half: number) {
    const known = slotOf.get(half)
    if (known !== undefined) return known
    slotOf.set(half, days.length)
    order = undefined
    return days.push({ half, rows: NONE, sorted: true }) - 1
  }

  function inOrder() {
    order ??= Uint32Array.from(days.keys()).sort((a, b) => days[a]!.half - days[b]!.half)
    return order
  }

  return {
    slotAt,
    halfAt: (slot: number) => days[slot]!.half,
    size: () => days.length,
    /** All slots in the order of time, as histograms need them. */
    inOrder,
    /** The halves of days from one on, in order, of those that have or had events. It is to be used up before events are added. */
    *halvesFrom(half: number): Iterable<number> {
      const slots = inOrder()
      let low = 0
      for (let high = slots.length; low < high; ) {
        const middle = (low + high) >> 1
        if (days[slots[middle]!]!.half < half) low = middle + 1
        else high = middle
      }
      for (; low < slots.length; low++) yield days[slots[low]!]!.half
    },
    add(slot: number, row: number) {
      const day = days[slot]!
      const rows = new Uint32Array(day.rows.length + 1)
      rows.set(day.rows)
      rows[day.rows.length] = row
      day.rows = rows
      day.sorted = false
    },
    delete(slot: number, row: number) {
      const day = days[slot]!
      day.rows = day.rows.filter((other) => other !== row)
    },
    /** Puts rows into their slots. One array for all days avoids the garbage of growing ones. */
    fill(slots: Uint32Array) {
      const counts = new Uint32Array(days.length)
      for (const slot of slots) counts[slot]!++
      const all = new Uint32Array(slots.length)
      let end = 0
      for (const [slot, day] of days.entries()) {
        const start = end
        end += counts[slot]!
        day.rows = all.subarray(start, end)
        day.sorted = false
      }
      for (let row = slots.length - 1; row >= 0; row--) days[slots[row]!]!.rows[--counts[slots[row]!]!] = row
    },
    clear() {
      days.length = 0
      slotOf.clear()
      order = undefined
    },
    /** The events that start in a half of a day, in order. */
    at(half: number): Uint32Array {
      const day = days[slotAt(half)]!
      if (!day.sorted) day.rows.sort(compare)
      day.sorted = true
      return day.rows
    },
    /** The bytes of all arrays. */
    bytes: () => days.reduce((sum, { rows }) => sum + rows.byteLength, (order ?? NONE).byteLength),
  }
}
type Days = ReturnType<typeof openDays>

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
  const order = days.inOrder()
  // between two steps the calendar may be cleared
  const halves = new Int32Array(order.length)
  for (let at = 0; at < order.length; at++) halves[at] = days.halfAt(order[at]!)
  yield* inSteps(members as Bits, (rows) => {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      if (lengths[row] === 0) short[slots[row]!]!++
      else ends[slots[row]!]!++
    }
  })
  yield
  for (let slot = 1; slot < ends.length; slot++) ends[slot]! += ends[slot - 1]!
  const sorted = new Int32Array(ends.at(-1) ?? 0)
  const starts = ends.slice()
  yield* inSteps(members as Bits, (rows) => {
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]!
      if (lengths[row] !== 0) sorted[--starts[slots[row]!]!] = lengths[row]!
    }
  })
  for (let at = 0; at < order.length; at++) {
    if (at % DAYS === 0) yield
    const slot = order[at]!
    const half = halves[at]!
    if (short[slot]! > 0) histogram.add(half, 0, short[slot]!)
    if (starts[slot] === ends[slot]) continue
    const part = sorted.subarray(starts[slot], ends[slot]).sort()
    for (let first = 0, next = 1; next <= part.length; next++)
      if (part[next] !== part[first]) {
        histogram.add(half, part[first]!, next - first)
        first = next
      }
  }
  return histogram
}
