import { type Bitmap, inSteps, type RowSet, SparseSet } from './rows.ts'

/** A limit for the start or end of an event, in seconds of its own wall clock or of UTC, or for its last change, always in UTC. */
export type DateLimit = {
  side: 'start' | 'end' | 'modified'
  than: '>=' | '<=' | '<' | '>'
  value: number
  utc: boolean
}

const DAY = 86_400
/**
 * The half of a day in which a time lies, counted from 1970: all of a day but its last second, or that second. Windows of
 * whole days end on last seconds, and so do events that last all day: halves tell `<` from `<=` there.
 */
export const halfDayOf = (time: number) =>
  2 * Math.floor(time / DAY) + (((time % DAY) + DAY) % DAY === DAY - 1 ? 1 : 0)

/** The smallest or largest half of a day within a limit; undefined if the limit cuts a half. */
function halfDaysWithin({ than, value, utc }: DateLimit): { least?: number; most?: number } | undefined {
  if (utc) return undefined
  const half = halfDayOf(value)
  const isLast = half % 2 !== 0
  if (than === '>=' && (isLast || value % DAY === 0)) return { least: half }
  if (than === '<=' && isLast) return { most: half }
  if (than === '<' && (isLast || value % DAY === 0)) return { most: half - 1 }
  return than === '>' && isLast ? { least: half + 1 } : undefined
}

/** Events start from `from` to `to` and end from `endFrom` to `endTo`, all included; all may be infinite. */
type Window = { from: number; to: number; endFrom: number; endTo: number }
export const ALWAYS: Window = { from: -Infinity, to: Infinity, endFrom: -Infinity, endTo: Infinity }

/** The window of halves of days within limits; undefined if a limit cuts one. */
export function windowOf(limits: DateLimit[]): Window | undefined {
  const window = { ...ALWAYS }
  for (const limit of limits) {
    const half = halfDaysWithin(limit)
    if (!half) return undefined
    const [from, to] = limit.side === 'start' ? (['from', 'to'] as const) : (['endFrom', 'endTo'] as const)
    window[from] = Math.max(window[from], half.least ?? -Infinity)
    window[to] = Math.min(window[to], half.most ?? Infinity)
  }
  return window
}

/** Events by the day they start on (or any unit of time) and the number of days later that they end. */
export type Histogram = {
  /** Adds `by` events. */
  add(day: number, days: number, by: number): void
  /** The number of events in the window. */
  count(window: Window): number
  /** The start days of at most `take` events of a window after the first `skip`, with their numbers. */
  slice(window: Window, skip: number, take: number): Slice[]
  /** Approximate size in bytes. */
  bytes(): number
}

/** `take` of the events of a window that start on `day`, after the first `skip`. */
type Slice = { day: number; skip: number; take: number }

/** Counts by start day that can be summed over any range. After a change, the sums are computed again at the next use. */
function openSums() {
  // sorted by day; there is room for more
  let days = new Int32Array(0)
  let counts = new Int32Array(0)
  let sums: Int32Array | undefined
  let size = 0
  /** The number of days with events up to and including `day`. */
  const rank = (day: number) => {
    if (size === 0 || days[size - 1]! <= day) return size
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >> 1
      if (days[middle]! <= day) low = middle + 1
      else high = middle
    }
    return low
  }
  const enlarged = (column: Int32Array) => {
    const larger = new Int32Array(4 + size * 2)
    larger.set(column)
    return larger
  }
  /** Moves all entries from a position on by one, to make or close a gap. */
  const shift = (from: number, by: 1 | -1) => {
    for (const column of [days, counts]) column.copyWithin(from + by, from, size)
    size += by
  }
  const addUp = () => {
    sums = counts.slice(0, size)
    for (let at = 1; at < size; at++) sums[at]! += sums[at - 1]!
    return sums
  }
  const upTo = (day: number) => {
    const at = rank(day)
    return at === 0 ? 0 : (sums ?? addUp())[at - 1]!
  }
  return {
    add(day: number, by: number) {
      const after = rank(day)
      const at = after - 1
      sums = undefined
      if (at >= 0 && days[at] === day) {
        counts[at]! += by
        if (counts[at] === 0) shift(after, -1)
        return
      }
      if (size === days.length) {
        days = enlarged(days)
        counts = enlarged(counts)
      }
      shift(after, 1)
      days[after] = day
      counts[after] = by
    },
    rank,
    upTo,
    dayAt: (at: number) => days[at]!,
    between: (from: number, to: number) => (to < from ? 0 : upTo(to) - upTo(from - 1)),
    size: () => size,
    /** Includes the sums, even if they are not computed yet. */
    bytes: () => days.byteLength + counts.byteLength + size * 4,
  }
}

/**
 * Counts and pages of any window of whole days, in time that grows with the number of different lengths of events, not
 * with the number of events.
 */
export function openHistogram(): Histogram {
  const all = openSums()
  const byEnd = openSums()
  const byLength = new Map<number, ReturnType<typeof openSums>>()
  let longest = 0
  let shortest = 0

  /** Counts the events of the window that start on a day or earlier. */
  function openCount({ from, to, endFrom, endTo }: Window) {
    return (day: number) => {
      const last = Math.min(day, to)
      // nothing that starts up to that day can end too late
      if (last + longest <= endTo) {
        // or too early
        if (from + shortest >= endFrom) return all.between(from, last)
        // all that end too early have started by then
        if (from === -Infinity && endFrom - 1 - shortest <= last)
          return all.upTo(last) - byEnd.upTo(endFrom - 1)
      }
      let sum = 0
      byLength.forEach((sums, days) => {
        sum += sums.between(Math.max(from, endFrom - days), Math.min(last, endTo - days))
      })
      return sum
    }
  }

  return {
    add(day, days, by) {
      all.add(day, by)
      byEnd.add(day + days, by)
      const sums = byLength.get(days) ?? openSums()
      byLength.set(days, sums)
      sums.add(day, by)
      if (sums.size() === 0) byLength.delete(days)
      longest = Math.max(longest, days)
      shortest = Math.min(shortest, days)
    },
    count: (window) => openCount(window)(window.to),
    slice(window, skip, take) {
      const startedBy = openCount(window)
      const slices: Slice[] = []
      // what starts before that ends too early
      let low = all.rank(Math.max(window.from, window.endFrom - longest) - 1)
      const end = all.rank(window.to)
      let wanted = take
      for (let passed = skip; wanted > 0; ) {
        // the first day by which more than `passed` have started: usually one of the next days
        let high = low
        for (let step = 1; high < end && startedBy(all.dayAt(high)) <= passed; step *= 2) {
          low = high + 1
          high = Math.min(end, high + step)
        }
        while (low < high) {
          const middle = (low + high) >> 1
          if (startedBy(all.dayAt(middle)) > passed) high = middle
          else low = middle + 1
        }
        if (low >= end) break
        const day = all.dayAt(low)
        const before = startedBy(day - 1)
        const found = Math.min(wanted, startedBy(day) - passed)
        slices.push({ day, skip: passed - before, take: found })
        passed += found
        wanted -= found
        low++
      }
      return slices
    },
    bytes: () =>
      [...byLength.values()].reduce((sum, sums) => sum + sums.bytes(), all.bytes() + byEnd.bytes()),
  }
}

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
    *halfDaysFrom(half: number): Iterable<number> {
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
export function* countByDay(
  events: RowSet,
  days: Days,
  { slots, lengths }: { slots: Uint32Array; lengths: Int32Array },
): Generator<void, Histogram, void> {
  const histogram = openHistogram()
  if (events instanceof SparseSet) {
    for (const row of events) histogram.add(days.halfAt(slots[row]!), lengths[row]!, 1)
    return histogram
  }
  const short = new Uint32Array(days.size()) // most events end on the day they start on
  const ends = new Uint32Array(days.size()) // of the others, the end of each half in `sorted`
  const order = days.inOrder()
  // between two steps the index may be cleared
  const halves = new Int32Array(order.length)
  for (let at = 0; at < order.length; at++) halves[at] = days.halfAt(order[at]!)
  yield* inSteps(events as Bitmap, (rows) => {
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
  yield* inSteps(events as Bitmap, (rows) => {
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
