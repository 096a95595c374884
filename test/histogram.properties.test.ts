import fc from 'fast-check'
import t from 'tap'
import { ALWAYS, openHistogram } from '../src/store/index/histogram.ts'

type Entry = { day: number; days: number }
const entry = fc.record({
  day: fc.integer({ min: -5, max: 40 }),
  // a clock that is turned back may carry an end before its start
  days: fc.constantFrom(-1, 0, 0, 0, 1, 2, 7, 30),
})
const edge = fc.oneof(
  fc.integer({ min: -10, max: 60 }),
  fc.constant(Number.NEGATIVE_INFINITY),
  fc.constant(Number.POSITIVE_INFINITY),
)

t.test('counts and pages of any window are what a filter in memory gives', async (t) => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 60 }),
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

        const matches: Entry[] = entries
          .filter(
            ({ day, days }, at) =>
              !gone.has(at) && day >= from && day <= to && day + days >= endFrom && day + days <= endTo,
          )
          .sort((a, b) => a.day - b.day)
        t.equal(histogram.count(window), matches.length)
        const page = matches.slice(skip, skip + take)
        const expected = [...new Set(page.map(({ day }) => day))].map((day) => ({
          day,
          skip: Math.max(0, skip - matches.filter((match) => match.day < day).length),
          take: page.filter((match) => match.day === day).length,
        }))
        t.same(histogram.slice(window, skip, take), expected)
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
