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
