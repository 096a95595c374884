import fc from 'fast-check'
import t from 'tap'
import {
  addJoined,
  addStored,
  type Blocks,
  blockOf,
  changed,
  eachOf,
  emptyBlock,
  keepCommon,
  SPAN,
  storedOf,
} from '../../../src/calendar/search/posting-lists.ts'

const placesOf = (some: number[]) => {
  const block = emptyBlock()
  for (const place of some) block[place >>> 5]! |= 1 << (place & 31)
  return block
}
function read(bytes: Uint8Array) {
  const block = emptyBlock()
  addStored(bytes, block)
  return block
}
const sorted = (some: number[]) => [...new Set(some)].sort((a, b) => a - b)

t.test('a block comes back as it was stored, and takes a bit an event at most', async (t) => {
  const few = fc.array(fc.nat(SPAN - 1), { maxLength: 200 })
  const many = fc
    .tuple(fc.nat(SPAN - 1), fc.integer({ min: 1, max: 9 }), fc.nat(SPAN))
    .map(([from, step, length]) =>
      Array.from({ length: Math.floor(length / step) }, (_, at) => from + at * step).filter(
        (id) => id < SPAN,
      ),
    )
  fc.assert(
    fc.property(fc.oneof(few, many), fc.nat(9), (places, number) => {
      const block = placesOf(places)
      const bytes = storedOf(block)
      if (places.length === 0) return bytes === undefined
      const ids: number[] = []
      eachOf(read(bytes!), number, (id) => ids.push(id))
      return (
        bytes!.length <= SPAN / 8 &&
        JSON.stringify(ids) === JSON.stringify(sorted(places).map((place) => number * SPAN + place)) &&
        ids.every((id) => blockOf(id) === number)
      )
    }),
    { seed: 7 },
  )
  t.equal(storedOf(placesOf([0]))!.length, 1)
  t.equal(storedOf(placesOf([SPAN - 1]))!.length, 3)
  t.equal(storedOf(placesOf(Array.from({ length: SPAN / 8 - 1 }, (_, at) => at)))!.length, SPAN / 8 - 1)
  t.equal(storedOf(placesOf(Array.from({ length: SPAN }, (_, at) => at)))!.length, SPAN / 8)
})

t.test('a block without some events and with others is what a set of them would be', async () => {
  const ids = fc.uniqueArray(fc.nat(SPAN - 1), { maxLength: 40 }).map(sorted)
  const every = (step: number) => Array.from({ length: Math.ceil(SPAN / step) }, (_, at) => at * step)
  fc.assert(
    fc.property(
      fc.oneof(ids, fc.constantFrom(1, 9, 40).map(every)),
      ids,
      ids,
      fc.nat(9),
      (old, removed, added, number) => {
        const inBlock = (some: number[]) => some.map((place) => number * SPAN + place)
        const right = sorted([...old.filter((place) => !removed.includes(place)), ...added])
        const bytes = changed(storedOf(placesOf(old)), inBlock(removed), inBlock(added))
        return (
          String(bytes && [...bytes]) === String(storedOf(placesOf(right)) && [...storedOf(placesOf(right))!])
        )
      },
    ),
    { seed: 7 },
  )
})

t.test('damaged bytes give some events of the block, and no error', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (bytes) => {
      eachOf(read(bytes), 0, (id) => {
        if (!(id >= 0 && id < SPAN)) throw new Error(`${id}`)
      })
    }),
    { seed: 7 },
  )
})

t.test('blocks that are joined come back as each was stored', async (t) => {
  const idsOf = (blocks: Blocks) => {
    const ids: number[] = []
    for (const [number, block] of blocks) eachOf(block, number, (id) => ids.push(id))
    return sorted(ids)
  }
  const joined = (all: Uint8Array[]) =>
    Buffer.concat(all.flatMap((bytes, at) => (at === 0 ? [bytes] : [Buffer.from([0]), bytes])))
  const row = fc.tuple(fc.nat(3), fc.uniqueArray(fc.nat(SPAN - 1), { minLength: 1, maxLength: 40 }))
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 9 }), (rows) => {
      const blocks: Blocks = new Map()
      addJoined(
        joined(rows.map(([, places]) => storedOf(placesOf(places))!)),
        rows.map(([number]) => number),
        blocks,
      )
      const right = sorted(rows.flatMap(([number, places]) => places.map((place) => number * SPAN + place)))
      return JSON.stringify(idsOf(blocks)) === JSON.stringify(right)
    }),
    { seed: 7 },
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), (damaged) => {
      const blocks: Blocks = new Map()
      addJoined(damaged, [2, 5], blocks)
      return [...blocks.keys()].every((number) => number === 2 || number === 5)
    }),
    { seed: 7 },
  )
  t.pass('for these blocks')
})

t.test('of two sets of blocks remains what is in both', async (t) => {
  const left = keepCommon(
    new Map([
      [1, placesOf([1, 2, 40])],
      [2, placesOf([7])],
    ]),
    new Map([[1, placesOf([2, 3, 40])]]),
  )
  const ids: number[] = []
  for (const [number, block] of left) eachOf(block, number, (id) => ids.push(id - SPAN))
  t.same(ids, [2, 40])
})
