import t from 'tap'
import * as wall from '../../desk/rules/wall.ts'
import { isWhole, readTime } from '../../desk/rules/wall.ts'

t.test('days and moments are counted by the clock on the wall', async (t) => {
  t.equal(wall.addDays('2026-12-30', 3), '2027-01-02')
  t.equal(wall.daysBetween('2026-03-28', '2026-03-30'), 2, 'also where clocks change')
  t.equal(wall.moveWall('2026-03-28 02:30:00', 1), '2026-03-29 02:30:00')
  t.same(wall.addMinutes({ day: '2026-12-31', time: '23:30' }, 45), { day: '2027-01-01', time: '00:15' })
  t.same(wall.addMinutes({ day: '2027-01-01', time: '00:15' }, -45), { day: '2026-12-31', time: '23:30' })
  t.equal(wall.minutesBetween({ day: '2026-12-31', time: '23:30' }, { day: '2027-01-01', time: '00:15' }), 45)
  t.same(wall.addMinutes({ day: '2026-12-31', time: '' }, 5), { day: '2026-12-31', time: '00:05' })
})

t.test('only days that exist are days', async (t) => {
  t.ok(wall.isDay('2028-02-29'))
  for (const text of ['', '2026-02-29', '2026-2-1', '2026-13-01', 'tomorrow']) t.notOk(wall.isDay(text), text)
})

t.test('today is that of a zone', async (t) => {
  const late = Date.parse('2026-11-21T23:30:00Z')
  t.equal(wall.today(late, 'Europe/Madrid'), '2026-11-22')
  t.equal(wall.today(late, 'America/New_York'), '2026-11-21')
  t.equal(wall.asUtc('2026-11-21 20:00:00'), Date.parse('2026-11-21T20:00:00Z'))
  t.equal(wall.asUtc('2026-11-21'), Date.parse('2026-11-21T00:00:00Z'))
})

t.test('a month has whole weeks, from the day that begins them', async (t) => {
  t.equal(wall.addMonths('2026-12', 1), '2027-01')
  t.equal(wall.addMonths('2026-01', -1), '2025-12')
  const monday = wall.weeksOf('2026-11', 1)
  t.equal(monday.length, 6)
  t.same([monday[0]![0], monday.at(-1)!.at(-1)], ['2026-10-26', '2026-12-06'])
  const sunday = wall.weeksOf('2026-11', 7)
  t.same([sunday.length, sunday[0]![0], sunday.at(-1)!.at(-1)], [5, '2026-11-01', '2026-12-05'])
})

t.test('a time of day is read as people type it', async (t) => {
  for (const [typed, time] of [
    ['20:00', '20:00'],
    [' 8.30 pm ', '20:30'],
    ['8:00\u202fPM', '20:00'],
    ['8:00 p. m.', '20:00'],
    ['12 am', '00:00'],
    ['20h', '20:00'],
    ['20h30', '20:30'],
    ['9', '09:00'],
    ['930', '09:30'],
    ['2030', '20:30'],
    ...['', 'noon', '25:00', '20:60', '13 pm', '0 am', '20:3', '20:000'].map(
      (text) => [text, undefined] as const,
    ),
  ] as const)
    t.equal(readTime(typed), time, typed)
  t.same(['9:3', '9:30', '2030', '8:30 p', '8:30 pm'].map(isWhole), [false, true, false, false, true])
})
