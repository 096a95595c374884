/** IDs in a block. */
export const SPAN = 131_072
/** Bytes of a block with a bit for each ID. */
const BYTES = SPAN / 8

/**
 * Bytes of a list that a row of `postings` holds; longer ones have a row of `long_postings`. On the way to a row SQLite passes others of inner pages, and reads
 * one that is long whole, past its cache.
 */
export const SHORT = 200

/** The events of a block by the distance of their IDs from its first: a bit each, in the order of the machine. */
export type Block = Uint32Array
export const emptyBlock = (): Block => new Uint32Array(BYTES / 4)

export const blockOf = (id: number) => Math.floor(id / SPAN)

const aligned = new Uint8Array(BYTES)
const wide = new Uint32Array(aligned.buffer)

/**
 * Adds stored events to a block: a bit each, or if that is shorter their distances from one another, seven bits a byte, the lowest first and the
 * last byte of each without its highest bit. Damaged bytes add other events and nothing else.
 */
export function addStored(bytes: Uint8Array, to: Block) {
  if (bytes.length === BYTES) {
    aligned.set(bytes)
    for (let at = 0; at < to.length; at++) to[at]! |= wide[at]!
    return
  }
  const count = readPlaces(bytes)
  for (let at = 0; at < count; at++) to[places[at]! >>> 5]! |= 1 << (places[at]! & 31)
}

/** The places that were read last. Each takes a byte or more. */
const places = new Uint32Array(BYTES)

/** Reads places that are stored as distances; returns how many. */
function readPlaces(bytes: Uint8Array): number {
  let count = 0
  let place = -1
  let distance = 0
  let shift = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte < 0x80) {
      place += distance | (byte << shift)
      places[count++] = place
      distance = shift = 0
    } else {
      distance |= (byte & 0x7f) << shift
      shift += 7
    }
  }
  return count
}

const shorter = new Uint8Array(BYTES + 3)

/** Writes the distance of an event from the last one; returns the length so far. */
function writeDistance(distance: number, length: number): number {
  let left = distance
  let at = length
  for (; left > 0x7f; left >>>= 7) shorter[at++] = left | 0x80
  shorter[at++] = left
  return at
}

/** The bytes that are stored for a block; undefined if it is empty. */
export function storedOf(block: Block): Buffer | undefined {
  let length = 0
  let last = -1
  for (let at = 0; at < block.length; at++)
    for (let left = block[at]!; left !== 0; left &= left - 1) {
      const place = at * 32 + 31 - Math.clz32(left & -left)
      length = writeDistance(place - last, length)
      last = place
      // with as many bytes it would be read as bits
      if (length >= BYTES) return Buffer.from(new Uint8Array(block.buffer.slice(0)))
    }
  return length === 0 ? undefined : Buffer.from(shorter.subarray(0, length))
}

/** Events that a short list has at most: their bytes are fewer than those of bits. */
const FEW = 5_000
const work = emptyBlock()

/**
 * The bytes of a block without some events and with others, by their IDs in order; undefined if none are left, and the same bytes if nothing
 * changes.
 */
export function changed(
  stored: Uint8Array | undefined,
  removed: number[],
  added: number[],
): Uint8Array | undefined {
  if ((stored?.length ?? 0) + added.length > FEW) {
    work.fill(0)
    if (stored) addStored(stored, work)
    for (const id of removed) work[(id % SPAN) >>> 5]! &= ~(1 << (id & 31))
    for (const id of added) work[(id % SPAN) >>> 5]! |= 1 << (id & 31)
    return storedOf(work)
  }
  const without = new Set(removed.map((id) => id % SPAN))
  const count = stored ? readPlaces(stored) : 0
  let length = 0
  let last = -1
  for (let at = 0, next = 0; at < count || next < added.length; ) {
    const old = at < count ? places[at]! : SPAN
    const isOld = next >= added.length || old < added[next]! % SPAN
    const place = isOld ? old : added[next]! % SPAN
    if (isOld) at++
    else next++
    if (place === last || (isOld && without.has(place))) continue
    length = writeDistance(place - last, length)
    last = place
  }
  return length === 0 ? undefined : Buffer.from(shorter.subarray(0, length))
}

/** Events by their blocks. */
export type Blocks = Map<number, Block>

/** A block of events, which is empty at first. */
export function blockIn(blocks: Blocks, number: number): Block {
  const block = blocks.get(number) ?? emptyBlock()
  blocks.set(number, block)
  return block
}

/**
 * Adds stored distances of many blocks, one after the other with a 0 between two: no distance has a byte that is 0. `numbers` are those of the blocks. Damaged
 * bytes add other events and nothing else.
 */
export function addJoined(bytes: Uint8Array, numbers: readonly number[], to: Blocks) {
  let next = 0
  let block = blockIn(to, numbers[next]!)
  let place = -1
  let distance = 0
  let shift = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte > 0x7f) {
      distance |= (byte & 0x7f) << shift
      shift += 7
      continue
    }
    if (byte === 0) {
      next = Math.min(next + 1, numbers.length - 1)
      block = blockIn(to, numbers[next]!)
      place = -1
    } else {
      place += distance | (byte << shift)
      block[place >>> 5]! |= 1 << (place & 31)
    }
    distance = shift = 0
  }
}

/** Keeps the events that are also in others. */
export function keepCommon(blocks: Blocks, others: Blocks): Blocks {
  for (const [number, block] of blocks) {
    const other = others.get(number)
    if (!other) blocks.delete(number)
    else for (let at = 0; at < block.length; at++) block[at]! &= other[at]!
  }
  return blocks
}

/** Calls a function with the events of a block that have the ID `first` or one of the next 31, a bit each, in order. */
export function eachMask(block: Block, number: number, call: (first: number, mask: number) => void) {
  for (let at = 0; at < block.length; at++) if (block[at] !== 0) call(number * SPAN + at * 32, block[at]!)
}

/** Calls a function with the ID of each event of a block, in order. */
export const eachOf = (block: Block, number: number, call: (id: number) => void) =>
  eachMask(block, number, (first, mask) => {
    for (let left = mask; left !== 0; left &= left - 1) call(first + 31 - Math.clz32(left & -left))
  })
