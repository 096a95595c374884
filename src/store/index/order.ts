/** Rows that are sorted, or merged, in a step. */
const STEP = 5_000

/** Sorts rows in steps: pieces first, then ever larger ones into one another. */
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
 * Events in the order of a key, then of their IDs. Keys and IDs are kept here: the calendar may have given a row to another event
 * before this order hears of it.
 */
export function openOrder<Key extends number | string>() {
  const keys: Key[] = []
  const ids: number[] = []
  let rows = new Uint32Array(0)
  let size = 0
  const compare = (a: number, b: number) =>
    keys[a]! < keys[b]! ? -1 : keys[a]! > keys[b]! ? 1 : ids[a]! - ids[b]!

  /** How many come before an event. */
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
    /** To be called with all events before `sort`. */
    add(row: number, id: number, key: Key) {
      keys[row] = key
      ids[row] = id
    },
    /** Puts all that were added in order. */
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
    /** Takes an event out, if there is one in this row. */
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
