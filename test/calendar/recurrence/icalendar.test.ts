import t from 'tap'
import {
  dateValues,
  readDateValues,
  readRecurrence,
  rruleValue,
} from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const TIMED = { start: '2027-05-11 18:00:00', zone: 'Europe/Madrid', allDay: false }
const ALL_DAY = { ...TIMED, start: '2027-05-11 00:00:00', allDay: true }
const read = (rrule: string, pattern = TIMED) => readRecurrence({ rrule }, pattern, { toWall }).recurrence!

t.test('UNTIL is in UTC beside a start with a zone, and a date beside a date', async (t) => {
  t.equal(rruleValue(read('FREQ=WEEKLY;UNTIL=20270601')), 'FREQ=WEEKLY;UNTIL=20270601T160000Z')
  t.equal(rruleValue(read('FREQ=WEEKLY;UNTIL=20271201')), 'FREQ=WEEKLY;UNTIL=20271201T170000Z')
  t.equal(rruleValue(read('FREQ=WEEKLY;UNTIL=20270601', ALL_DAY)), 'FREQ=WEEKLY;UNTIL=20270601')
  t.equal(rruleValue(read('FREQ=WEEKLY;COUNT=3')), 'FREQ=WEEKLY;COUNT=3')
})

t.test('a printed rule reads as the same', async (t) => {
  for (const [rrule, pattern] of [
    ['FREQ=MONTHLY;BYDAY=2TU,-1SU;BYSETPOS=1;UNTIL=20291231', TIMED],
    ['FREQ=DAILY;BYHOUR=18,20;UNTIL=20270601T190000', TIMED],
    ['FREQ=YEARLY;UNTIL=20310511', ALL_DAY],
  ] as const) {
    const recurrence = read(rrule, pattern)
    t.same(read(rruleValue(recurrence), pattern), recurrence)
  }
})

t.test('dates are printed as local times or days, and read as the same', async (t) => {
  const times = ['2027-05-12 18:00:00', '2027-06-01 09:30:00']
  t.equal(dateValues(times), '20270512T180000,20270601T093000')
  t.same(readDateValues(dateValues(times), TIMED), { dates: times, unread: [] })
  t.equal(dateValues(['2027-05-12', '2027-06-01']), '20270512,20270601')
  t.same(readDateValues('20270512,20270601', ALL_DAY), { dates: ['2027-05-12', '2027-06-01'], unread: [] })
})

t.test('times of UTC and of other zones are brought to the zone of the event', async (t) => {
  const datesOf = (value: string, tzid?: string, pattern = TIMED) =>
    readDateValues(value, pattern, tzid).dates
  t.same(datesOf('20270512T160000Z'), ['2027-05-12 18:00:00'])
  t.same(datesOf('20270512T160000Z', 'America/New_York'), ['2027-05-12 18:00:00'])
  t.same(datesOf('20270512T120000', 'America/New_York'), ['2027-05-12 18:00:00'])
  t.same(datesOf('20270512T120000', 'Europe/Madrid'), ['2027-05-12 12:00:00'])
  t.same(datesOf('20270512', 'America/New_York'), ['2027-05-12 18:00:00'])
  t.same(datesOf('20270512T230000Z', undefined, ALL_DAY), ['2027-05-12'])
})

t.test('a date stands for its time of the event, a period for its start, and the rest is told', async (t) => {
  t.same(readDateValues('20270512,20270513T180000/PT1H,20270532,', TIMED), {
    dates: ['2027-05-12 18:00:00', '2027-05-13 18:00:00'],
    unread: ['20270532', ''],
  })
})
