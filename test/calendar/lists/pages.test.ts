import t from 'tap'
import { type LiveIndex, openEventIndex, TRAIT_BITS } from '../../../src/calendar/index/event-index.ts'
import { Bitmap } from '../../../src/calendar/index/rows.ts'
import { type CandidateSet, openPaging } from '../../../src/calendar/lists/paging.ts'
import type { ResolvedSelection } from '../../../src/calendar/lists/selection.ts'
import { finish } from '../../../src/kernel/tasks/scheduler.ts'

const DAY = 86_400
const ALL: ResolvedSelection = {
  ...{ statuses: ['publish'], flags: {}, links: {}, dates: [] },
  order: { by: 'start', descending: false },
}

t.test('a page of many events is made in steps, and a small one in one', async (t) => {
  const index = openEventIndex()
  index.clear(3_000)
  for (let id = 1; id <= 3_000; id++) {
    const starts = Math.floor(id / 100) * DAY
    index.put({
      ...{ id, traits: TRAIT_BITS.publish, language: 'en', author: 1, parent: 0 },
      ...{ starts, ends: starts + 60, utcStarts: starts, utcEnds: starts + 60, modified: 0 },
    })
  }
  index.fill()
  const members = new Bitmap(3_000)
  for (let id = 1; id <= 3_000; id++) members.add(index.rowOf(id))
  const histogram = finish(index.countByDay(members))
  const live = { index } as unknown as LiveIndex
  const set = { events: members, histogram } as unknown as CandidateSet
  function* get() {
    yield* [] // no step
    return set
  }
  const pages = openPaging({} as never, live, { get, getCounted: get, rowsOf: undefined as never })
  const read = (per_page: number, descending = false) => {
    const selection = { ...ALL, order: { ...ALL.order, descending } }
    const steps = pages.find(selection, { page: 1, per_page })
    for (let pauses = 0; ; pauses++) {
      const { done, value } = steps.next()
      if (done) return { pauses, total: value!.total, first: value!.ids[0], count: value!.ids.length }
    }
  }
  t.same(read(50), { pauses: 0, total: 3_000, first: 1, count: 50 })
  t.match(read(3_000), { total: 3_000, first: 1, count: 3_000 })
  t.ok(read(3_000).pauses >= 2)
  t.match(read(3_000, true), { first: 3_000, count: 3_000 })
  const days: ResolvedSelection['dates'] = [
    { side: 'end', than: '>=', value: 5 * DAY, utc: false },
    { side: 'start', than: '<', value: 26 * DAY, utc: false },
  ]
  const spans = pages.spans({ ...ALL, dates: days })
  t.notOk(spans.next().done, 'so are the days of a calendar')
  t.notOk(spans.next().done)
  const found = spans.next()
  t.ok(found.done)
  t.same(
    (found.value ?? []).map(({ id }) => id),
    Array.from({ length: 2_100 }, (_, at) => 500 + at),
  )
  t.same(pages.atOnce(ALL, set, { page: 2, per_page: 3 })?.ids, [4, 5, 6])
})
