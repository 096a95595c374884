import t from 'tap'
import { expand } from '../../../src/calendar/recurrence/expansion.ts'
import { readRecurrence, split } from '../../../src/calendar/recurrence/recurrence.ts'
import type { Recurrence } from '../../../src/calendar/recurrence/rule.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const zone = 'Europe/Madrid'
const TO = '2046-12-31 23:59:59'
const read = (
  rrule: string,
  start = '2027-01-05 18:00:00',
  lists: { rdate?: string[]; exdate?: string[] } = {},
) =>
  readRecurrence({ rrule, ...lists }, { start, zone, allDay: start.endsWith(' 00:00:00') }, { toWall })
    .recurrence!
const shown = (part?: Recurrence) =>
  part && { start: part.start, rrule: part.rrule, rdate: part.rdate, exdate: part.exdate }
const datesOf = (part?: Recurrence) => (part ? expand(part, { to: TO }) : [])

t.test('a rule without an end ends with the last date before the split, and goes on as it was', async (t) => {
  const { before, from } = split(read('FREQ=WEEKLY;BYDAY=TU,TH'), '2027-01-14 18:00:00')
  const none = { rdate: [], exdate: [] }
  t.same(shown(before), {
    ...{ start: '2027-01-05 18:00:00', rrule: 'FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270112T180000' },
    ...none,
  })
  t.same(shown(from), { start: '2027-01-14 18:00:00', rrule: 'FREQ=WEEKLY;BYDAY=TU,TH', ...none })
})

t.test(
  'a counted rule is divided with its count, and added and excluded dates go to their side',
  async (t) => {
    const whole = read('FREQ=DAILY;COUNT=10', undefined, {
      rdate: ['2027-01-06 20:00:00', '2027-02-01 20:00:00'],
      exdate: ['2027-01-07 18:00:00', '2027-01-12 18:00:00'],
    })
    const { before, from } = split(whole, '2027-01-09 18:00:00')
    t.same(shown(before), {
      ...{ start: '2027-01-05 18:00:00', rrule: 'FREQ=DAILY;COUNT=4' },
      ...{ rdate: ['2027-01-06 20:00:00'], exdate: ['2027-01-07 18:00:00'] },
    })
    t.same(shown(from), {
      ...{ start: '2027-01-09 18:00:00', rrule: 'FREQ=DAILY;COUNT=6' },
      ...{ rdate: ['2027-02-01 20:00:00'], exdate: ['2027-01-12 18:00:00'] },
    })
  },
)

t.test('at the first date there is nothing before', async (t) => {
  const whole = read('FREQ=WEEKLY;COUNT=3')
  const { before, from } = split(whole, '2027-01-05 18:00:00')
  t.equal(before, undefined)
  t.same(from, whole)
})

t.test('a part with added dates alone begins with the first of them', async (t) => {
  const added = {
    rdate: ['2027-01-01 10:00:00', '2027-01-02 10:00:00', '2027-03-01 10:00:00', '2027-03-02 10:00:00'],
  }
  const whole = read('FREQ=WEEKLY;COUNT=3', undefined, added)
  t.same(shown(split(whole, '2027-01-05 18:00:00').before), {
    ...{
      start: '2027-01-01 10:00:00',
      rrule: 'FREQ=DAILY;COUNT=1',
      rdate: ['2027-01-02 10:00:00'],
      exdate: [],
    },
  })
  t.same(shown(split(whole, '2027-03-01 10:00:00').from), {
    ...{
      start: '2027-03-01 10:00:00',
      rrule: 'FREQ=DAILY;COUNT=1',
      rdate: ['2027-03-02 10:00:00'],
      exdate: [],
    },
  })
  t.equal(split(whole, '2028-01-01 00:00:00').from, undefined)
})

t.test('both parts together have the dates of the whole, at each of its dates', async (t) => {
  const wholes = [
    read('FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=TU,SU;UNTIL=20270801', undefined, {
      rdate: ['2027-01-01 09:00:00', '2027-01-20 09:00:00'],
      exdate: ['2027-01-19 18:00:00'],
    }),
    read('FREQ=MONTHLY;INTERVAL=3;BYDAY=MO,TU,WE;BYSETPOS=1,-1;COUNT=20', '2027-01-04 18:00:00'),
    read('FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1,53;UNTIL=20451231', '2026-12-28 18:00:00'),
    read('FREQ=DAILY;INTERVAL=3;BYHOUR=9,18;UNTIL=20270220', '2027-01-05 09:00:00'),
    read('FREQ=MONTHLY;BYMONTHDAY=31;UNTIL=20290101', '2027-01-31 00:00:00'),
  ]
  for (const whole of wholes) {
    const dates = datesOf(whole)
    t.ok(dates.length > 5, whole.rrule)
    for (const at of dates) {
      const { before, from } = split(whole, at)
      t.same([...datesOf(before), ...datesOf(from)], dates, `${whole.rrule} at ${at}`)
      for (const part of [before, from].filter((one) => one !== undefined)) {
        const { rrule, rdate, exdate } = part
        t.same(
          readRecurrence({ rrule, rdate, exdate }, part, { toWall }),
          { recurrence: part },
          'reads as itself',
        )
      }
    }
  }
})
