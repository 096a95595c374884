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

/** A set of small whole numbers. */
export type RowSet = {
  has(number: number): boolean
  add(number: number): void
  delete(number: number): void
  /** Keeps only numbers that are also in `other`. */
  and(other: Bitmap): RowSet
  /** Removes the numbers in `other`. */
  without(other: Bitmap): RowSet
  /** Keeps only numbers that fulfil `condition`. */
  filter(condition: (number: number) => boolean): RowSet
  each(call: (number: number) => void): void
  count(): number
  /** Approximate size in bytes. */
  bytes(): number
}

/** Adds numbers from decimal digits, separated by commas. */
export function addIds<T extends Pick<RowSet, 'add'>>(text: Uint8Array, to: T): T {
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (character !== COMMA) number = number * 10 + character - ZERO
    else {
      to.add(number)
      number = 0
    }
  }
  if (text.length > 0) to.add(number)
  return to
}
const COMMA = 44
const ZERO = 48

/** How many bits of a word are set. */
function ones(word: number): number {
  // sums of two, four and eight bits each, then all bytes of the word
  const pairs = word - ((word >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** A set of few numbers. */
export class SparseSet extends Set<number> implements RowSet {
  and(other: Bitmap): this {
    return this.filter((number) => other.has(number))
  }
  without(other: Bitmap): this {
    return this.filter((number) => !other.has(number))
  }
  filter(condition: (number: number) => boolean): this {
    for (const number of this) if (!condition(number)) this.delete(number)
    return this
  }
  each(call: (number: number) => void) {
    for (const number of this) call(number)
  }
  count(): number {
    return this.size
  }
  bytes(): number {
    return this.size * 40
  }
}

/** Rows that are handed out together at most. */
const PART = 4_096

/** A set of many numbers, one bit each. */
export class Bitmap implements RowSet {
  private words: Uint32Array

  /** Space for numbers below `size` is allocated at once, for larger ones when they are added. */
  constructor(size: number) {
    this.words = new Uint32Array((size >>> 5) + 1)
  }
  has(number: number): boolean {
    return (this.words[number >>> 5]! & (1 << (number & 31))) !== 0
  }
  add(number: number) {
    const at = number >>> 5
    if (at >= this.words.length) {
      const words = new Uint32Array(at * 2)
      words.set(this.words)
      this.words = words
    }
    this.words[at]! |= 1 << (number & 31)
  }
  /** Adds up to 32 numbers from `first` on, a bit each. Those for which no space is allocated are left out. */
  addMask(first: number, mask: number) {
    const at = first >>> 5
    const shift = first & 31
    this.words[at]! |= mask << shift
    if (shift !== 0) this.words[at + 1]! |= mask >>> (32 - shift)
  }
  delete(number: number) {
    if (this.has(number)) this.words[number >>> 5]! ^= 1 << (number & 31)
  }
  and(other: Bitmap): this {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= other.words[at]!
    return this
  }
  without(other: Bitmap): this {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= ~other.words[at]!
    return this
  }
  /** Adds the numbers in `other`, which has no larger ones. */
  or(other: Bitmap): this {
    for (let at = 0; at < other.words.length; at++) this.words[at]! |= other.words[at]!
    return this
  }
  filter(condition: (number: number) => boolean): this {
    this.each((number) => {
      if (!condition(number)) this.delete(number)
    })
    return this
  }
  count(): number {
    let count = 0
    for (const word of this.words) count += ones(word)
    return count
  }
  /** How many numbers are also in `other`. */
  common(other: Bitmap): number {
    const length = Math.min(this.words.length, other.words.length)
    let count = 0
    for (let at = 0; at < length; at++) count += ones(this.words[at]! & other.words[at]!)
    return count
  }
  /** Calls a function with every number, in order; numbers deleted meanwhile may or may not be included. */
  each(call: (number: number) => void) {
    const { words } = this
    for (let at = 0; at < words.length; at++)
      for (let left = words[at]!; left !== 0; left &= left - 1) call(at * 32 + 31 - Math.clz32(left & -left))
  }
  /** All numbers in order, some thousand at a time in an array that is used again for the next: faster than `each` where they are many. */
  *parts(): Iterable<Uint32Array> {
    const { words } = this
    const part = new Uint32Array(PART)
    let count = 0
    for (let at = 0; at < words.length; at++) {
      for (let left = words[at]!; left !== 0; left &= left - 1)
        part[count++] = at * 32 + 31 - Math.clz32(left & -left)
      if (count <= PART - 32) continue
      yield part.subarray(0, count)
      count = 0
    }
    yield part.subarray(0, count)
  }
  sparse(): SparseSet {
    const few = new SparseSet()
    this.each((number) => few.add(number))
    return few
  }
  bytes(): number {
    return this.words.byteLength
  }
}

/** Rows that one step hands out. */
const STEP = 200_000

/** Calls a function with all numbers of a set in order, some thousand at a time, in steps. */
export function* inSteps(some: Bitmap, call: (part: Uint32Array) => void): Generator<void, void, void> {
  let unpaused = 0
  for (const part of some.parts()) {
    call(part)
    unpaused += part.length
    if (unpaused < STEP) continue
    unpaused = 0
    yield
  }
}
