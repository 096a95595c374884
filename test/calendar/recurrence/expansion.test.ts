import t from 'tap'
import {
  expand,
  given,
  hasDate,
  isOfRule,
  nextAfter,
  ruleDates,
  secondsOf,
  type Work,
} from '../../../src/calendar/recurrence/expansion.ts'
import { type RecurrenceInput, readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { readRule } from '../../../src/calendar/recurrence/rule.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const read = (sent: RecurrenceInput, start = '2027-01-05 18:00:00') =>
  readRecurrence(sent, { start, zone: 'Europe/Madrid', allDay: start.endsWith(' 00:00:00') }, { toWall })
    .recurrence!
const at = (day: string) => `${day} 18:00:00`

t.test('a window has its first and last date, but not the one after which it begins', async (t) => {
  const weekly = read({ rrule: 'FREQ=WEEKLY' })
  const days = ['2027-01-05', '2027-01-12', '2027-01-19', '2027-01-26'].map(at)
  t.same(expand(weekly, { limit: 4 }), days)
  t.same(expand(weekly, { from: days[1], to: days[3] }), days.slice(1))
  t.same(expand(weekly, { after: days[1], to: days[3] }), days.slice(2))
  t.same(expand(weekly, { from: days[2], after: days[0], to: days[3] }), days.slice(2))
  t.same(expand(weekly, { from: '2027-01-12 18:00:01', to: '2027-01-26 17:59:59' }), [days[2]])
  t.same(expand(weekly, { to: '2027-01-01 00:00:00' }), [])
  t.same(expand(weekly, { limit: 0 }), [])
  t.same(expand(read({ rrule: 'FREQ=WEEKLY;COUNT=3' })), days.slice(0, 3))
  t.same(expand(read({ rrule: 'FREQ=WEEKLY;UNTIL=20270119' })), days.slice(0, 3))
})

t.test('dates are added and taken out in order, and none is there twice', async (t) => {
  const recurrence = read({
    rrule: 'FREQ=WEEKLY;COUNT=4',
    rdate: ['2027-01-01 09:00:00', '2027-01-12 18:00:00', '2027-01-12 20:00:00', '2027-03-01 09:00:00'],
    exdate: ['2027-01-19 18:00:00', '2027-01-12 20:00:00', '2027-01-20 18:00:00'],
  })
  const all = [
    '2027-01-01 09:00:00',
    at('2027-01-05'),
    at('2027-01-12'),
    at('2027-01-26'),
    '2027-03-01 09:00:00',
  ]
  t.same(expand(recurrence), all)
  t.same(expand(recurrence, { after: '2027-01-01 09:00:00' }), all.slice(1))
  t.same(expand(recurrence, { from: '2027-03-01 09:00:00' }), all.slice(4))
  t.same(expand(recurrence, { from: '2027-03-02 09:00:00' }), [])
})

t.test('all-day dates are days', async (t) => {
  const days = read(
    { rrule: 'FREQ=MONTHLY', rdate: ['2027-02-01'], exdate: ['2027-03-31'] },
    '2027-01-31 00:00:00',
  )
  t.same(expand(days, { to: '2027-07-31' }), ['2027-01-31', '2027-02-01', '2027-05-31', '2027-07-31'])
})

t.test('whether a date is given, and which one comes next', async (t) => {
  const recurrence = read({
    rrule: 'FREQ=WEEKLY;COUNT=3',
    rdate: ['2027-01-06 09:00:00'],
    exdate: [at('2027-01-12')],
  })
  t.equal(hasDate(recurrence, at('2027-01-05')), true)
  t.equal(hasDate(recurrence, '2027-01-06 09:00:00'), true)
  t.equal(hasDate(recurrence, at('2027-01-12')), false)
  t.equal(hasDate(recurrence, at('2027-01-13')), false)
  t.equal(isOfRule(recurrence, at('2027-01-12')), true)
  t.equal(isOfRule(recurrence, '2027-01-06 09:00:00'), false)
  t.equal(nextAfter(recurrence, '2027-01-06 09:00:00'), at('2027-01-19'))
  t.equal(nextAfter(recurrence, at('2027-01-19')), undefined)
})

t.test('a window goes on where another ended, for every kind of period', async (t) => {
  for (const [rrule, start] of [
    ['FREQ=DAILY;INTERVAL=3;BYMONTH=1,3', '2027-01-05 18:00:00'],
    ['FREQ=WEEKLY;INTERVAL=3;BYDAY=TU,SU;WKST=SU', '2027-01-05 18:00:00'],
    ['FREQ=MONTHLY;INTERVAL=5;BYDAY=TU;BYSETPOS=1,-1', '2027-01-05 18:00:00'],
    ['FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1,53', '2024-12-31 18:00:00'],
    ['FREQ=YEARLY;BYDAY=2TU,SA;COUNT=300', '2027-01-12 18:00:00'],
  ] as const) {
    const recurrence = read({ rrule }, start)
    const all = expand(recurrence, { limit: 60 })
    const parts: string[] = []
    while (parts.length < 60) parts.push(...expand(recurrence, { after: parts.at(-1), limit: 7 }))
    t.same(parts.slice(0, 60), all, rrule)
  }
})

t.test('a later window costs no more than the first one, unless dates are counted', async (t) => {
  const stepsOf = (rrule: string, from: string) => {
    const work: Work = { steps: 0 }
    t.equal(expand(read({ rrule }), { from, limit: 3 }, work).length, 3)
    return work.steps
  }
  for (const rrule of ['FREQ=DAILY', 'FREQ=WEEKLY', 'FREQ=MONTHLY', 'FREQ=YEARLY', 'FREQ=YEARLY;BYWEEKNO=1'])
    t.ok(stepsOf(rrule, '2527-01-05 18:00:00') <= stepsOf(rrule, '2027-01-05 18:00:00') + 2, rrule)
  t.equal(stepsOf('FREQ=DAILY;COUNT=1000', '2029-01-05 18:00:00'), 2 * (731 + 3))
})

const START = '2027-05-11 18:00:00'
/** What is looked at to find the first dates of a rule, whether its start is one of them or not. */
function search(rrule: string, limit: number, start = START) {
  const pattern = { start, zone: 'Europe/Madrid', allDay: false }
  const rule = readRule(rrule, { pattern, toWall, bound: 1_500, refusals: [] })
  const work: Work = { steps: 0 }
  const dates = ruleDates({ start, rule }, secondsOf(start), undefined, work)
  let found = 0
  while (found < limit && !dates.next().done) found++
  return { found, steps: work.steps }
}

t.test('a search looks at each period once, and at the days that it has', async (t) => {
  const leap = '2044-02-29 18:00:00' // a Monday; so are those of 2072 and 2112
  const years = 2112 - 2044 + 1
  t.same(search('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', 3, leap), { found: 3, steps: years + 3 })
  t.same(search('FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', 3, leap), {
    found: 3,
    steps: 18 + 3,
  })
  t.same(search('FREQ=DAILY;INTERVAL=9999;BYDAY=MO', 2, leap), { found: 2, steps: 8 + 2 })
})

t.test('a search that finds nothing ends after one cycle of the calendar', async (t) => {
  const cycles: [rrule: string, periods: number, days?: number][] = [
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 400],
    ['FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=30', 4],
    ['FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6', 400],
    ['FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30', 4_800],
    ['FREQ=MONTHLY;INTERVAL=12;BYMONTH=4', 400],
    ['FREQ=WEEKLY;BYSETPOS=2;BYDAY=TU', 20_871, 1],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', 146_097],
    ['FREQ=DAILY;INTERVAL=7;BYDAY=MO', 20_871],
  ]
  for (const [rrule, periods, days = 0] of cycles)
    t.same(search(rrule, 1), { found: 0, steps: (periods + 1) * (1 + days) }, rrule)
})

t.test('a search ends with the calendar', async (t) => {
  t.same(search('FREQ=YEARLY;INTERVAL=400', 50), { found: 20, steps: 20 * 2 })
  t.same(search('FREQ=WEEKLY;BYDAY=TU,FR', 9, '9999-12-28 18:00:00'), { found: 2, steps: 3 })
})

t.test('positions among many times of a day are not listed one by one', async (t) => {
  const times = `BYHOUR=${[...Array(24).keys()]};BYMINUTE=${[...Array(60).keys()]}`
  const rrule = `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;${times};BYSETPOS=-1`
  t.same(expand(read({ rrule }, '2027-12-31 23:59:00'), { limit: 2 }), [
    '2027-12-31 23:59:00',
    '2028-12-31 23:59:00',
  ])
})

const ALL_MINUTES = `BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${[...Array(24).keys()]};BYMINUTE=${[...Array(60).keys()]}`

t.test('which of some dates a recurrence gives, excluded or not', async (t) => {
  const days = ['2027-01-05', '2027-01-06', '2027-01-12', '2027-01-19', '2027-01-26'].map(at)
  const lists = { rdate: [days[1]!, '2027-03-01 09:00:00'], exdate: [days[2]!] }
  const ofRule = (rrule: string, ids: string[], start?: string) => [
    ...given(read({ rrule, ...(start === undefined && lists) }, start), ids),
  ]
  t.same(ofRule('FREQ=WEEKLY', []), [])
  t.same(ofRule('FREQ=WEEKLY', ['2026-12-29 18:00:00', ...days, '2027-02-02 18:00:01']), days)
  t.same(ofRule('FREQ=WEEKLY;COUNT=3', days), days.slice(0, 4))
  t.same(ofRule('FREQ=WEEKLY;UNTIL=20270119', days), days.slice(0, 4))
  t.same(ofRule('FREQ=WEEKLY;INTERVAL=2', days), [days[0], days[1], days[3]])
  const friday = ['2027-01-07', '2027-01-08', '2027-01-29', '2027-02-26'].map(at)
  t.same(ofRule('FREQ=MONTHLY;BYDAY=TH,FR;BYSETPOS=-1', friday, at('2027-01-29')), friday.slice(2))
})

t.test('the search for dates, and tests of them, have an end', async (t) => {
  const rare = 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO'
  const leap = '2044-02-29 18:00:00'
  const work: Work = { steps: 0 }
  t.same(
    expand(read({ rrule: rare }, leap), {}, work)
      .at(-1)
      ?.slice(0, 4),
    '2844',
    'after 800 years',
  )
  t.equal(work.steps, 300_001)
  const tests = (rrule: string, ids: string[]) => {
    const tested: Work = { steps: 0 }
    const { size } = given(read({ rrule }, leap), ids, tested)
    return [size, tested.steps < 10_400]
  }
  const years = Array.from({ length: 1_500 }, (_, n) => `${2045 + 5 * n}-01-05 18:00:00`)
  const far = ['2072-02-29 18:00:00', '9999-02-28 18:00:00']
  t.same(tests(`${rare};COUNT=1500`, far), [0, true])
  t.same(tests('FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU', years), [28, true])
  t.same(tests('FREQ=DAILY', far), [2, true])
  t.same(tests('FREQ=DAILY', years), [1_500, true])
  const counted = read({ rrule: 'FREQ=DAILY;COUNT=1500' })
  const once: Work = { steps: 0 }
  t.equal(given(counted, expand(counted), once).size, 1_500)
  t.equal(once.steps, 2 * 1_500, 'dates that are counted are counted once for all that are tested')
})

t.test('a year with half a million dates is not listed to find some of them', async (t) => {
  const dates = ruleDates(read({ rrule: `FREQ=YEARLY;${ALL_MINUTES}` }), secondsOf(at('2027-12-31')))
  t.equal(dates.next().value, secondsOf(at('2027-12-31')))
})
