import t from 'tap'
import {
  type EventForm,
  type EventRecord,
  emptyForm,
  fieldOf,
  memberOf,
  toBody,
  toForm,
} from '../../desk/rules/event.ts'
import {
  daysOfMonth,
  firstRule,
  fitted,
  meaningOf,
  movedRule,
  printSimple,
  readSimple,
} from '../../desk/rules/repeat.ts'
import { countFollowing, sentRepetition, seriesPattern } from '../../desk/rules/series.ts'
import { wallAt, weekdayOf } from '../../desk/rules/wall.ts'

const FRIDAY = '2026-11-13'

t.test('rules that the form has fields for are read and written', async (t) => {
  for (const rrule of [
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;COUNT=10',
    'FREQ=WEEKLY;BYDAY=TU,TH',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;UNTIL=20270514',
    'FREQ=MONTHLY;BYMONTHDAY=13',
    'FREQ=MONTHLY;BYMONTHDAY=-1',
    'FREQ=MONTHLY;BYDAY=2FR;COUNT=6',
    'FREQ=MONTHLY;BYDAY=-1FR',
    'FREQ=YEARLY',
  ])
    t.equal(printSimple(readSimple(rrule, FRIDAY)!), rrule)
  t.equal(printSimple(readSimple('FREQ=WEEKLY', FRIDAY)!), 'FREQ=WEEKLY;BYDAY=FR', 'the weekday of its start')
  t.equal(printSimple(readSimple('FREQ=MONTHLY', FRIDAY)!), 'FREQ=MONTHLY;BYMONTHDAY=13')
  t.equal(
    printSimple(readSimple('FREQ=WEEKLY;BYDAY=TH,TU;UNTIL=20270514T235959', FRIDAY)!),
    'FREQ=WEEKLY;BYDAY=TU,TH;UNTIL=20270514',
  )
  t.equal(
    printSimple({ ...firstRule('DAILY', FRIDAY), end: 'until', until: '' }),
    'FREQ=DAILY',
    'without a day there is no end',
  )
})

t.test('rules that say more are left to their text', async (t) => {
  for (const rrule of [
    '',
    'FREQ=HOURLY',
    'FREQ=DAILY;BYMONTH=1',
    'FREQ=DAILY;BYDAY=MO',
    'FREQ=WEEKLY;BYDAY=1MO',
    'FREQ=WEEKLY;BYMONTHDAY=1',
    'FREQ=MONTHLY;BYDAY=MO',
    'FREQ=MONTHLY;BYDAY=1MO;BYMONTHDAY=3',
    'FREQ=MONTHLY;BYMONTHDAY=1,15',
    'FREQ=YEARLY;BYMONTHDAY=3',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1',
  ])
    t.equal(readSimple(rrule, FRIDAY), undefined, rrule)
})

t.test('a day is so many days of its month', async (t) => {
  t.same(daysOfMonth(FRIDAY), ['BYMONTHDAY=13', 'BYDAY=2FR'])
  t.same(daysOfMonth('2026-11-27'), ['BYMONTHDAY=27', 'BYDAY=4FR', 'BYDAY=-1FR'])
  t.same(daysOfMonth('2026-11-30'), ['BYMONTHDAY=30', 'BYDAY=-1MO', 'BYMONTHDAY=-1'])
})

t.test('a rule moves with its first day', async (t) => {
  for (const [rrule, to, moved] of [
    ['FREQ=WEEKLY;BYDAY=TU,FR', '2026-11-14', 'FREQ=WEEKLY;BYDAY=TU,SA'],
    ['FREQ=WEEKLY;BYDAY=FR,SA', '2026-11-14', 'FREQ=WEEKLY;BYDAY=SA'],
    [
      'FREQ=WEEKLY;BYDAY=FR;UNTIL=20270514T235959',
      '2026-11-20',
      'FREQ=WEEKLY;BYDAY=FR;UNTIL=20270514T235959',
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=13', '2026-11-14', 'FREQ=MONTHLY;BYMONTHDAY=14'],
    ['FREQ=MONTHLY;BYDAY=2FR', '2026-11-19', 'FREQ=MONTHLY;BYDAY=3TH'],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-11-26', 'FREQ=MONTHLY;BYDAY=-1TH'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-11-30', 'FREQ=MONTHLY;BYMONTHDAY=-1'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-11-26', 'FREQ=MONTHLY;BYMONTHDAY=26'],
    ['FREQ=DAILY', '2026-11-14', 'FREQ=DAILY'],
    ['FREQ=YEARLY', '2026-11-14', 'FREQ=YEARLY'],
    ['FREQ=YEARLY;BYMONTH=11;BYDAY=2FR', '2026-11-14', 'FREQ=YEARLY;BYMONTH=11;BYDAY=2FR'],
  ] as const)
    t.equal(movedRule(rrule, FRIDAY, to), moved, `${rrule} ${to}`)
})

const TIMED = { start: `${FRIDAY} 19:30:00`, zone: 'Europe/Madrid', allDay: false }
const WHOLE = { start: `${FRIDAY} 00:00:00`, zone: 'Europe/Madrid', allDay: true }

t.test('what is sent has the times of the event', async (t) => {
  const sent = {
    rrule: 'FREQ=WEEKLY;BYDAY=FR;UNTIL=20270514',
    rdate: ['2026-11-14 10:00:00'],
    exdate: ['2026-11-20'],
  }
  t.same(fitted(sent, TIMED), {
    rrule: 'FREQ=WEEKLY;BYDAY=FR;UNTIL=20270514T235959',
    rdate: ['2026-11-14 19:30:00'],
    exdate: ['2026-11-20 19:30:00'],
  })
  t.same(fitted({ ...sent, rrule: 'FREQ=DAILY;UNTIL=20270514T235959' }, WHOLE), {
    ...{ rrule: 'FREQ=DAILY;UNTIL=20270514', rdate: ['2026-11-14'], exdate: ['2026-11-20'] },
  })
  const own = { ...sent, rrule: 'FREQ=DAILY;BYHOUR=9,15' }
  t.same(fitted(own, TIMED), own, 'a rule with times of its own stays')
})

t.test('a repetition is said in words, with its next dates', async (t) => {
  const weekly = { rrule: 'FREQ=WEEKLY;BYDAY=FR', rdate: [], exdate: [] }
  t.match(meaningOf(weekly, TIMED, { language: 'en' }), {
    text: 'Every Friday',
    isMore: true,
    dates: ['2026-11-13 19:30:00', '2026-11-20 19:30:00'],
  })
  t.same(
    meaningOf({ ...weekly, rrule: 'FREQ=WEEKLY;COUNT=3' }, WHOLE, { language: 'ca', from: '2026-11-20' }),
    { text: 'Cada divendres, 3 vegades', dates: ['2026-11-20', '2026-11-27'], isMore: false, changes: [] },
  )
  t.match(meaningOf({ ...weekly, rrule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=3' }, WHOLE, { language: 'en' }), {
    problem: 'start_date must be a date of its rule; the first one from then on is 2026-11-16.',
  })
  t.match(
    meaningOf({ ...weekly, rrule: 'FREQ=DAILY;UNTIL=20261115T190000Z' }, TIMED, { language: 'en' }).dates,
    ['2026-11-13 19:30:00', '2026-11-14 19:30:00', '2026-11-15 19:30:00'],
  )
})

t.test('a repetition says at which dates the clocks are changed, also after those that are shown', (t) => {
  const sundays = { rrule: 'FREQ=WEEKLY;BYDAY=SU', rdate: [], exdate: [] }
  const at = (time: string) =>
    meaningOf(sundays, { ...TIMED, start: `2026-11-15 ${time}:00` }, { language: 'en' }).changes!
  t.same(at('02:30').slice(0, 2), [
    { day: '2027-03-28', time: '02:30' },
    { day: '2027-10-31', time: '02:30' },
  ])
  t.same(at('19:30'), [])
  t.end()
})

t.test('days have weekdays, and instants walls', async (t) => {
  t.same(['1969-12-31', '1970-01-05', FRIDAY].map(weekdayOf), [2, 0, 4])
  t.equal(wallAt(Date.parse('2026-07-01T22:30:00Z'), 'Europe/Madrid'), '2026-07-02 00:30:00')
})

const RULE = { rrule: 'FREQ=WEEKLY;BYDAY=FR;COUNT=5', rdate: [], exdate: ['2026-11-20 19:30:00'] }
const form = (more: Partial<EventForm> = {}): EventForm => ({
  ...emptyForm('2026-11-27', 'Europe/Madrid', 'en'),
  ...{ start_time: '19:30', end_time: '21:00', series: 7, recurrence: RULE },
  ...more,
})
const record = {
  of: {
    ...{ id: 7, status: 'publish', start_date: `${FRIDAY} 19:30:00`, all_day: false },
    ...{ timezone: 'Europe/Madrid', recurrence: { ...RULE, until: '' } },
  },
  recurrence_id: '2026-11-27 19:30:00',
} as unknown as EventRecord

t.test('the rule of a series counts from its first date', async (t) => {
  const base = form()
  t.same(seriesPattern(base, base, undefined), { ...TIMED, start: '2026-11-27 19:30:00' }, 'a single event')
  t.same(seriesPattern(base, base, record), TIMED)
  t.same(seriesPattern(form({ start_time: '20:00' }), base, record), {
    ...TIMED,
    start: `${FRIDAY} 20:00:00`,
  })
  t.same(seriesPattern(form({ all_day: true }), base, record), WHOLE)
  t.same(seriesPattern(form({ timezone: 'UTC' }), base, record), { ...TIMED, zone: 'UTC' })
})

t.test('with several dates the repetition is sent if it changes, or if their day does', async (t) => {
  const base = form()
  t.equal(sentRepetition(form({ title: 'New' }), base, record, 'all'), undefined)
  const daily = { rrule: 'FREQ=DAILY;COUNT=5', rdate: [], exdate: [] }
  t.same(sentRepetition(form({ recurrence: daily }), base, record, 'all'), daily)
  t.same(sentRepetition(form({ start_day: '2026-11-28' }), base, record, 'all'), {
    ...{ rrule: 'FREQ=WEEKLY;BYDAY=SA;COUNT=5', rdate: [], exdate: ['2026-11-21 19:30:00'] },
  })
  t.same(
    sentRepetition(form({ start_day: '2026-11-28' }), base, record, 'following'),
    { rrule: 'FREQ=WEEKLY;BYDAY=SA;COUNT=3', rdate: [], exdate: [] },
    'what is left of it',
  )
})

/** What a form needs of a record. */
const LISTS = {
  ...{ categories: [], tags: [], venue: [], organizer: [], image: false, excerpt: '', status: 'publish' },
  ...{ start_date: '2026-11-27 19:30:00', end_date: '2026-11-27 21:00:00' },
}

t.test('a form is sent with its repetition', async (t) => {
  const { of } = record
  const read = toForm({ ...LISTS, of, series: 7 } as unknown as EventRecord)
  t.same([read.recurrence, read.series], [RULE, 7], 'what the API adds is left out')
  t.same(toBody(form(), ['recurrence']), { recurrence: fitted(RULE, TIMED) })
  t.same(toBody(form({ recurrence: null }), ['recurrence', 'series']), { recurrence: null })
  t.same(toBody(form({ recurrence: null, series: 0 }), ['recurrence']), {}, 'a single event says nothing')
  t.same([fieldOf('recurrence.rrule'), fieldOf('title')], ['recurrence', 'title'])
  t.same([memberOf('end_time'), memberOf('title')], ['start_date', 'title'])
})

t.test('a change comes to later dates of the rule that do not differ in all of it', async (t) => {
  const day = (id: number, overrides: string[] = []) => ({ id, recurrence_id: `2026-12-0${id}`, overrides })
  const dates = [day(1), day(4, ['title']), day(2), day(3), day(5, ['title', 'cost'])]
  const counted = (id: number, members: string[]) => {
    const { recurrence_id } = day(id)
    const { following, all } = countFollowing(dates, { id, recurrence_id } as EventRecord, members)
    return [following, all]
  }
  t.same(counted(2, []), [4, 5], 'in the order of the rule')
  t.same(counted(2, ['title']), [2, 3])
  t.same(counted(2, ['title', 'cost']), [3, 4])
  t.same(counted(4, ['title']), [1, 4], 'the date itself changes in any case')
})
