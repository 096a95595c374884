import fc from 'fast-check'
import t from 'tap'
import { insert, placeIn, sorted } from '../../src/kernel/sorting.ts'
import { finish } from '../../src/kernel/tasks/scheduler.ts'

type Item = { key: number; at: number }
const byKey = (a: Item, b: Item) => a.key - b.key
const itemsOf = (keys: number[]): Item[] => keys.map((key, at) => ({ key, at }))

t.test(
  'many items are sorted in steps as they are at once, and those that are alike keep their order',
  (t) => {
    // several runs of a step each, also an odd number of them
    const sizes = fc.constantFrom(0, 1, 5, 1_999, 2_000, 2_001, 4_500, 9_000)
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat(500)), (size, keys) => {
        const items = itemsOf([...keys.take(size)])
        const before = [...items]
        t.same(finish(sorted(items, byKey)), items.toSorted(byKey))
        t.same(items, before)
      }),
      { numRuns: 20, seed: 3 },
    )
    t.end()
  },
)

t.test('no step of sorting sees more items than a few thousand', (t) => {
  let compared = 0
  let most = 0
  const task = sorted(itemsOf(Array.from({ length: 20_000 }, (_, at) => (at * 7_919) % 20_000)), (a, b) => {
    compared++
    return byKey(a, b)
  })
  while (!task.next().done) {
    most = Math.max(most, compared)
    compared = 0
  }
  t.ok(most < 30_000, `${most} comparisons`)
  t.end()
})

t.test('an item is put where a sort would have it', (t) => {
  fc.assert(
    fc.property(fc.array(fc.nat(30)), fc.array(fc.nat(30)), (first, more) => {
      const order = (a: number, b: number) => a - b
      const items = first.toSorted(order)
      for (const item of more) insert(items, item, order)
      t.same(items, [...first, ...more].toSorted(order))
      t.equal(
        placeIn(items, (item) => item < 15),
        items.filter((item) => item < 15).length,
      )
    }),
    { numRuns: 50, seed: 3 },
  )
  t.end()
})
