import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { Bits, Few, type Numbers, read } from '../../src/store/index/bits.ts'
import { type Entry, openCalendar } from '../../src/store/index/calendar.ts'
import { ALWAYS, openHistogram } from '../../src/store/index/histogram.ts'
import { finish } from '../../src/store/lists/slices.ts'

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

t.test('sets of few and of many numbers hold what a set holds', async () => {
  fc.assert(
    fc.property(numbers, numbers, numbers, fc.nat(200), (own, added, removed, size) => {
      const few = fewOf(own)
      const many = bitsOf(own, size)
      const set = new Set(own)
      for (const number of removed) for (const some of [few, many, set]) some.delete(number)
      for (const number of added) for (const some of [few, many, set]) some.add(number)
      assert.deepEqual(listed(many), sorted(set))
      assert.deepEqual(sorted(listed(few)), sorted(set))
      assert.deepEqual(listed(many.few()), sorted(set))
      assert.equal(many.count(), set.size)
      for (const number of [...own, ...added]) assert.equal(many.has(number), set.has(number))
      assert.ok(!many.has(5_000))
    }),
    { numRuns: 200 },
  )
})

t.test('sets meet, join and part', async () => {
  const some = fc.array(fc.nat(200), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(some, some, fc.nat(200), (own, others, size) => {
      const other = bitsOf(others, 201)
      const both = sorted(new Set(own.filter((number) => others.includes(number))))
      const rest = sorted(new Set(own.filter((number) => !others.includes(number))))
      for (const make of [() => bitsOf(own, size), () => fewOf(own)] as (() => Numbers)[]) {
        assert.deepEqual(sorted(listed(make().and(other))), both)
        assert.deepEqual(sorted(listed(make().filter((number) => others.includes(number)))), both)
        assert.deepEqual(sorted(listed(make().without(other))), rest)
      }
      assert.deepEqual(listed(bitsOf(own, 201).or(other)), sorted(new Set([...own, ...others])))
    }),
    { numRuns: 200 },
  )
})

t.test('a set says how much room it takes', async (t) => {
  t.equal(fewOf([1, 2]).bytes(), 80)
  t.equal(new Bits(100_000).bytes(), 12_504)
})

const DAY = 86_400
const NONE = { traits: 1, language: 'en', author: 1, parent: 0 }
const entry = fc.record({
  id: fc.integer({ min: 1, max: 60 }),
  starts: fc.constantFrom(-DAY, -1, 0, 1, DAY - 1, DAY, 3 * DAY),
  lasts: fc.constantFrom(0, 3_600, DAY - 1, 5 * DAY),
})

t.test('events that are read at once stand on the same days as those that came one by one', async () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(entry, { selector: ({ id }) => id }),
      fc.array(fc.nat(60)),
      (some, removed) => {
        const entries = some.map(({ id, starts, lasts }): Entry => {
          const ends = starts + lasts
          return { ...NONE, id, starts, ends, utcStarts: starts, utcEnds: ends }
        })
        const atOnce = openCalendar()
        atOnce.put({ ...NONE, id: 70, starts: 0, ends: 0, utcStarts: 0, utcEnds: 0 }) // forgotten by clear
        atOnce.clear(60)
        for (const one of entries) atOnce.put(one)
        atOnce.fill()
        const oneByOne = openCalendar()
        for (const one of [...entries].reverse()) oneByOne.put(one)
        for (const calendar of [atOnce, oneByOne]) for (const id of removed) calendar.remove(id)

        const left = entries.filter(({ id }) => !removed.includes(id))
        left.sort((a, b) => a.starts - b.starts || a.id - b.id)
        for (const calendar of [atOnce, oneByOne]) {
          const found: number[] = []
          for (let half = -4; half < 10; half++) found.push(...calendar.at(half))
          assert.deepEqual(
            found,
            left.map(({ id }) => id),
          )
          const histogram = finish(calendar.tally(calendar.select({ statuses: ['publish'] })))
          for (const { id } of left) {
            const day = { from: calendar.startOf(id), to: calendar.startOf(id) }
            const end = day.from + calendar.lengthOf(id)
            const same = left.filter((other) => calendar.startOf(other.id) === day.from)
            const alike = same.filter((other) => calendar.lengthOf(other.id) === calendar.lengthOf(id))
            assert.equal(histogram.count({ ...day, endFrom: -Infinity, endTo: Infinity }), same.length)
            assert.equal(histogram.count({ ...day, endFrom: end, endTo: end }), alike.length)
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})

type DayEntry = { day: number; days: number }
const dayEntry = fc.record({
  day: fc.integer({ min: -5, max: 40 }),
  // a clock that is turned back may carry an end before its start
  days: fc.constantFrom(-1, 0, 0, 0, 1, 2, 7, 30),
})
const edge = fc.oneof(
  fc.integer({ min: -10, max: 60 }),
  fc.constant(Number.NEGATIVE_INFINITY),
  fc.constant(Number.POSITIVE_INFINITY),
)

t.test('counts and pages of any window are what a filter in memory gives', async () => {
  fc.assert(
    fc.property(
      fc.array(dayEntry, { maxLength: 60 }),
      fc.array(fc.nat(59), { maxLength: 20 }),
      edge,
      edge,
      edge,
      edge,
      fc.nat(30),
      fc.integer({ min: 1, max: 20 }),
      (entries, removed, from, to, endFrom, endTo, skip, take) => {
        const window = { from, to, endFrom, endTo }
        const histogram = openHistogram()
        for (const { day, days } of entries) histogram.add(day, days, 1)
        histogram.count(window) // sums are made, and have to be made again
        const gone = new Set(removed.filter((at) => at < entries.length))
        for (const at of gone) histogram.add(entries[at]!.day, entries[at]!.days, -1)

        const matches: DayEntry[] = entries
          .filter(
            ({ day, days }, at) =>
              !gone.has(at) && day >= from && day <= to && day + days >= endFrom && day + days <= endTo,
          )
          .sort((a, b) => a.day - b.day)
        assert.equal(histogram.count(window), matches.length)
        const page = matches.slice(skip, skip + take)
        const expected = [...new Set(page.map(({ day }) => day))].map((day) => ({
          day,
          skip: Math.max(0, skip - matches.filter((match) => match.day < day).length),
          take: page.filter((match) => match.day === day).length,
        }))
        assert.deepEqual(histogram.slice(window, skip, take), expected)
      },
    ),
    { numRuns: 500 },
  )
})

t.test('an empty histogram has no days, and says how large it is', async (t) => {
  const histogram = openHistogram()
  t.same(histogram.slice(ALWAYS, 0, 12), [])
  t.equal(histogram.count(ALWAYS), 0)
  t.equal(histogram.bytes(), 0)
  histogram.add(1, 0, 1)
  histogram.add(1, 3, 2)
  t.ok(histogram.bytes() >= 3 * 12)
})
