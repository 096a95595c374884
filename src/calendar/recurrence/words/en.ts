import type { Day, RuleWords, Unit } from './words.ts'

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
)
const NUMBERS = ['three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth']
const ENDINGS: Record<string, string> = { one: 'st', two: 'nd', few: 'rd', other: 'th' }
const plural = new Intl.PluralRules('en', { type: 'ordinal' })

const numbered = (n: number) => `${n}${ENDINGS[plural.select(n)]}`
const ordinal = (n: number) => ORDINALS[n - 1] ?? numbered(n)
const nth = (n: number) => (n > 0 ? ordinal(n) : n === -1 ? 'last' : `${ordinal(-n)} to last`)
const date = ({ day, month, year }: Day) => [day, MONTHS[month - 1], year].filter(Boolean).join(' ')
const named = (months: number[]) => months.map((month) => MONTHS[month - 1]!)

function every(unit: Unit, interval: number): string {
  if (interval === 1) return `every ${unit}`
  return interval === 2 ? `every second ${unit}` : `every ${NUMBERS[interval - 3] ?? interval} ${unit}s`
}

/** How English says the parts of a rule. */
export const en: RuleWords = {
  locale: 'en-GB',
  weekdays: WEEKDAYS,
  manyWeekdays: WEEKDAYS.map((day) => `${day}s`),
  every,
  everyWeekday: (weekdays) => `every ${weekdays}`,
  everySecond: (weekday) => `every second ${weekday}`,
  allDays: 'every day',
  allWeekdays: (weekdays, join) => `every ${join(weekdays.map((day) => WEEKDAYS[day]!))}`,
  onWeekdays: (weekdays, join) => `on ${join(weekdays.map((day) => WEEKDAYS[day]!))}`,
  fromTo: (first, last) => ` from ${first} to ${last}`,
  theWeekdays: (weekdays, join) => join(weekdays.map((day) => WEEKDAYS[day]!)),
  afterEvery: (days) =>
    days.startsWith('every day') ? `, ${days}` : /^(on|from) /.test(days) ? ` ${days}` : ` on ${days}`,
  on: 'on ',
  nthWeekday: (n, weekday) => `the ${nth(n)} ${weekday}`,
  nthOfAll: (n, weekdays) => `the ${nth(n)} of all ${weekdays}`,
  nthWorkingDay: (n) => `the ${nth(n)} working day`,
  mondayToFriday: ' (Monday to Friday)',
  dayOfMonth: (day) => (day > 0 ? `the ${numbered(day)}` : `the ${nth(day)} day`),
  daysOfMonth: (first, last) => `from the ${numbered(first)} to the ${numbered(last)}`,
  betweenDays: (first, last) => `between the ${numbered(first)} and the ${numbered(last)}`,
  dayOfYear: (day) => (day > 0 ? `day ${day}` : `the ${nth(day)} day`),
  daysOfYear: (first, last) => `on days ${first} to ${last}`,
  ofWeek: (week) => `of ${week > 0 ? `week ${week}` : `the ${nth(week)} week`}`,
  date,
  ofTheMonth: ' of the month',
  ofEveryMonth: ' of every month',
  everyYear: ' every year',
  ofEveryYear: ' of every year',
  ofTheYear: ' of the year',
  ofMonths: (months, join) => ` of ${join(named(months))}`,
  inMonths: (months, join) => ` in ${join(named(months))}`,
  thatFalls: (days) => ` that falls ${days}`,
  thatFall: (days) => ` that falls ${days}`,
  onlyWeekdays: (weekdays) => `, only on ${weekdays}`,
  onlyDays: (days) => `, only ${days}`,
  onlyInMonths: (months, join) => `, only in ${join(named(months))}`,
  onlyPositions: (positions, counted, unit, join) => {
    const noun = counted === 'date' ? 'date' : 'time'
    return `, only ${join(positions.map((n) => `the ${nth(n)} ${noun}`))} of each ${unit}`
  },
  atTimes: (times, join) => ` at ${join(times.map(({ text }) => text))}`,
  timesADay: (n) => `, ${n} times a day`,
  once: (on) => `on ${date(on)}`,
  until: (last) => `until ${date(last)}`,
  times: (n) => `, ${n} times`,
  moreDates: (n) => `and ${n === 1 ? 'one more date' : `${n} more dates`}`,
  exceptDates: (n) => `, except ${n === 1 ? 'one date' : `${n} dates`}`,
}
