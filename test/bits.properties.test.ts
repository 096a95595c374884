import fc from 'fast-check'
import t from 'tap'
import { Bits, Few } from '../src/bits.ts'

const numbers = fc.array(fc.nat(200), { maxLength: 40 })
const sorted = (some: Iterable<number>) => [...some].sort((a, b) => a - b)

t.test('sets of few and of many numbers hold what a set holds', async (t) => {
  fc.assert(
    fc.property(numbers, numbers, numbers, numbers, fc.nat(200), (own, added, removed, others, size) => {
      const other = Bits.of(others, 201)
      const both = own.filter((number) => other.has(number))
      const rest = own.filter((number) => !other.has(number))
      for (const [name, right] of [
        ['and', both],
        ['without', rest],
      ] as const) {
        const few = new Few(own)
        const many = Bits.of(own, size)
        few[name](other)
        many[name](other)
        const set = new Set(right)
        for (const number of removed) for (const some of [few, many, set]) some.delete(number)
        for (const number of added) for (const some of [few, many, set]) some.add(number)
        t.strictSame(many.all(), sorted(set))
        t.strictSame(sorted(few), sorted(set))
        t.equal(many.count(), set.size)
        for (const number of [...own, ...added]) t.equal(many.has(number), set.has(number))
        t.notOk(many.has(5_000))
      }
      t.strictSame(Bits.of(own, 201).or(other).all(), sorted(new Set([...own, ...others])))
    }),
    { numRuns: 200 },
  )
})

t.test('a set says how much room it takes', async (t) => {
  t.equal(new Few([1, 2]).bytes(), 80)
  t.equal(new Bits(100_000).bytes(), 12_504)
})
