import t from 'tap'
import { MOST_DATES, type Reading, readRecurrence } from '../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'

const zone = 'Europe/Madrid'
const TIMED = { start: '2027-05-11 18:00:00', zone, allDay: false } // a Tuesday
const ALL_DAY = { start: '2027-05-11 00:00:00', zone, allDay: true }
const refused = (
  sent: Parameters<typeof readRecurrence>[0],
  pattern = TIMED,
  reading: Partial<Reading> = {},
) =>
  readRecurrence(sent, pattern, { toWall, ...reading }).refusals?.map(
    ({ part, message }) => `${part} ${message}`,
  )
const ofRule = (rrule: string, pattern = TIMED) => refused({ rrule }, pattern)

/** Rules that are refused, with what is said. */
const RULES: [rrule: string, ...said: string[]][] = [
  ['', 'rrule must consist of parts such as FREQ=WEEKLY;BYDAY=TU, divided by semicolons; "" is none.'],
  [
    'weekly',
    'rrule must consist of parts such as FREQ=WEEKLY;BYDAY=TU, divided by semicolons; "weekly" is none.',
  ],
  [
    'FREQ=WEEKLY=2',
    'rrule must consist of parts such as FREQ=WEEKLY;BYDAY=TU, divided by semicolons; "FREQ=WEEKLY=2" is none.',
  ],
  [`FREQ=DAILY;BYMONTH=${'1,'.repeat(2_000)}1`, 'rrule must have at most 4000 characters.'],
  ['INTERVAL=2', 'rrule.FREQ is missing; it must be DAILY, WEEKLY, MONTHLY or YEARLY.'],
  ['FREQ=FORTNIGHTLY', 'rrule.FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "FORTNIGHTLY".'],
  [
    'FREQ=HOURLY',
    'rrule.FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "HOURLY". Several times a day are FREQ=DAILY with BYHOUR and BYMINUTE.',
  ],
  ['FREQ=SECONDLY', 'rrule.FREQ must be DAILY, WEEKLY, MONTHLY or YEARLY; it is "SECONDLY".'],
  [
    'FREQ=WEEKLY;RSCALE=HEBREW',
    'rrule.RSCALE is not a part of a rule; parts are FREQ, INTERVAL, COUNT, UNTIL, WKST, BYDAY, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYHOUR, BYMINUTE, BYSECOND, BYSETPOS.',
  ],
  ['FREQ=WEEKLY;COUNT=2;COUNT=3', 'rrule.COUNT must be written once; several values are one list.'],
  ['FREQ=WEEKLY;INTERVAL=0', 'rrule.INTERVAL must be a number from 1 to 9999; it is "0".'],
  ['FREQ=WEEKLY;INTERVAL=1.5', 'rrule.INTERVAL must be a number from 1 to 9999; it is "1.5".'],
  ['FREQ=WEEKLY;INTERVAL=10000', 'rrule.INTERVAL must be a number from 1 to 9999; it is "10000".'],
  ['FREQ=WEEKLY;COUNT=0', 'rrule.COUNT must be a number from 1 to 1500; it is "0".'],
  ['FREQ=WEEKLY;COUNT=1501', 'rrule.COUNT must be a number from 1 to 1500; it is "1501".'],
  ['FREQ=WEEKLY;COUNT=2;UNTIL=20270601', 'rrule.COUNT must not be beside UNTIL; a rule has one of the two.'],
  [
    'FREQ=WEEKLY;UNTIL=tomorrow',
    'rrule.UNTIL must be a date or a time such as 20270514 or 20270514T180000; it is "TOMORROW".',
  ],
  [
    'FREQ=WEEKLY;UNTIL=20270231',
    'rrule.UNTIL must be a date or a time such as 20270514 or 20270514T180000; it is "20270231".',
  ],
  [
    'FREQ=WEEKLY;UNTIL=20270511T175959',
    'rrule.UNTIL must not be before the start, 2027-05-11 18:00:00; it is 2027-05-11 17:59:59.',
  ],
  ['FREQ=WEEKLY;WKST=1', 'rrule.WKST must be a weekday of MO,TU,WE,TH,FR,SA,SU; it is "1".'],
  [
    'FREQ=WEEKLY;BYDAY=TU,XX',
    'rrule.BYDAY must be weekdays such as TU, 2FR or -1SU, of MO,TU,WE,TH,FR,SA,SU; "XX" is none.',
  ],
  [
    'FREQ=WEEKLY;BYDAY=TUESDAY',
    'rrule.BYDAY must be weekdays such as TU, 2FR or -1SU, of MO,TU,WE,TH,FR,SA,SU; "TUESDAY" is none.',
  ],
  [
    'FREQ=MONTHLY;BYDAY=0TU',
    'rrule.BYDAY must be weekdays such as TU, 2FR or -1SU, of MO,TU,WE,TH,FR,SA,SU; "0TU" is none.',
  ],
  [
    'FREQ=YEARLY;BYDAY=54TU',
    'rrule.BYDAY must be weekdays such as TU, 2FR or -1SU, of MO,TU,WE,TH,FR,SA,SU; "54TU" is none.',
  ],
  [
    'FREQ=MONTHLY;BYDAY=6TU',
    'rrule.BYDAY must have numbers from 1 to 5 or -5 to -1, as they count in a month.',
  ],
  [
    'FREQ=YEARLY;BYMONTH=5;BYDAY=-6TU',
    'rrule.BYDAY must have numbers from 1 to 5 or -5 to -1, as they count in a month.',
  ],
  [
    'FREQ=WEEKLY;BYDAY=2TU',
    'rrule.BYDAY must be weekdays without numbers with FREQ=WEEKLY, such as TU; numbers count in a month or a year.',
  ],
  [
    'FREQ=DAILY;BYDAY=2TU',
    'rrule.BYDAY must be weekdays without numbers with FREQ=DAILY, such as TU; numbers count in a month or a year.',
  ],
  [
    'FREQ=YEARLY;BYWEEKNO=19;BYDAY=2TU',
    'rrule.BYDAY must be weekdays without numbers beside BYWEEKNO, such as TU.',
  ],
  ['FREQ=DAILY;BYMONTH=0', 'rrule.BYMONTH must be numbers from 1 to 12, divided by commas; it is "0".'],
  ['FREQ=DAILY;BYMONTH=-1', 'rrule.BYMONTH must be numbers from 1 to 12, divided by commas; it is "-1".'],
  ['FREQ=DAILY;BYMONTH=5,', 'rrule.BYMONTH must be numbers from 1 to 12, divided by commas; it is "5,".'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'rrule.BYMONTHDAY must be numbers from 1 to 31 or -31 to -1, divided by commas; it is "32".',
  ],
  ['FREQ=DAILY;BYHOUR=24', 'rrule.BYHOUR must be numbers from 0 to 23, divided by commas; it is "24".'],
  ['FREQ=DAILY;BYSECOND=60', 'rrule.BYSECOND must be numbers from 0 to 59, divided by commas; it is "60".'],
  ['FREQ=MONTHLY;BYWEEKNO=20', 'rrule.BYWEEKNO must be with FREQ=YEARLY; it is MONTHLY.'],
  ['FREQ=DAILY;BYYEARDAY=20', 'rrule.BYYEARDAY must be with FREQ=YEARLY; it is DAILY.'],
  ['FREQ=WEEKLY;BYMONTHDAY=11', 'rrule.BYMONTHDAY must be with FREQ=DAILY, MONTHLY or YEARLY; it is WEEKLY.'],
  [
    'FREQ=MONTHLY;BYSETPOS=1',
    'rrule.BYSETPOS must be beside another BY part, of whose dates it takes some, such as BYDAY=MO,TU,WE,TH,FR.',
  ],
  [
    `FREQ=DAILY;BYHOUR=18,19;BYMINUTE=${[...Array(60).keys()]};BYSECOND=${[...Array(13).keys()]}`,
    'rrule.BYSECOND must not give more than 1440 times a day with BYHOUR and BYMINUTE.',
  ],
  [
    'FREQ=WEEKLY;INTERVAL=x;BYMONTH=13',
    'rrule.BYMONTH must be numbers from 1 to 12, divided by commas; it is "13".',
    'rrule.INTERVAL must be a number from 1 to 9999; it is "X".',
  ],
]

t.test('a rule that is not one is refused by the name of its part, with what would be right', async (t) => {
  for (const [rrule, ...said] of RULES) t.same(ofRule(rrule)?.sort(), said.sort(), rrule.slice(0, 60))
})

t.test('what is wrong in a rule is told with what is wrong in its lists', async (t) => {
  t.same(refused({ rrule: 'FREQ=WEEKLY;COUNT=0', rdate: ['soon'], exdate: ['2027-05-18'] }), [
    'rrule.COUNT must be a number from 1 to 1500; it is "0".',
    'rdate[0] must be a local time such as 2027-05-14 18:00:00.',
    'exdate[0] must have a time, as the event has one: 2027-05-18 18:00:00.',
  ])
})

t.test('an all-day rule has no times', async (t) => {
  t.same(ofRule('FREQ=DAILY;BYHOUR=9;BYMINUTE=0;BYSECOND=0', ALL_DAY), [
    'rrule.BYHOUR must not be in the rule of an all-day event.',
    'rrule.BYMINUTE must not be in the rule of an all-day event.',
    'rrule.BYSECOND must not be in the rule of an all-day event.',
  ])
  t.same(ofRule('FREQ=DAILY;UNTIL=20270510T235959Z', ALL_DAY), [
    'rrule.UNTIL must not be before the start, 2027-05-11; it is 2027-05-10.',
  ])
})

t.test('a rule that never happens is refused', async (t) => {
  for (const rrule of [
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
    'FREQ=MONTHLY;INTERVAL=12;BYMONTH=4',
    'FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6',
    'FREQ=YEARLY;INTERVAL=2;BYYEARDAY=366',
    'FREQ=MONTHLY;BYDAY=TU;BYSETPOS=6',
  ])
    t.same(ofRule(rrule), [
      'rrule must give a date; from 2027-05-11 18:00:00 on, none has all that it asks for.',
    ])
})

t.test('a start that its rule does not give is refused with the first one that it gives', async (t) => {
  const first = (date: string) => [
    `start_date must be a date of its rule; the first one from then on is ${date}.`,
  ]
  t.same(ofRule('FREQ=WEEKLY;BYDAY=MO,TH'), first('2027-05-13 18:00:00'))
  t.same(ofRule('FREQ=WEEKLY;BYDAY=MO;UNTIL=20270512'), first('2027-05-17 18:00:00'))
  t.same(ofRule('FREQ=DAILY;BYHOUR=9'), first('2027-05-12 09:00:00'))
  t.same(ofRule('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', ALL_DAY), first('2028-02-29'))
})

t.test('a start that its rule does not give may be taken out, unless dates are counted', async (t) => {
  const exdate = ['2027-05-11 18:00:00']
  t.equal(refused({ rrule: 'FREQ=WEEKLY;BYDAY=MO', exdate }), undefined)
  t.same(refused({ rrule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=2', exdate }), [
    'start_date must be a date of its rule; the first one from then on is 2027-05-17 18:00:00.',
  ])
})

t.test('added and excluded dates are local time of the event, or days of an all-day one', async (t) => {
  const lists = (rdate: string[], pattern = TIMED) => refused({ rrule: 'FREQ=WEEKLY', rdate }, pattern)
  t.same(
    lists(['2027-05-12 18:00', '', '2027-02-30 18:00:00', '0000-01-01 00:00:00', '2027-05-12 24:00:00']),
    [
      'rdate[0] must be a local time such as 2027-05-14 18:00:00.',
      'rdate[1] must be a local time such as 2027-05-14 18:00:00.',
      'rdate[2] must be a local time such as 2027-05-14 18:00:00.',
      'rdate[3] must be a local time such as 2027-05-14 18:00:00.',
      'rdate[4] must be a local time such as 2027-05-14 18:00:00.',
    ],
  )
  t.same(lists(['2027-05-12T16:00:00Z', '20270512T180000+0300', '2027-05-12T18:00:00-05:00']), [
    'rdate[0] must be local time of Europe/Madrid, without a zone of its own: 2027-05-12 18:00:00.',
    'rdate[1] must be local time of Europe/Madrid, without a zone of its own: 2027-05-12 17:00:00.',
    'rdate[2] must be local time of Europe/Madrid, without a zone of its own: 2027-05-13 01:00:00.',
  ])
  t.same(lists(['12 May', '2027-05-12 18:00:00', '2027-05-12T00:00:00Z'], ALL_DAY), [
    'rdate[0] must be a date such as 2027-05-14.',
    'rdate[1] must be a date without a time, as the event is all-day: 2027-05-12.',
    'rdate[2] must be a date without a time, as the event is all-day: 2027-05-12.',
  ])
  t.same(refused({ rrule: 'FREQ=WEEKLY', exdate: Array(MOST_DATES + 1).fill('2027-05-12 18:00:00') }), [
    'exdate must have at most 1500 dates; it has 1501.',
  ])
})

t.test('a recurrence has at most so many dates within the window, and at least one', async (t) => {
  const until = (windowEnd?: string, bound = 10) => ({ windowEnd, bound })
  const sent = { rrule: 'FREQ=DAILY' }
  t.same(refused(sent, TIMED, until('2027-05-21 18:00:00')), [
    'rrule must give at most 10 dates until 2027-05-21; end it earlier with COUNT or UNTIL.',
  ])
  t.equal(refused(sent, TIMED, until('2027-05-21 17:59:59')), undefined)
  t.equal(refused(sent, TIMED, until()), undefined)
  t.same(refused({ rrule: 'FREQ=DAILY;UNTIL=20270521' }, TIMED, until()), [
    'rrule must give at most 10 dates; end it earlier with COUNT or UNTIL.',
  ])
  t.equal(refused({ rrule: 'FREQ=DAILY;UNTIL=20270521' }, TIMED, until('2027-05-20 20:00:00')), undefined)
  const exdate = ['2027-05-11 18:00:00', '2027-05-12 18:00:00']
  t.same(refused({ rrule: 'FREQ=DAILY;COUNT=2', exdate }), ['exdate must leave a date of the rule.'])
})

t.test('added dates count beside those that COUNT says', async (t) => {
  const rdate = ['2028-05-11 18:00:00', '2028-05-12 18:00:00']
  const reading = { bound: 10, windowEnd: '2027-05-12 18:00:00' }
  t.same(refused({ rrule: 'FREQ=DAILY;COUNT=9', rdate }, TIMED, reading), [
    'rdate must be at most 10 dates together with those that COUNT says; they are 11.',
  ])
  const exdate = ['2027-05-13 18:00:00']
  t.equal(refused({ rrule: 'FREQ=DAILY;COUNT=9', rdate, exdate }, TIMED, reading), undefined)
  t.equal(refused({ rrule: 'FREQ=DAILY;COUNT=8', rdate }, TIMED, reading), undefined)
})

t.test('a recurrence that time has brought to the bound may change in all but its rule', async (t) => {
  const daily = readRecurrence({ rrule: 'FREQ=DAILY' }, TIMED, { toWall }).recurrence!
  const later = { bound: 10, windowEnd: '2028-05-11 18:00:00', was: daily }
  const TOO_MANY = ['rrule must give at most 10 dates until 2028-05-11; end it earlier with COUNT or UNTIL.']
  const sent = { rrule: 'FREQ=DAILY' }
  t.same(refused(sent, TIMED, { ...later, was: undefined }), TOO_MANY)
  t.equal(refused(sent, TIMED, later), undefined)
  t.equal(refused({ rrule: 'FREQ=DAILY;UNTIL=20280101' }, TIMED, later), undefined)
  t.equal(refused({ ...sent, exdate: ['2027-05-14 18:00:00'] }, TIMED, later), undefined)
  t.equal(refused(sent, { ...TIMED, start: '2027-05-10 19:00:00' }, later), undefined)
  t.same(refused({ ...sent, rdate: ['2027-05-14 19:00:00'] }, TIMED, later), TOO_MANY)
  t.same(refused({ rrule: 'FREQ=DAILY;BYHOUR=18,19' }, TIMED, later), TOO_MANY)
  const soon = { ...later, windowEnd: '2027-05-18 18:00:00' } // eight dates
  t.same(refused(sent, { ...TIMED, start: '2027-05-01 18:00:00' }, soon), [
    'rrule must give at most 10 dates until 2027-05-18; end it earlier with COUNT or UNTIL.',
  ])
  const exdate = ['2027-05-11 18:00:00', '2027-05-12 18:00:00']
  t.same(refused({ rrule: 'FREQ=DAILY;UNTIL=20270512', exdate }, TIMED, later), [
    'exdate must leave a date of the rule.',
  ])
})
