/** What `rowOf` gives for an ID that has no row. */
export const NOWHERE = -1
/** Events from one end of `parts` to the next, roughly. */
const PART = 1_000
const LEAST = 1_024

/**
 * Numbers events from 0 without large gaps, so that what is kept of them takes room by how many they are and not by how large
 * their IDs are. A row that is given up is given to another event. IDs are found by a table of hashes with linear probing.
 */
export function openRows() {
  /** By row; 0 where it is free. */
  let ids = new Float64Array(0)
  /** Rows, counted from 1, by the hashes of their IDs; at most half of it is taken. */
  let table = new Uint32Array(2 * LEAST)
  let size = 0
  let free: number[] = []
  let ends: number[] = []
  let sinceEnd = 0
  let last = 0

  /** Where an ID stands in the table if nothing stands there before it. */
  const homeOf = (id: number) => (Math.imul(id ^ (id / 2 ** 32), 0x9e3779b1) >>> 7) & (table.length - 1)
  const after = (place: number) => (place + 1) & (table.length - 1)
  /** The place in the table of an ID, or the free one where it would stand. */
  function placeOf(id: number) {
    let place = homeOf(id)
    while (table[place] !== 0 && ids[table[place]! - 1] !== id) place = after(place)
    return place
  }

  /** From IDs to rows where both are counted without gaps, as most are: looking there first spares most of the hashing. */
  let distance = 0
  function rowOf(id: number) {
    const likely = id + distance
    if (likely >= 0 && likely < size && ids[likely] === id) return likely
    const row = table[placeOf(id)]! - 1
    if (row !== NOWHERE) distance = row - id
    return row
  }

  function makeRoom(count: number) {
    const larger = new Float64Array(count)
    larger.set(ids)
    ids = larger
    let length = 2 * LEAST
    while (length < 2 * count) length *= 2
    table = new Uint32Array(length)
    for (let row = 0; row < size; row++) if (ids[row] !== 0) table[placeOf(ids[row]!)] = row + 1
  }

  function noteEnd(id: number) {
    if (id <= last) return
    last = id
    sinceEnd = (sinceEnd + 1) % PART
    if (sinceEnd === 0) ends.push(id)
  }

  return {
    /** All rows are smaller. */
    size: () => size,
    idOf: (row: number) => ids[row]!,
    rowOf,
    /** Some last IDs, in order, of parts of about a thousand events: what can not be asked of all at once is asked of these. */
    parts: () => (sinceEnd === 0 ? ends : [...ends, last]),
    /** Gives an event its row. */
    take(id: number): number {
      const known = rowOf(id)
      if (known !== NOWHERE) return known
      const row = free.pop() ?? size++
      if (row >= ids.length) makeRoom(LEAST + Math.ceil(row * 1.25))
      ids[row] = id
      table[placeOf(id)] = row + 1
      noteEnd(id)
      return row
    },
    /** Gives up the row of an event. */
    release(id: number) {
      let gap = placeOf(id)
      const row = table[gap]! - 1
      // what stands behind moves up, unless that is before its home
      for (let place = after(gap); table[place] !== 0; place = after(place)) {
        const way = place - homeOf(ids[table[place]! - 1]!)
        if ((way & (table.length - 1)) < ((place - gap) & (table.length - 1))) continue
        table[gap] = table[place]!
        gap = place
      }
      table[gap] = 0
      ids[row] = 0
      free.push(row)
    },
    /** Forgets all, and makes room for so many events. */
    clear(count: number) {
      size = sinceEnd = last = 0
      free = []
      ends = []
      ids = new Float64Array(0)
      makeRoom(count)
    },
    /** Of all arrays. */
    bytes: () => ids.byteLength + table.byteLength,
  }
}
export type Rows = ReturnType<typeof openRows>
