import t from 'tap'
import { Bits } from '../../../src/calendar/index/bits.ts'
import { openCalendar } from '../../../src/calendar/index/calendar.ts'
import { TRAIT_BITS } from '../../../src/calendar/index/columns.ts'
import type { Listed } from '../../../src/calendar/lists/selections/listed.ts'
import { openPages } from '../../../src/calendar/lists/selections/pages.ts'
import type { Selection } from '../../../src/calendar/lists/selections/selection.ts'
import { openWindows } from '../../../src/calendar/lists/selections/windows.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'

const DAY = 86_400
const ALL: Selection = {
  ...{ statuses: ['publish'], flags: {}, links: {}, dates: [] },
  order: { by: 'start', descending: false },
}

t.test('a page of many events is made in steps, and a small one in one', async (t) => {
  const calendar = openCalendar()
  calendar.clear(3_000)
  for (let id = 1; id <= 3_000; id++) {
    const starts = Math.floor(id / 100) * DAY
    calendar.put({
      ...{ id, traits: TRAIT_BITS.publish, language: 'en', author: 1, parent: 0 },
      ...{ starts, ends: starts + 60, utcStarts: starts, utcEnds: starts + 60, modified: 0 },
    })
  }
  calendar.fill()
  const members = new Bits(3_000)
  for (let id = 1; id <= 3_000; id++) members.add(calendar.rowOf(id))
  const histogram = finish(calendar.tally(members))
  const listed = { calendar } as unknown as Listed
  const pages = openPages({} as never, listed, openWindows(listed))
  const read = (per_page: number, descending = false) => {
    const selection = { ...ALL, order: { ...ALL.order, descending } }
    const steps = pages.of(selection, { members, histogram }, { page: 1, per_page })
    for (let pauses = 0; ; pauses++) {
      const { done, value } = steps.next()
      if (done) return { pauses, total: value!.total, first: value!.ids[0], count: value!.ids.length }
    }
  }
  t.same(read(50), { pauses: 0, total: 3_000, first: 1, count: 50 })
  t.match(read(3_000), { total: 3_000, first: 1, count: 3_000 })
  t.ok(read(3_000).pauses >= 2)
  t.match(read(3_000, true), { first: 3_000, count: 3_000 })
  const days: Selection['dates'] = [
    { side: 'end', than: '>=', value: 5 * DAY, utc: false },
    { side: 'start', than: '<', value: 26 * DAY, utc: false },
  ]
  const spans = pages.spans({ ...ALL, dates: days }, { members, histogram })
  t.notOk(spans.next().done, 'so are the days of a calendar')
  t.notOk(spans.next().done)
  const found = spans.next()
  t.ok(found.done)
  t.same(
    (found.value ?? []).map(({ id }) => id),
    Array.from({ length: 2_100 }, (_, at) => 500 + at),
  )
  t.same(pages.byDayNow(ALL, { members, histogram }, { page: 2, per_page: 3 }).ids, [4, 5, 6])
})
