/** A set of small whole numbers. */
export type Numbers = {
  has(number: number): boolean
  add(number: number): void
  delete(number: number): void
  /** Bytes that it takes, roughly. */
  bytes(): number
}

/** A set of few numbers. */
export class Few extends Set<number> implements Numbers {
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
  static of(ids: number[], size: number): Bits {
    const bits = new Bits(size)
    for (const id of ids) bits.add(id)
    return bits
  }
  has(id: number): boolean {
    return (this.words[id >>> 5]! & (1 << (id & 31))) !== 0
  }
  add(id: number) {
    const at = id >>> 5
    if (at >= this.words.length) {
      const words = new Uint32Array(at * 2)
      words.set(this.words)
      this.words = words
    }
    this.words[at]! |= 1 << (id & 31)
  }
  delete(id: number) {
    if (this.has(id)) this.words[id >>> 5]! ^= 1 << (id & 31)
  }
  /** Keeps what is in `other` as well. */
  and(other: Bits): this {
    for (let at = 0; at < this.words.length; at++) this.words[at]! &= other.words[at] ?? 0
    return this
  }
  /** Adds what is in `other`, which has no larger numbers. */
  or(other: Bits): this {
    for (let at = 0; at < other.words.length; at++) this.words[at]! |= other.words[at]!
    return this
  }
  /** Keeps what fulfils `condition`. */
  filter(condition: (id: number) => boolean): this {
    for (let at = 0; at < this.words.length; at++)
      for (let left = this.words[at]!; left !== 0; left &= left - 1) {
        const id = at * 32 + 31 - Math.clz32(left & -left)
        if (!condition(id)) this.delete(id)
      }
    return this
  }
  bytes(): number {
    return this.words.byteLength
  }
}
