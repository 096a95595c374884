import fc from 'fast-check'
import t from 'tap'
import { Bits, Few, type Numbers, read } from '../src/store/index/bits.ts'

const numbers = fc.array(fc.nat(200), { maxLength: 40 })
const text = (some: number[]) => Buffer.from(some.join(','))
const bitsOf = (some: number[], size: number) => read(text(some), new Bits(size))
const fewOf = (some: number[]) => read(text(some), new Few())
const listed = (some: Numbers) => {
  const found: number[] = []
  some.each((number) => found.push(number))
  return found
}
const sorted = (some: Iterable<number>) => [...some].sort((a, b) => a - b)

t.test('sets of few and of many numbers hold what a set holds', async (t) => {
  fc.assert(
    fc.property(numbers, numbers, numbers, fc.nat(200), (own, added, removed, size) => {
      const few = fewOf(own)
      const many = bitsOf(own, size)
      const set = new Set(own)
      for (const number of removed) for (const some of [few, many, set]) some.delete(number)
      for (const number of added) for (const some of [few, many, set]) some.add(number)
      t.strictSame(listed(many), sorted(set))
      t.strictSame(sorted(listed(few)), sorted(set))
      t.strictSame(listed(many.few()), sorted(set))
      t.equal(many.count(), set.size)
      for (const number of [...own, ...added]) t.equal(many.has(number), set.has(number))
      t.notOk(many.has(5_000))
    }),
    { numRuns: 200 },
  )
})

t.test('sets meet, join and part', async (t) => {
  const some = fc.array(fc.nat(200), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(some, some, fc.nat(200), (own, others, size) => {
      const other = bitsOf(others, 201)
      const both = sorted(new Set(own.filter((number) => others.includes(number))))
      const rest = sorted(new Set(own.filter((number) => !others.includes(number))))
      for (const make of [() => bitsOf(own, size), () => fewOf(own)] as (() => Numbers)[]) {
        t.strictSame(sorted(listed(make().and(other))), both)
        t.strictSame(sorted(listed(make().filter((number) => others.includes(number)))), both)
        t.strictSame(sorted(listed(make().without(other))), rest)
      }
      t.strictSame(listed(bitsOf(own, 201).or(other)), sorted(new Set([...own, ...others])))
    }),
    { numRuns: 200 },
  )
})

t.test('a set says how much room it takes', async (t) => {
  t.equal(fewOf([1, 2]).bytes(), 80)
  t.equal(new Bits(100_000).bytes(), 12_504)
})
