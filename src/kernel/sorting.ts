import type { Task } from './tasks/scheduler.ts'

/** What says which of two comes first, as for `sort`. */
type Order<T> = (a: T, b: T) => number

/** Items that one step sorts or merges. */
const STEP = 2_000

/** The place of the first item that does not come before what is looked for: `isBefore` is true for those ahead of it, and for no others. */
export function placeIn<T>(sorted: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0
  for (let high = sorted.length; low < high; ) {
    const middle = (low + high) >> 1
    if (isBefore(sorted[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}

/** Puts an item into its place among sorted ones. */
export function insert<T>(sorted: T[], item: T, order: Order<T>) {
  sorted.splice(
    placeIn(sorted, (other) => order(other, item) < 0),
    0,
    item,
  )
}

/** Of so many first items or more, sorting all is faster than finding them. */
const MANY = 200

/** The first items in order, at most so many. `items` may be in another order then. */
export function first<T>(items: T[], most: number, order: Order<T>): T[] {
  if (most >= MANY) return items.sort(order).slice(0, most)
  const found: T[] = []
  for (const item of items) {
    if (found.length === most && order(found[most - 1]!, item) <= 0) continue
    insert(found, item, order)
    if (found.length > most) found.pop()
  }
  return found
}

function* merge<T>(one: T[], other: T[], order: Order<T>): Task<T[]> {
  const both: T[] = []
  for (let a = 0, b = 0; a < one.length || b < other.length; ) {
    const isFirst = b === other.length || (a < one.length && order(one[a]!, other[b]!) <= 0)
    both.push(isFirst ? one[a++]! : other[b++]!)
    if (both.length % STEP === 0) yield
  }
  return both
}

/** Sorts many items in steps. */
export function* sorted<T>(items: readonly T[], order: Order<T>): Task<T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += STEP) {
    runs.push(items.slice(from, from + STEP).sort(order))
    yield
  }
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], order))
    runs = merged
  }
  return runs[0] ?? []
}

/** Items by what they share, in the order of the first of each. */
export function grouped<T, Key>(items: Iterable<T>, keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
