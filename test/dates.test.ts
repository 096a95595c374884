import t from 'tap'
import * as dates from '../src/rules/dates.ts'

const utc = (iso: string) => Date.parse(iso)

t.test('days and months are counted on the calendar', async (t) => {
  t.equal(dates.startOfDay('2027-05-14 18:30:15'), '2027-05-14 00:00:00')
  t.equal(dates.endOfDay('2027-05-14 18:30:15'), '2027-05-14 23:59:59')
  t.equal(dates.addDays('2028-02-28 18:30:15', 2), '2028-03-01 18:30:15')
  t.equal(dates.addDays('2027-01-01 00:00:00', -1), '2026-12-31 00:00:00')
  t.equal(dates.addDays('9999-12-31 12:00:00', 1), '9999-12-31 23:59:59')
  t.equal(dates.addMonths('2027-01-31 10:00:00', 1), '2027-02-28 10:00:00')
  t.equal(dates.addMonths('2028-02-29 10:00:00', -12), '2027-02-28 10:00:00')
  t.equal(dates.addMonths('9999-12-01 10:00:00', 1), '9999-12-31 23:59:59')
})

t.test('the details of a date are zero-padded texts', async (t) => {
  const details = { year: '2027', month: '05', day: '04', hour: '08', minutes: '03', seconds: '09' }
  t.strictSame(dates.dateDetails('2027-05-04 08:03:09'), details)
})

t.test('the default window runs from yesterday to the day 24 months ahead, in the site zone', async (t) => {
  const table: [string, string, string, string][] = [
    ['2026-11-21T09:00:00Z', 'America/New_York', '2026-11-20', '2028-11-21'],
    ['2026-11-21T03:00:00Z', 'America/New_York', '2026-11-19', '2028-11-20'],
    ['2026-11-21T20:00:00Z', 'Asia/Tokyo', '2026-11-21', '2028-11-22'],
    ['2028-02-29T12:00:00Z', 'UTC', '2028-02-28', '2030-02-28'],
  ]
  for (const [now, zone, first, last] of table) {
    t.strictSame(
      dates.defaultWindow(utc(now), zone),
      { start: `${first} 00:00:00`, end: `${last} 23:59:59` },
      `${now} ${zone}`,
    )
  }
})
