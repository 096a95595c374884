import t from 'tap'
import { occurrenceOf, occurrences, readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const read = (rrule: string, start: string, zone: string, allDay = false) =>
  readRecurrence({ rrule }, { start, zone, allDay }, { toWall }).recurrence!
const shown = (rrule: string, start: string, zone: string, allDay = false) =>
  occurrences(read(rrule, start, zone, allDay)).map(
    ({ recurrenceId, start, utc }) => `${recurrenceId} | ${start} | ${utc}`,
  )

t.test('18:00 stays 18:00 over changes of the clocks', async (t) => {
  t.same(shown('FREQ=WEEKLY;COUNT=2', '2027-03-23 18:00:00', 'Europe/Madrid'), [
    '2027-03-23 18:00:00 | 2027-03-23 18:00:00 | 2027-03-23 17:00:00',
    '2027-03-30 18:00:00 | 2027-03-30 18:00:00 | 2027-03-30 16:00:00',
  ])
})

t.test('a time in a gap moves forward by it and keeps its identity; later dates do not follow', async (t) => {
  t.same(shown('FREQ=DAILY;COUNT=3', '2027-03-27 02:30:00', 'Europe/Madrid'), [
    '2027-03-27 02:30:00 | 2027-03-27 02:30:00 | 2027-03-27 01:30:00',
    '2027-03-28 02:30:00 | 2027-03-28 03:30:00 | 2027-03-28 01:30:00',
    '2027-03-29 02:30:00 | 2027-03-29 02:30:00 | 2027-03-29 00:30:00',
  ])
  t.same(shown('FREQ=WEEKLY;COUNT=2', '2026-10-04 02:15:00', 'Australia/Lord_Howe'), [
    '2026-10-04 02:15:00 | 2026-10-04 02:45:00 | 2026-10-03 15:45:00',
    '2026-10-11 02:15:00 | 2026-10-11 02:15:00 | 2026-10-10 15:15:00',
  ])
})

t.test('of a repeated hour it is the first', async (t) => {
  t.same(shown('FREQ=DAILY;COUNT=2', '2027-10-30 02:30:00', 'Europe/Madrid'), [
    '2027-10-30 02:30:00 | 2027-10-30 02:30:00 | 2027-10-30 00:30:00',
    '2027-10-31 02:30:00 | 2027-10-31 02:30:00 | 2027-10-31 00:30:00',
  ])
})

t.test('a day whose midnight or whole is left out by the clocks is a date as well', async (t) => {
  t.same(shown('FREQ=DAILY;COUNT=2', '2018-11-03 00:00:00', 'America/Sao_Paulo', true), [
    '2018-11-03 | 2018-11-03 00:00:00 | 2018-11-03 03:00:00',
    '2018-11-04 | 2018-11-04 01:00:00 | 2018-11-04 03:00:00',
  ])
  t.same(shown('FREQ=DAILY;COUNT=2', '2011-12-29 18:00:00', 'Pacific/Apia'), [
    '2011-12-29 18:00:00 | 2011-12-29 18:00:00 | 2011-12-30 04:00:00',
    '2011-12-30 18:00:00 | 2011-12-31 18:00:00 | 2011-12-31 04:00:00',
  ])
})

t.test('a date that was added is one like the others', async (t) => {
  const pattern = { zone: 'UTC+5.5', allDay: false }
  t.same(occurrenceOf(pattern, '2027-05-11 18:00:00'), {
    recurrenceId: '2027-05-11 18:00:00',
    start: '2027-05-11 18:00:00',
    utc: '2027-05-11 12:30:00',
  })
})
