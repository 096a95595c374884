import t from 'tap'
import { expand } from '../../../../src/calendar/recurrence/expansion.ts'
import { readRecurrence } from '../../../../src/calendar/recurrence/recurrence.ts'
import { toWall } from '../../../../src/kernel/time/dates.ts'
import { compareRules } from '../../support/compared-recurrences.ts'

t.test('random rules have the dates that rrule gives them', async (t) => {
  const { rules, dates, differences } = compareRules(28, 600, 'rrule')
  t.same(differences, [])
  t.ok(dates > 20 * rules)
})

t.test('random rules in random zones have the times that rrule-temporal gives them', async (t) => {
  const { rules, dates, differences } = compareRules(5545, 120, 'rrule-temporal')
  t.same(differences, [])
  t.ok(dates > 20 * rules)
})

/** Rules of which one of the libraries, or both, give other dates, and what RFC 5545 says of them. */
const JUDGED: [title: string, rrule: string, start: string, dates: string[]][] = [
  [
    'weekdays with and without numbers are added to each other (§3.3.10: BYDAY expands by each of its values)',
    'FREQ=MONTHLY;BYDAY=MO,1FR',
    '2027-01-01',
    ['2027-01-01', '2027-01-04', '2027-01-11', '2027-01-18', '2027-01-25', '2027-02-01', '2027-02-05'],
  ],
  [
    'in years, too',
    'FREQ=YEARLY;BYMONTH=1;BYDAY=MO,1FR',
    '2027-01-01',
    ['2027-01-01', '2027-01-04', '2027-01-11', '2027-01-18', '2027-01-25', '2028-01-03', '2028-01-07'],
  ],
  [
    'numbered weekdays limit days of the month (§3.3.10, note 2)',
    'FREQ=YEARLY;BYMONTHDAY=1,2;BYDAY=1FR',
    '2027-01-01',
    ['2027-01-01', '2032-01-02', '2037-01-02', '2038-01-01', '2043-01-02'],
  ],
  [
    'weekdays limit days of the year (§3.3.10, note 2)',
    'FREQ=YEARLY;BYYEARDAY=1,2,3;BYDAY=FR',
    '2027-01-01',
    ['2027-01-01', '2031-01-03', '2032-01-02', '2037-01-02'],
  ],
  [
    'a week without a weekday has that of the start (§3.3.10: what is missing comes from DTSTART)',
    'FREQ=YEARLY;BYWEEKNO=20',
    '2027-05-18',
    ['2027-05-18', '2028-05-16', '2029-05-15'],
  ],
  [
    'a week without a weekday, but with days of the month, has these',
    'FREQ=YEARLY;BYWEEKNO=20;BYMONTHDAY=18',
    '2027-05-18',
    ['2027-05-18', '2028-05-18', '2029-05-18'],
  ],
  [
    'week 53 is in years that have one; 2027 to 2031 have none',
    'FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR',
    '2027-01-01',
    ['2027-01-01', '2032-12-31', '2038-01-01'],
  ],
  [
    'a week is in the year that has most of it, also where years are left out',
    'FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1',
    '2024-12-30', // the Monday of week 1 of 2025
    ['2024-12-30', '2027-01-04', '2029-01-01', '2030-12-30'],
  ],
  [
    'there is no 53rd Thursday in a year with 52',
    'FREQ=YEARLY;BYDAY=53TH',
    '2026-12-31',
    ['2026-12-31', '2032-12-30', '2037-12-31'],
  ],
  [
    'positions in the first week count from its beginning, not from the start',
    'FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2',
    '2027-01-06',
    ['2027-01-06', '2027-01-13', '2027-01-20'],
  ],
  [
    'a position that a period does not have is none',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,-5',
    '2027-01-04',
    ['2027-01-04', '2027-02-01', '2027-03-01', '2027-04-05', '2027-05-03'],
  ],
  [
    'two positions that are the same are one date',
    'FREQ=MONTHLY;BYMONTHDAY=5;BYSETPOS=1,-1',
    '2027-01-05',
    ['2027-01-05', '2027-02-05', '2027-03-05'],
  ],
]

for (const [title, rrule, start, dates] of JUDGED)
  t.test(title, async (t) => {
    const pattern = { start: `${start} 00:00:00`, zone: 'Europe/Madrid', allDay: true }
    const { recurrence } = readRecurrence({ rrule }, pattern, { toWall })
    t.same(expand(recurrence!, { limit: dates.length }), dates, rrule)
  })
