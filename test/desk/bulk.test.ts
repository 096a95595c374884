import t from 'tap'
import { type Change, changeOf, isEmpty, NO_CHANGE } from '../../desk/rules/bulk.ts'
import type { EventRecord } from '../../desk/rules/event.ts'

const ref = (id: number) => ({ id, name: `${id}` })
const EVENT = {
  categories: [ref(1), ref(2)],
  tags: [] as { id: number; name: string }[],
  venue: { id: 7, venue: 'Hall' },
  ...{ featured: false, event_status: 'scheduled', all_day: false, timezone: 'Europe/Madrid' },
  ...{ start_date: '2026-12-31 20:00:00', end_date: '2027-01-01 02:00:00' },
} as EventRecord
const change = (more: Partial<Change>) => changeOf(EVENT, { ...NO_CHANGE, ...more })

t.test('a change of several events has what changes of each, and what that was before', async (t) => {
  t.same(change({}), { body: {}, before: {} })
  t.same(change({ add: { categories: [ref(2), ref(3)], tags: [ref(9)] } }), {
    body: { categories: [1, 2, 3], tags: [9] },
    before: { categories: [1, 2], tags: [] },
  })
  t.same(change({ remove: { categories: [ref(1), ref(5)], tags: [ref(9)] } }), {
    body: { categories: [2] },
    before: { categories: [1, 2] },
  })
  t.same(change({ venue: 8, featured: true, event_status: 'cancelled' }), {
    body: { venue: [8], featured: true, event_status: 'cancelled' },
    before: { venue: [7], featured: false, event_status: 'scheduled' },
  })
  t.same(change({ venue: 7, featured: false, event_status: 'scheduled' }), { body: {}, before: {} })
  const at = { all_day: false, timezone: 'Europe/Madrid' }
  t.same(change({ days: 1 }), {
    body: { start_date: '2027-01-01 20:00:00', end_date: '2027-01-02 02:00:00', ...at },
    before: { start_date: '2026-12-31 20:00:00', end_date: '2027-01-01 02:00:00', ...at },
  })
})

t.test('a date of a series follows it again in what it did not have for itself', async (t) => {
  const date = { ...EVENT, series: 4, overrides: ['title'] }
  t.same(changeOf(date, { ...NO_CHANGE, featured: true }).before, { featured: false, overrides: ['title'] })
  const { overrides: _, ...plain } = date
  t.same(changeOf(plain, { ...NO_CHANGE, featured: true }).before.overrides, [])
  t.same(changeOf(date, NO_CHANGE), { body: {}, before: {} })
})

t.test('a change of nothing is known as one', async (t) => {
  t.equal(isEmpty(NO_CHANGE), true)
  t.equal(isEmpty({ ...NO_CHANGE, days: 0 }), true)
  for (const more of [
    { days: -1 },
    { venue: 1 },
    { featured: false },
    { event_status: 'cancelled' },
    { add: { categories: [], tags: [ref(1)] } },
  ])
    t.equal(isEmpty({ ...NO_CHANGE, ...more }), false, JSON.stringify(more))
})
