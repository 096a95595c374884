import t from 'tap'
import { daysNamed, NAMED_DAYS } from '../../src/calendar/days.ts'

t.test('days have names that mean others on each day of the week', async (t) => {
  // Friday, 27 February 2026, and the days after it
  for (const [today, weekend] of [
    ['2026-02-27', ['2026-02-28', '2026-03-01']],
    ['2026-02-28', ['2026-02-28', '2026-03-01']],
    ['2026-03-01', ['2026-03-01', '2026-03-01']],
    ['2026-03-02', ['2026-03-07', '2026-03-08']],
    ['1969-12-31', ['1970-01-03', '1970-01-04']],
  ] as const)
    t.same(Object.values(daysNamed('weekend', today)), weekend, today)
  t.same(
    NAMED_DAYS.map((name) => Object.values(daysNamed(name, '2026-12-31'))),
    [
      ['2026-12-31', '2026-12-31'],
      ['2027-01-01', '2027-01-01'],
      ['2027-01-02', '2027-01-03'],
      ['2026-12-31', '2027-01-06'],
    ],
  )
})
