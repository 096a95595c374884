import t from 'tap'
import { datesAfter, datesOf, dueOf } from '../../../src/calendar/records/series/dates.ts'
import { recurrenceOf } from '../../../src/calendar/recurrence/recurrence.ts'

t.test('a series of several times a day has as many dates to come as it may, and more as they pass', (t) => {
  const start = '2020-01-01 10:00:00'
  const kept = { rrule: 'FREQ=DAILY;BYHOUR=10,12,14,16', rdate: [], exdate: [] }
  const recurrence = {
    ...recurrenceOf(kept, { start, zone: 'UTC', allDay: false }),
    since: '2026-11-21 12:00:00',
  }
  const at = (now: string) => ({ site: { occurrenceDays: 730 }, now: Date.parse(`${now}T11:00:00Z`) })
  const { dates, next_utc } = datesOf(at('2026-11-21'), recurrence, '')
  t.same([dates.length, dates.at(-1)], [1_500, '2027-12-01 10:00:00'])
  t.equal(next_utc, '2029-05-26 22:30:00', 'looked for when half of the time has passed')
  const more = datesAfter(at('2027-05-27'), recurrence, '2027-12-01 10:00:00', 1_500)
  t.equal(more.dates.length, 748)
  t.same(datesAfter(at('2040-01-01'), recurrence, '2027-12-01 10:00:00', 10_000), {
    dates: [],
    next_utc: null,
  })
  const due = (since: string, next_utc: string | null) =>
    dueOf({ post_id: 1, ...kept, until: '', since, next_utc }, '2028-01-01 10:00:00')
  t.same(
    [
      due('2026-11-21 12:00:00', next_utc),
      due('2026-11-21 12:00:00', '2027-01-01 00:00:00'),
      due('', next_utc),
    ],
    [next_utc, '2028-01-01 10:00:00', '2028-01-01 10:00:00'],
  )
  t.end()
})
