import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { DateLimit } from '../../../src/calendar/index/day-histogram.ts'
import { type LiveIndex, openEventIndex, TRAIT_BITS } from '../../../src/calendar/index/event-index.ts'
import { Bitmap } from '../../../src/calendar/index/rows.ts'
import { openWindowBitmaps } from '../../../src/calendar/index/sort-orders.ts'
import { type CandidateSet, openPaging } from '../../../src/calendar/lists/paging.ts'
import type { ResolvedSelection } from '../../../src/calendar/lists/selection.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'

const DAY = 86_400
const EVENTS = 30_000
const DAYS = 300
const ALL: ResolvedSelection = {
  ...{ statuses: ['publish'], flags: {}, links: {}, dates: [] },
  order: { by: 'start', descending: false },
}
type Move = { id: number; row: number }

/** Many events, up to four days long, and a journal of writes to them. `put` moves an event to a day, `remove` takes it away. */
function openMany() {
  const index = openEventIndex()
  const moves: (Move | undefined)[] = []
  const putQuietly = (id: number, day: number) => {
    const starts = day * DAY + (id % 7) * 3_600
    const ends = starts + (id % 4) * DAY + 60
    index.put({
      ...{ id, traits: TRAIT_BITS.publish, language: 'en', author: 1, parent: 0 },
      ...{ starts, ends, utcStarts: starts, utcEnds: ends, modified: 0 },
    })
  }
  index.clear(EVENTS)
  for (let id = 1; id <= EVENTS; id++) putQuietly(id, (id * 7_919) % DAYS)
  index.fill()
  const journal = { end: () => moves.length, at: (number: number) => moves[number] }
  const live = { index, journal } as unknown as LiveIndex
  return {
    ...{ index, live, moves },
    put(id: number, day: number) {
      putQuietly(id, day)
      moves.push({ id, row: index.rowOf(id) })
    },
    remove(id: number) {
      moves.push({ id, row: index.rowOf(id) })
      index.remove(id)
    },
  }
}

const starting = (than: DateLimit['than'], day: number): DateLimit => ({ side: 'start', than, value: day * DAY, utc: false }) // biome-ignore format: one limit
const ending = (than: DateLimit['than'], day: number): DateLimit => ({ side: 'end', than, value: day * DAY - 1, utc: false }) // biome-ignore format: one limit

t.test('a page of a large set that is not counted by day is the one of counts', async (t) => {
  const { index, live } = openMany()
  const members = new Bitmap(EVENTS)
  for (let row = 0; row < EVENTS; row++) if (row % 3 !== 0) members.add(row)
  const histogram = finish(index.countByDay(members))
  let made = 0
  let counted = 0
  let own = { events: members } as unknown as CandidateSet
  const pages = openPaging({} as never, live, {
    *get() {
      yield* [] // no step
      return { ...own }
    },
    *getCounted() {
      yield* []
      counted++
      return { ...own, histogram }
    },
    rowsOf: undefined as never,
  })
  const day = fc.integer({ min: -5, max: DAYS + 5 })
  const limit = fc.oneof(
    fc.tuple(fc.constantFrom('>=' as const, '<' as const), day).map((own) => starting(...own)),
    fc.tuple(fc.constantFrom('>' as const, '<=' as const), day).map((own) => ending(...own)),
  )
  fc.assert(
    fc.property(
      fc.array(limit, { maxLength: 3 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 700 }),
      (dates, descending, number, per_page) => {
        const selection = { ...ALL, dates, order: { ...ALL.order, descending } }
        const page = { page: number, per_page }
        const right = pages.atOnce(selection, { ...own, histogram }, page)
        // the second time by the events of these dates
        for (let times = 0; times < 2; times++) {
          counted = 0
          assert.deepEqual(finish(pages.find(selection, page)), right)
          if (counted === 0) made++
          assert.ok(counted === 0 || descending || number * per_page > 500 || dates.length > 0)
        }
      },
    ),
    { numRuns: 300 },
  )
  t.ok(made > 50)
  const exact: DateLimit = { side: 'start', than: '>=', value: 5 * DAY + 7, utc: false }
  counted = 0
  finish(pages.find({ ...ALL, dates: [exact] }, { page: 1, per_page: 5 }))
  t.equal(counted, 1)
  const few = new Bitmap(EVENTS)
  for (const row of index.startingIn(2 * (DAYS - 1))) few.add(row)
  for (let row = 0; row < EVENTS; row++) if (index.startOf(row) > 2 * (DAYS - 60)) few.add(row)
  t.ok(few.count() > 5_000)
  own = { ...own, events: few }
  finish(pages.find(ALL, { page: 1, per_page: 5 }))
  t.equal(counted, 2, 'the first of them come too late')
})

t.test('the events within dates are kept from the second time on, and follow writes', async (t) => {
  const { index, live, moves, put, remove } = openMany()
  const windows = openWindowBitmaps(live)
  const dates = [starting('>=', 100), ending('<=', 200)]
  const isRight = () => {
    const isWithin = index.within(dates)
    const found = finish(windows.get(dates))!
    for (let row = 0; row < index.size(); row++)
      if (index.idOf(row) !== 0 && found.has(row) !== isWithin(row)) return false
    return true
  }
  t.notOk(windows.has(dates))
  t.equal(finish(windows.get(dates)), undefined)
  t.ok(windows.has(dates))
  t.ok(isRight())
  put(1, 150)
  put(2, 10)
  put(EVENTS + 1, 120)
  remove(3)
  put(EVENTS + 2, 130)
  t.ok(isRight())
  // as if too many were written to know them all; then two make it at once, while more is written
  moves.push(undefined)
  put(4, 150)
  const [own, other] = [windows.get(dates), windows.get(dates)]
  t.notOk(own.next().done)
  put(5, 150)
  t.notOk(other.next().done)
  put(6, 150)
  t.equal(finish(own)?.has(index.rowOf(5)), true)
  t.equal(finish(other)?.has(index.rowOf(6)), true)
  t.ok(isRight())
})
