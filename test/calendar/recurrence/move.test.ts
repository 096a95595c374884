import t from 'tap'
import { moveRecurrence, readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const TIMED = { start: '2027-05-11 18:00:00', zone: 'Europe/Madrid', allDay: false }
const ALL_DAY = { ...TIMED, start: '2027-05-11 00:00:00', allDay: true }
const read = (
  pattern: typeof TIMED,
  rdate: string[],
  exdate: string[],
  rrule = 'FREQ=DAILY;UNTIL=20270701',
) => readRecurrence({ rrule, rdate, exdate }, pattern, { toWall }).recurrence!
const timed = read(TIMED, ['2027-08-01 10:00:00', '2027-08-02 23:30:00'], ['2027-05-18 18:00:00'])

t.test('a new time of day moves the dates beside the rule and its end', async (t) => {
  t.same(moveRecurrence(timed, { ...TIMED, start: '2027-05-11 19:30:00' }), {
    rrule: 'FREQ=DAILY;UNTIL=20270701T193000',
    rdate: ['2027-08-01 11:30:00', '2027-08-03 01:00:00'],
    exdate: ['2027-05-18 19:30:00'],
  })
})

t.test('a new day moves them by days', async (t) => {
  t.same(moveRecurrence(timed, { ...TIMED, start: '2027-05-09 18:00:00' }), {
    rrule: 'FREQ=DAILY;UNTIL=20270629T180000',
    rdate: ['2027-07-30 10:00:00', '2027-07-31 23:30:00'],
    exdate: ['2027-05-16 18:00:00'],
  })
})

t.test('a new zone keeps the wall clock', async (t) => {
  const { rrule, rdate, exdate } = timed
  t.same(moveRecurrence(timed, { ...TIMED, zone: 'Asia/Tokyo' }), { rrule, rdate, exdate })
})

t.test('what becomes all-day has days, and what gets a time has it everywhere', async (t) => {
  t.same(moveRecurrence(timed, ALL_DAY), {
    rrule: 'FREQ=DAILY;UNTIL=20270701',
    rdate: ['2027-08-01', '2027-08-02'],
    exdate: ['2027-05-18'],
  })
  t.same(moveRecurrence(read(ALL_DAY, ['2027-08-01'], ['2027-05-18']), TIMED), {
    rrule: 'FREQ=DAILY;UNTIL=20270701T180000',
    rdate: ['2027-08-01 18:00:00'],
    exdate: ['2027-05-18 18:00:00'],
  })
})

t.test('a rule without an end or with a count has nothing to move', async (t) => {
  for (const rrule of ['FREQ=DAILY', 'FREQ=DAILY;COUNT=4'])
    t.equal(
      moveRecurrence(read(TIMED, [], [], rrule), { ...TIMED, start: '2027-05-12 09:00:00' }).rrule,
      rrule,
    )
})

t.test('what has moved reads for the new start, with as many dates', async (t) => {
  const to = { ...TIMED, start: '2027-05-12 00:15:00', zone: 'America/New_York' }
  const { recurrence } = readRecurrence(moveRecurrence(timed, to), to, { toWall })
  t.same(moveRecurrence(recurrence!, TIMED), { rrule: timed.rrule, rdate: timed.rdate, exdate: timed.exdate })
})
