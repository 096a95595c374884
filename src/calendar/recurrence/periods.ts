import {
  type Day,
  dateOf,
  dayOf,
  firstWeekOf,
  lengthOfMonth,
  lengthOfYear,
  type Month,
  startOfWeek,
  weekdayOf,
  weekYearOf,
} from './calendar.ts'
import type { Frequency, Rule, WeekdayOf } from './rule.ts'

/**
 * The periods of a rule: years, months, weeks or days, as numbers that follow one another. RFC 5545 §3.3.10 says which dates of
 * a period a rule gives: the parts that expand it and those that limit it come out as all dates of it that fit each part.
 */
export type Periods = {
  /** The period that holds a day. */
  of: (day: Day) => number
  /** The days that the rule gives in a period, in order. */
  days: (period: number) => Day[]
  /** After how many periods the calendar repeats itself, weekdays included: 400 years. */
  cycle: number
}

/** No days. It is one list, as most periods of some rules have none. */
const NONE: Day[] = []

const fits = (list: number[], value: number, length: number) =>
  list.length === 0 || list.includes(value) || list.includes(value - length - 1)

/** Whether a day is the `nth` of its weekday among `length` days, of which it is number `at`. */
const isNth = (nth: number, at: number, length: number) =>
  nth === 0 || (nth > 0 ? Math.ceil(at / 7) === nth : Math.ceil((length - at + 1) / 7) === -nth)

/** What a day must be for BYDAY, within its month or its year. */
function fitsWeekdays(byDay: WeekdayOf[], day: Day, at: number, length: number) {
  const weekday = weekdayOf(day)
  return byDay.some((entry) => entry.weekday === weekday && isNth(entry.nth, at, length))
}

/** The days of a month that fit BYMONTHDAY and BYDAY, whose numbers count in the month. */
function daysOfMonth(rule: Rule, month: Month): Day[] {
  const length = lengthOfMonth(month)
  const first = dayOf({ ...month, day: 1 })
  const days: Day[] = []
  for (let at = 1; at <= length; at++) {
    if (!fits(rule.byMonthDay, at, length)) continue
    const day = first + at - 1
    if (rule.byDay.length === 0 || fitsWeekdays(rule.byDay, day, at, length)) days.push(day)
  }
  return days
}

/** What the start says where the rule is silent: the day of a month, the month, the weekday. */
export function completed(rule: Rule, start: Day): Rule {
  const { month, day } = dateOf(start)
  const { byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule
  const isOpen = byYearDay.length === 0 && byMonthDay.length === 0 && byDay.length === 0
  if (!isOpen || rule.freq === 'DAILY') return rule
  if (rule.freq === 'WEEKLY' || byWeekNo.length > 0)
    return { ...rule, byDay: [{ weekday: weekdayOf(start), nth: 0 }] }
  const isWholeYear = rule.freq === 'YEARLY' && byMonth.length === 0
  return { ...rule, byMonthDay: [day], ...(isWholeYear && { byMonth: [month] }) }
}

function years(rule: Rule): Periods {
  const { byMonth, byYearDay, byDay } = rule
  const months = byMonth.length > 0 ? byMonth : [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
  // the numbers of BYDAY count in the year, unless months are named
  const inYear = byMonth.length === 0 && byDay.some(({ nth }) => nth !== 0)
  const monthly = inYear ? { ...rule, byDay: [] } : rule
  const days = (year: number) => {
    const before = dayOf({ year, month: 1, day: 1 }) - 1
    const length = lengthOfYear(year)
    return months
      .flatMap((month) => daysOfMonth(monthly, { year, month }))
      .filter((day) => fits(byYearDay, day - before, length))
      .filter((day) => !inYear || fitsWeekdays(byDay, day, day - before, length))
  }
  return { of: (day) => dateOf(day).year, days, cycle: 400 }
}

/** The weeks of a year that BYWEEKNO names. A week belongs to the year that has most of its days, with all of its days. */
function weeksOfYears(rule: Rule): Periods {
  const { byMonth, byWeekNo, byYearDay, byMonthDay, byDay, wkst } = rule
  const fitsDay = (day: Day) => {
    const date = dateOf(day)
    return (
      (byMonth.length === 0 || byMonth.includes(date.month)) &&
      fits(byMonthDay, date.day, lengthOfMonth(date)) &&
      fits(byYearDay, day - dayOf({ year: date.year, month: 1, day: 1 }) + 1, lengthOfYear(date.year)) &&
      (byDay.length === 0 || byDay.some(({ weekday }) => weekday === weekdayOf(day)))
    )
  }
  const days = (year: number) => {
    const first = firstWeekOf(year, wkst)
    const weeks = (firstWeekOf(year + 1, wkst) - first) / 7
    const found: Day[] = []
    for (let week = 1; week <= weeks; week++) {
      if (!fits(byWeekNo, week, weeks)) continue
      for (let at = 0; at < 7; at++)
        if (fitsDay(first + (week - 1) * 7 + at)) found.push(first + (week - 1) * 7 + at)
    }
    return found
  }
  return { of: (day) => weekYearOf(day, wkst), days, cycle: 400 }
}

function months(rule: Rule): Periods {
  const days = (period: number) => {
    const month = { year: Math.floor(period / 12), month: (period % 12) + 1 }
    return rule.byMonth.length === 0 || rule.byMonth.includes(month.month) ? daysOfMonth(rule, month) : NONE
  }
  const of = (day: Day) => {
    const { year, month } = dateOf(day)
    return year * 12 + month - 1
  }
  return { of, days, cycle: 4_800 }
}

function weeks({ byMonth, byDay, wkst }: Rule): Periods {
  const places = byDay.map(({ weekday }) => (weekday - wkst + 7) % 7).sort((a, b) => a - b)
  const first = startOfWeek(0, wkst)
  const days = (period: number) =>
    places
      .map((at) => first + period * 7 + at)
      .filter((day) => byMonth.length === 0 || byMonth.includes(dateOf(day).month))
  return { of: (day) => (startOfWeek(day, wkst) - first) / 7, days, cycle: 20_871 }
}

function singleDays({ byMonth, byMonthDay, byDay }: Rule): Periods {
  const needsDate = byMonth.length > 0 || byMonthDay.length > 0
  const days = (day: Day) => {
    if (byDay.length > 0 && !byDay.some(({ weekday }) => weekday === weekdayOf(day))) return NONE
    if (!needsDate) return [day]
    const date = dateOf(day)
    const isMonth = byMonth.length === 0 || byMonth.includes(date.month)
    return isMonth && fits(byMonthDay, date.day, lengthOfMonth(date)) ? [day] : NONE
  }
  return { of: (day) => day, days, cycle: 146_097 }
}

const KINDS: Record<Frequency, (rule: Rule) => Periods> = {
  YEARLY: (rule) => (rule.byWeekNo.length > 0 ? weeksOfYears(rule) : years(rule)),
  MONTHLY: months,
  WEEKLY: weeks,
  DAILY: singleDays,
}

/** The periods of a rule that starts on a day. */
export const periodsOf = (rule: Rule, start: Day): Periods => {
  const whole = completed(rule, start)
  return KINDS[whole.freq](whole)
}
