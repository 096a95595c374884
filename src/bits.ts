/** A set of small whole numbers. */
export type Numbers = {
  has(number: number): boolean
  add(number: number): void
  delete(number: number): void
  /** Keeps what is in `other` as well. */
  and(other: Bits): void
  /** Drops what is in `other`. */
  without(other: Bits): void
  /** Bytes that it takes, roughly. */
  bytes(): number
}

/** A set of few numbers. */
export class Few extends Set<number> implements Numbers {
  and(other: Bits) {
    for (const number of this) if (!other.has(number)) this.delete(number)
  }
  without(other: Bits) {
    for (const number of this) if (other.has(number)) this.delete(number)
  }
  bytes(): number {
    return this.size * 40
  }
}

/** A set of many numbers, one bit each. */
export class Bits implements Numbers {
  private words: Uint32Array

  /** Numbers below `size` have a place at once; others find one when they are added. */
  constructor(size: number) {
    this.words = new Uint32Array((size >>> 5) + 1)
  }
  static of(numbers: number[], size: number): Bits {
    const bits = new Bits(size)
    for (const number of numbers) bits.add(number)
    return bits
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
  delete(number: number) {
    if (this.has(number)) this.words[number >>> 5]! ^= 1 << (number & 31)
  }
  and(other: Bits): this {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= other.words[at]!
    return this
  }
  without(other: Bits): this {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= ~other.words[at]!
    return this
  }
  /** Adds what is in `other`, which has no larger numbers. */
  or(other: Bits): this {
    for (let at = 0; at < other.words.length; at++) this.words[at]! |= other.words[at]!
    return this
  }
  count(): number {
    let count = 0
    for (let word of this.words) for (; word !== 0; word &= word - 1) count++
    return count
  }
  /** Every number, in order. */
  all(): number[] {
    const numbers: number[] = []
    for (const [at, word] of this.words.entries())
      for (let left = word; left !== 0; left &= left - 1)
        numbers.push(at * 32 + 31 - Math.clz32(left & -left))
    return numbers
  }
  bytes(): number {
    return this.words.byteLength
  }
}
