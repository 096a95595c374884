import type { Numbers } from './bits.ts'

/** Rows that one step sorts or merges. */
const STEP = 5_000
/** Rows that one step passes. */
const PASSED = 20_000

/** Sorts rows in steps: small pieces first, then merges ever larger ones. */
function* sort(
  rows: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Generator<void, Uint32Array<ArrayBuffer>, void> {
  for (let from = 0; from < rows.length; from += STEP) {
    rows.subarray(from, from + STEP).sort(compare)
    yield
  }
  let pieces = rows
  let merged = new Uint32Array(rows.length)
  for (let length = STEP; length < rows.length; length *= 2) {
    for (let from = 0, at = 0; from < rows.length; from += 2 * length) {
      const middle = Math.min(from + length, rows.length)
      const end = Math.min(middle + length, rows.length)
      for (let left = from, right = middle; at < end; at++) {
        const isLeft = right >= end || (left < middle && compare(pieces[left]!, pieces[right]!) < 0)
        merged[at] = pieces[isLeft ? left++ : right++]!
        if (at % STEP === 0) yield
      }
    }
    ;[pieces, merged] = [merged, pieces]
  }
  return pieces
}

/**
 * Events in the order of a key, then of their IDs. Keys and IDs are stored here, since the calendar may give a row to another event
 * before this order learns of it.
 */
export function openOrder<Key extends number | string>() {
  const keys: Key[] = []
  const ids: number[] = []
  let rows = new Uint32Array(0)
  let size = 0
  const compare = (a: number, b: number) =>
    keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : ids[a]! - ids[b]!

  /** The number of events before an event. */
  function placeOf(row: number) {
    let low = 0
    let high = size
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(rows[middle]!, row) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    compare,
    size: () => size,
    at: (place: number) => rows[place]!,
    /** Adds an event. Call it for all events before `sort`. */
    add(row: number, id: number, key: Key) {
      keys[row] = key
      ids[row] = id
    },
    /** Sorts all added events. */
    *sort(): Generator<void, void, void> {
      rows = new Uint32Array(ids.length)
      ids.forEach((_, row) => {
        rows[size++] = row
      })
      rows = yield* sort(rows.subarray(0, size), compare)
    },
    insert(row: number, id: number, key: Key) {
      keys[row] = key
      ids[row] = id
      const place = placeOf(row)
      if (size === rows.length) {
        const larger = new Uint32Array(1024 + Math.ceil(size * 1.25))
        larger.set(rows)
        rows = larger
      }
      rows.copyWithin(place + 1, place, size++)
      rows[place] = row
    },
    /** Removes the event in this row, if there is one. */
    remove(row: number) {
      if (ids[row] === undefined) return
      const place = placeOf(row)
      rows.copyWithin(place, place + 1, size--)
      delete ids[row]
      delete keys[row]
    },
  }
}
export type Order = Pick<ReturnType<typeof openOrder>, 'compare' | 'size' | 'at'>

/** The events of an order, from either end, that are in a set: `take` of them after the first `skip`. */
export function* cut(
  order: Order,
  members: Numbers,
  descending: boolean,
  skip: number,
  take: number,
): Generator<void, number[], void> {
  const rows: number[] = []
  const last = order.size() - 1
  let left = skip
  for (let place = 0; place <= last && rows.length < take; place++) {
    if (place % PASSED === PASSED - 1) yield
    const row = order.at(descending ? last - place : place)
    if (!members.has(row)) continue
    if (left > 0) left--
    else rows.push(row)
  }
  return rows
}
