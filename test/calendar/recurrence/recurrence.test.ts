import t from 'tap'
import {
  type RecurrenceInput,
  readRecurrence,
  recurrenceOf,
} from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const zone = 'Europe/Madrid'
const TIMED = { start: '2027-05-11 18:00:00', zone, allDay: false }
const ALL_DAY = { start: '2027-05-11 00:00:00', zone, allDay: true }
const read = (sent: RecurrenceInput, pattern = TIMED) => readRecurrence(sent, pattern, { toWall }).recurrence!
const rruleOf = (rrule: string, pattern = TIMED) => read({ rrule }, pattern).rrule

t.test('a rule is kept in one way of writing', async (t) => {
  const written = ' rrule:wkst=mo;count=5;byday=we,2tu,tu,+2TU,-1su;interval=1;freq=monthly; '
  t.equal(rruleOf(written), 'FREQ=MONTHLY;BYDAY=TU,WE,2TU,-1SU;COUNT=5')
  const parts = 'BYSETPOS=-1,2,1;BYSECOND=0;BYMINUTE=0,0;BYHOUR=18;BYMONTHDAY=-1,11,-2;BYMONTH=12,5;WKST=SU'
  t.equal(
    rruleOf(`FREQ=YEARLY;INTERVAL=02;${parts}`),
    'FREQ=YEARLY;INTERVAL=2;BYMONTH=5,12;BYMONTHDAY=11,-2,-1;BYHOUR=18;BYMINUTE=0;BYSECOND=0;BYSETPOS=1,2,-1;WKST=SU',
  )
  t.equal(rruleOf('FREQ=YEARLY;BYWEEKNO=19;BYYEARDAY=131'), 'FREQ=YEARLY;BYWEEKNO=19;BYYEARDAY=131')
})

t.test('what was read reads as itself', async (t) => {
  for (const rrule of [
    'FREQ=WEEKLY;UNTIL=20270701T160000Z',
    'FREQ=DAILY;BYHOUR=18,20;UNTIL=20270701T190000',
  ]) {
    const recurrence = read({ rrule, rdate: ['20270512T190000'], exdate: ['20270518T180000'] })
    t.same(read({ rrule: recurrence.rrule, rdate: recurrence.rdate, exdate: recurrence.exdate }), recurrence)
  }
})

t.test('UNTIL is the last time of the start that it lets through, in whatever form it comes', async (t) => {
  const untilOf = (until: string, pattern = TIMED) =>
    rruleOf(`FREQ=WEEKLY;UNTIL=${until}`, pattern).split('UNTIL=')[1]
  t.equal(untilOf('20270601'), '20270601T180000')
  t.equal(untilOf('2027-06-01'), '20270601T180000')
  t.equal(untilOf('20270601T180000'), '20270601T180000')
  t.equal(untilOf('20270601T235959'), '20270601T180000')
  t.equal(untilOf('20270601T175959'), '20270531T180000')
  t.equal(untilOf('20270601T160000Z'), '20270601T180000') // 18:00 in Madrid
  t.equal(untilOf('20270601T155959Z'), '20270531T180000')
  t.equal(untilOf('20270601', ALL_DAY), '20270601')
  t.equal(untilOf('20270601T000000', ALL_DAY), '20270601')
  t.equal(untilOf('20270601T000000Z', ALL_DAY), '20270601')
})

t.test('UNTIL stays a time where the rule gives the times', async (t) => {
  const pattern = { ...TIMED, start: '2027-05-11 09:30:15' }
  for (const parts of ['BYHOUR=9,20', 'BYMINUTE=30,40', 'BYSECOND=15,16'])
    t.equal(
      rruleOf(`FREQ=DAILY;${parts};UNTIL=20270601T123000`, pattern),
      `FREQ=DAILY;${parts};UNTIL=20270601T123000`,
    )
})

t.test('lists are in order and without doubles, in the forms of this API and of iCalendar', async (t) => {
  const sent = ['20270601T180000', '2027-05-12T19:00:00', '2027-05-12 19:00:00', ' 2027-04-01 10:00:00 ']
  const { rdate, exdate } = read({ rrule: 'FREQ=WEEKLY', rdate: sent, exdate: ['2027-05-18 18:00:00'] })
  t.same(rdate, ['2027-04-01 10:00:00', '2027-05-12 19:00:00', '2027-06-01 18:00:00'])
  t.same(exdate, ['2027-05-18 18:00:00'])
  const days = read(
    { rrule: 'FREQ=WEEKLY', rdate: ['20270601', '2027-05-12', '2027-05-13 00:00:00'] },
    ALL_DAY,
  )
  t.same(days.rdate, ['2027-05-12', '2027-05-13', '2027-06-01'])
})

t.test('without a rule, the start and the added dates are all there is', async (t) => {
  const { rrule, rdate } = read({ rdate: ['2027-05-20 18:00:00'] })
  t.same({ rrule, rdate }, { rrule: 'FREQ=DAILY;COUNT=1', rdate: ['2027-05-20 18:00:00'] })
})

t.test('an excluded date that the rule does not give does no harm', async (t) => {
  t.same(read({ rrule: 'FREQ=WEEKLY', exdate: ['2027-05-12 18:00:00'] }).exdate, ['2027-05-12 18:00:00'])
})

t.test('what was kept is read without being judged again', async (t) => {
  const first = read({ rrule: 'FREQ=WEEKLY;UNTIL=20270518T160000Z', rdate: ['2027-05-12 19:00:00'] })
  const { rrule, rdate } = first
  t.same(recurrenceOf({ rrule, rdate, exdate: [] }, TIMED), first)
  const exdate = ['2027-05-11 18:00:00', '2027-05-12 19:00:00', '2027-05-18 18:00:00']
  t.same(recurrenceOf({ rrule, rdate, exdate }, TIMED), { ...first, exdate })
  t.equal(recurrenceOf({ rrule: 'FREQ=DAILY;COUNT=2000', rdate, exdate }, TIMED).rule.count, 2_000)
})

t.test('what can not have been kept throws', async (t) => {
  const lists = { rdate: [], exdate: [] }
  t.throws(() => recurrenceOf({ rrule: 'FREQ=NEVER', ...lists }, TIMED), {
    message: 'rrule.FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "NEVER".',
  })
  t.throws(() => recurrenceOf({ rrule: 'FREQ=DAILY;UNTIL=20270518T160000Z', ...lists }, TIMED), {
    message: 'Not local time: FREQ=DAILY;UNTIL=20270518T160000Z',
  })
})
