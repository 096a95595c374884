/** Events by the day they start on (days since 1970-01-01) and the number of days later that they end. */
export type Histogram = {
  /** Adds `by` events. */
  add(day: number, days: number, by: number): void
  /** How many events start on `from` or later and end on `to` or earlier. */
  count(from: number, to: number): number
  /** Where the events of a window that come after the first `skip` lie: at most `take`, by start day. */
  slice(from: number, to: number, skip: number, take: number): Slice[]
  /** Numbers held, for bounding caches. */
  size(): number
}

/** Of the events of a window that start on `day`, `take` after the first `skip`. */
export type Slice = { day: number; skip: number; take: number }

/** Counts by start day which can be added up over any range: sums are made anew after a change, when next asked for. */
function openSums() {
  const counts = new Map<number, number>()
  let days: number[] | undefined
  let sums: number[] = []
  const settle = () => {
    days = [...counts.keys()].sort((a, b) => a - b)
    let sum = 0
    sums = days.map((day) => {
      sum += counts.get(day)!
      return sum
    })
    return days
  }
  /** How many of the days that have events are not after `day`. */
  const rank = (day: number) => {
    const sorted = days ?? settle()
    let low = 0
    let high = sorted.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (sorted[middle]! <= day) low = middle + 1
      else high = middle
    }
    return low
  }
  const upTo = (day: number) => {
    const at = rank(day)
    return at === 0 ? 0 : sums[at - 1]!
  }
  return {
    add(day: number, by: number) {
      const count = (counts.get(day) ?? 0) + by
      if (count === 0) counts.delete(day)
      else counts.set(day, count)
      days = undefined
    },
    rank,
    dayAt: (at: number) => days![at]!,
    between: (from: number, to: number) => (to < from ? 0 : upTo(to) - upTo(from - 1)),
    size: () => counts.size,
  }
}

/**
 * Counts and pages of any window of whole days, in time that grows with the number of different lengths of events, not
 * with the number of events.
 */
export function openHistogram(): Histogram {
  const all = openSums()
  const byLength = new Map<number, ReturnType<typeof openSums>>()
  const longest = () => Math.max(0, ...byLength.keys())

  /** Events of the window that start on `day` or earlier. */
  const startedBy = (day: number, from: number, to: number, safe: number) => {
    if (day <= safe) return all.between(from, day)
    let sum = 0
    for (const [days, sums] of byLength) sum += sums.between(from, Math.min(day, to - days))
    return sum
  }

  return {
    add(day, days, by) {
      all.add(day, by)
      const sums = byLength.get(days) ?? openSums()
      byLength.set(days, sums)
      sums.add(day, by)
      if (sums.size() === 0) byLength.delete(days)
    },
    count: (from, to) => startedBy(to, from, to, to - longest()),
    slice(from, to, skip, take) {
      const safe = to - longest() // whatever starts until then has ended in time
      const slices: Slice[] = []
      let low = all.rank(from - 1)
      const end = all.rank(to)
      let wanted = take
      for (let passed = skip; wanted > 0; ) {
        // the first day by which more than `passed` have started
        let high = end
        while (low < high) {
          const middle = (low + high) >> 1
          if (startedBy(all.dayAt(middle), from, to, safe) > passed) high = middle
          else low = middle + 1
        }
        if (low >= end) break
        const day = all.dayAt(low)
        const before = startedBy(day - 1, from, to, safe)
        const found = Math.min(wanted, startedBy(day, from, to, safe) - passed)
        slices.push({ day, skip: passed - before, take: found })
        passed += found
        wanted -= found
        low++
      }
      return slices
    },
    size: () => [...byLength.values()].reduce((sum, sums) => sum + sums.size(), all.size()),
  }
}
