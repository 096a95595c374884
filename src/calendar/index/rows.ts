import type { Bitmap } from './row-set.ts'

/** The result of `rowOf` for an ID without a row. */
export const NO_ROW = -1
const LEAST = 1_024

/**
 * Numbers events from 0 without large gaps, so that memory depends on the number of events and not on the size of
 * their IDs. A free row goes to another event. A hash table with linear probing finds IDs.
 */
export function openRows() {
  /** IDs by row; 0 if it is free. */
  let ids = new Float64Array(0)
  /** Rows, counted from 1, by the hashes of their IDs; at most half of the table is used. */
  let table = new Uint32Array(2 * LEAST)
  /** A bit for each row whose ID comes right after that of the row before. */
  let following = new Uint32Array(1)
  let size = 0
  let free: number[] = []

  /** The place where the search for an ID in the table begins. */
  const homeOf = (id: number) => (Math.imul(id ^ (id / 2 ** 32), 0x9e3779b1) >>> 7) & (table.length - 1)
  const after = (place: number) => (place + 1) & (table.length - 1)
  /** The place of an ID in the table, or the free place for it. */
  function placeOf(id: number) {
    let place = homeOf(id)
    while (table[place] !== 0 && ids[table[place]! - 1] !== id) place = after(place)
    return place
  }

  /** The last difference between a row and its ID. It often holds for the next one, and trying it first avoids most of the hashing. */
  let distance = 0
  function rowOf(id: number) {
    const likely = id + distance
    if (likely >= 0 && likely < size && ids[likely] === id) return likely
    const row = table[placeOf(id)]! - 1
    if (row !== NO_ROW) distance = row - id
    return row
  }

  /** Notes whether the ID of a row comes right after that of the row before. */
  function noteFollowing(row: number) {
    const bit = 1 << (row & 31)
    if (ids[row] === ids[row - 1]! + 1) following[row >>> 5]! |= bit
    else following[row >>> 5]! &= ~bit
  }
  /** Whether the IDs of 32 rows from one on follow one another. */
  function areFollowing(row: number): boolean {
    const at = (row + 1) >>> 5
    const shift = (row + 1) & 31
    // the first row may follow none, so the last of these bits, of the row after them, does not matter
    return shift === 0
      ? (following[at]! | (1 << 31)) === -1
      : ((following[at]! >>> shift) | (following[at + 1]! << (32 - shift)) | (1 << 31)) === -1
  }

  function makeRoom(count: number) {
    const larger = new Float64Array(count)
    larger.set(ids)
    ids = larger
    const bits = new Uint32Array((count >>> 5) + 2)
    bits.set(following.subarray(0, bits.length))
    following = bits
    let length = 2 * LEAST
    while (length < 2 * count) length *= 2
    table = new Uint32Array(length)
    for (let row = 0; row < size; row++) if (ids[row] !== 0) table[placeOf(ids[row]!)] = row + 1
  }

  return {
    /** Greater than every row. */
    size: () => size,
    idOf: (row: number) => ids[row]!,
    rowOf,
    /** Adds the rows of events to a set: of those with a bit, for the ID `first` and the next 31. Rows that were added after the set was made may be left out. */
    addRows(first: number, mask: number, to: Pick<Bitmap, 'add' | 'addMask'>) {
      const likely = first + distance
      if (likely >= 0 && ids[likely] === first && areFollowing(likely)) {
        to.addMask(likely, mask)
        return
      }
      let sure = 0
      for (let left = mask; left !== 0; left &= left - 1) {
        const at = 31 - Math.clz32(left & -left)
        if (ids[likely + at] === first + at) sure |= 1 << at
        else {
          const row = rowOf(first + at)
          if (row !== NO_ROW) to.add(row)
        }
      }
      // no row is below 0
      to.addMask(Math.max(0, likely), likely < 0 ? sure >>> -likely : sure)
    },
    /** Assigns a row to an event. */
    assign(id: number): number {
      const known = rowOf(id)
      if (known !== NO_ROW) return known
      const row = free.pop() ?? size++
      if (row >= ids.length) makeRoom(LEAST + Math.ceil(row * 1.25))
      ids[row] = id
      table[placeOf(id)] = row + 1
      noteFollowing(row)
      noteFollowing(row + 1)
      return row
    },
    /** Frees the row of an event. */
    release(id: number) {
      let gap = placeOf(id)
      const row = table[gap]! - 1
      // later entries move up, unless that is before their first place
      for (let place = after(gap); table[place] !== 0; place = after(place)) {
        const way = place - homeOf(ids[table[place]! - 1]!)
        if ((way & (table.length - 1)) < ((place - gap) & (table.length - 1))) continue
        table[gap] = table[place]!
        gap = place
      }
      table[gap] = 0
      ids[row] = 0
      noteFollowing(row)
      noteFollowing(row + 1)
      free.push(row)
    },
    /** Removes all events, and allocates space for so many. */
    clear(count: number) {
      size = 0
      free = []
      ids = new Float64Array(0)
      following = new Uint32Array(1)
      makeRoom(count)
    },
    /** The bytes of all arrays. */
    bytes: () => ids.byteLength + table.byteLength + following.byteLength,
  }
}
export type Rows = ReturnType<typeof openRows>
