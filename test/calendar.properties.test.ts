import fc from 'fast-check'
import t from 'tap'
import { openCalendar } from '../src/store/index/calendar.ts'
import type { Entry } from '../src/store/index/columns.ts'
import { finish } from '../src/store/lists/slices.ts'

const DAY = 86_400
const NONE = { traits: 1, language: 'en', author: 1, parent: 0 }
const entry = fc.record({
  id: fc.integer({ min: 1, max: 60 }),
  starts: fc.constantFrom(-DAY, -1, 0, 1, DAY - 1, DAY, 3 * DAY),
  lasts: fc.constantFrom(0, 3_600, DAY - 1, 5 * DAY),
})

t.test('events that are read at once stand on the same days as those that came one by one', async (t) => {
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
          for (let half = -4; half < 10; half++) found.push(...[...calendar.at(half)].map(calendar.idOf))
          t.same(
            found,
            left.map(({ id }) => id),
          )
          const histogram = finish(calendar.tally(calendar.select({ statuses: ['publish'], flags: {} })))
          for (const { id } of left) {
            const startOf = (id: number) => calendar.startOf(calendar.rowOf(id))
            const lengthOf = (id: number) => calendar.lengthOf(calendar.rowOf(id))
            const day = { from: startOf(id), to: startOf(id) }
            const end = day.from + lengthOf(id)
            const same = left.filter((other) => startOf(other.id) === day.from)
            const alike = same.filter((other) => lengthOf(other.id) === lengthOf(id))
            t.equal(histogram.count({ ...day, endFrom: -Infinity, endTo: Infinity }), same.length)
            t.equal(histogram.count({ ...day, endFrom: end, endTo: end }), alike.length)
          }
        }
      },
    ),
    { numRuns: 200 },
  )
})
