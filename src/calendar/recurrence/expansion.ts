import {
  DAY_SECONDS,
  type Day,
  dateOf,
  dayOf,
  firstWeekOf,
  LAST_DAY,
  lengthOfMonth,
  lengthOfYear,
  type Month,
  printDay,
  printTime,
  type Seconds,
  startOfWeek,
  weekdayOf,
  weekYearOf,
} from './calendar.ts'
import type { Frequency, Recurrence, RecurrenceId, Rule, WeekdayOf } from './rule.ts'

/** 0001-01-01 00:00:00 and 9999-12-31 23:59:59. */
const BEGIN = -62_135_596_800
const END = (LAST_DAY + 1) * DAY_SECONDS - 1

/** A rule and the local time that it counts from. */
type RuleOf = { start: string; rule: Rule }

/** Which dates to give: `from` and `to` are among them, `after` is not. */
export type Window = { from?: RecurrenceId; after?: RecurrenceId; to?: RecurrenceId; limit?: number }

/** How much was looked at to find dates: periods and the days that they gave; and how much of it is the most, if not `MOST_STEPS`. */
export type Work = { steps: number; most?: number }

/** How much is looked at for the dates of one window: 800 years of days, so each cycle of the calendar that gives nothing. */
const MOST_STEPS = 300_000
/** How much is looked at to test dates, as many as a page shows series. */
const MOST_TESTED = 10_000

/** A local time or a date as a number. */
export function secondsOf(id: RecurrenceId): Seconds {
  const at = Date.parse(`${id.slice(0, 10)}T${id.slice(11) || '00:00:00'}Z`)
  return at / 1000
}

/** A number as a local time; all-day as a date. */
export function idOf(at: Seconds, allDay: boolean): RecurrenceId {
  const day = Math.floor(at / DAY_SECONDS)
  return allDay ? printDay(day) : `${printDay(day)} ${printTime(at - day * DAY_SECONDS)}`
}

/** The times of a day that a rule gives, in seconds; those of the start where the rule is silent. */
export function timesOf({ byHour, byMinute, bySecond }: Rule, start: Seconds): Seconds[] {
  const own = start - Math.floor(start / DAY_SECONDS) * DAY_SECONDS
  const hours = byHour.length > 0 ? byHour : [Math.floor(own / 3600)]
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(own / 60) % 60]
  const seconds = bySecond.length > 0 ? bySecond : [own % 60]
  return hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => h * 3600 + m * 60 + s)))
}

/** The dates of one period that BYSETPOS takes, in order; positions from the end are negative. */
function placesOf(days: Day[], times: Seconds[], bySetPos: number[]): Seconds[] {
  const size = days.length * times.length
  const places = bySetPos.map((at) => (at > 0 ? at - 1 : size + at)).filter((at) => at >= 0 && at < size)
  return [...new Set(places)]
    .sort((a, b) => a - b)
    .map((at) => days[Math.floor(at / times.length)]! * DAY_SECONDS + times[at % times.length]!)
}

/** The dates of one period, one by one: a year may have half a million of them. Without positions those of a day and of later ones. */
function* datesOf(days: Day[], times: Seconds[], bySetPos: number[], from: Day): Generator<Seconds> {
  if (bySetPos.length > 0) yield* placesOf(days, times, bySetPos)
  else for (const day of days) if (day >= from) for (const time of times) yield day * DAY_SECONDS + time
}

const dayAt = (at: Seconds): Day => Math.floor(at / DAY_SECONDS)
const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

/**
 * The dates that a rule alone gives, in order, from a local time on and to another. Without COUNT it begins at the period of `from`.
 * It ends with the rule or the calendar, once a whole cycle of 400 years has given nothing, or after the most steps.
 */
export function* ruleDates(
  { start, rule }: RuleOf,
  from: Seconds,
  to: Seconds = END,
  work: Work = { steps: 0 },
): Generator<Seconds> {
  const begin = secondsOf(start)
  const periods = periodsOf(rule, dayAt(begin))
  const times = timesOf(rule, begin)
  const end = Math.min(to, rule.until === undefined ? END : secondsOf(rule.until))
  const first = periods.of(dayAt(begin))
  const last = periods.of(dayAt(end))
  const skipped = Math.floor((periods.of(dayAt(from)) - first) / rule.interval)
  const cycle = periods.cycle / greatestDivisor(periods.cycle, rule.interval)
  let left = rule.count ?? Number.POSITIVE_INFINITY
  let period = first + (rule.count === undefined ? Math.max(0, skipped) : 0) * rule.interval
  const soonest = dayAt(rule.count === undefined ? Math.max(begin, from) : begin)
  const { most = work.steps + MOST_STEPS } = work
  for (let empty = 0; empty <= cycle && period <= last; empty++, period += rule.interval) {
    if (work.steps > most) return
    const days = periods.days(period)
    work.steps += 1 + days.length
    if (days.length === 0) continue
    for (const at of datesOf(days, times, rule.bySetPos, soonest)) {
      if (at < begin) continue
      if (at > end) return
      empty = 0
      if (at >= from) yield at
      if (--left === 0) return
    }
  }
}

/** All dates of a recurrence from a local time on and to another: those of its rule and RDATE, without EXDATE. */
function* dates(recurrence: Recurrence, from: Seconds, to: Seconds, work?: Work): Generator<RecurrenceId> {
  const { allDay } = recurrence
  const excluded = new Set(recurrence.exdate)
  const added = recurrence.rdate.filter((id) => secondsOf(id) >= from && secondsOf(id) <= to)
  let place = 0
  for (const at of ruleDates(recurrence, from, to, work)) {
    const id = idOf(at, allDay)
    for (; place < added.length && added[place]! < id; place++)
      if (!excluded.has(added[place]!)) yield added[place]!
    if (added[place] === id) place++
    if (!excluded.has(id)) yield id
  }
  for (; place < added.length; place++) if (!excluded.has(added[place]!)) yield added[place]!
}

/** The dates of a recurrence in a window, in order. `work` counts what was looked at. */
export function expand(recurrence: Recurrence, window: Window = {}, work?: Work): RecurrenceId[] {
  const { from, after, to, limit = Number.POSITIVE_INFINITY } = window
  const found: RecurrenceId[] = []
  const begin = [from, after].filter((id) => id !== undefined).map(secondsOf)
  const end = to === undefined ? END : secondsOf(to)
  if (limit < 1) return found
  for (const id of dates(recurrence, Math.max(BEGIN, ...begin), end, work)) {
    if (after === undefined || id > after) found.push(id)
    if (found.length >= limit) break
  }
  return found
}

/** The first date of a recurrence after another one; undefined if there is none. */
export const nextAfter = (recurrence: Recurrence, after: RecurrenceId): RecurrenceId | undefined =>
  expand(recurrence, { after, limit: 1 })[0]

/** Whether a recurrence has a date. */
export const hasDate = (recurrence: Recurrence, id: RecurrenceId): boolean =>
  expand(recurrence, { from: id, to: id }).length === 1

/** Tells whether a rule without COUNT gives a date. Dates of one period that are asked for together cost one look at it. */
function openRule({ start, rule }: RuleOf, work: Work): (at: Seconds) => boolean {
  const begin = secondsOf(start)
  const end = rule.until === undefined ? END : secondsOf(rule.until)
  const periods = periodsOf(rule, dayAt(begin))
  const times = timesOf(rule, begin)
  const clock = new Set(times)
  const first = periods.of(dayAt(begin))
  let known = { period: Number.NaN, days: [] as Day[], places: [] as Seconds[] }
  return (at) => {
    const day = dayAt(at)
    const period = periods.of(day)
    if (at < begin || at > end || (period - first) % rule.interval !== 0) return false
    if (period !== known.period) {
      if (work.steps > MOST_TESTED) return false
      const days = periods.days(period)
      work.steps += 1 + days.length
      known = { period, days, places: placesOf(days, times, rule.bySetPos) }
    }
    if (rule.bySetPos.length > 0) return known.places.includes(at)
    return clock.has(at - day * DAY_SECONDS) && known.days.includes(day)
  }
}

/**
 * Those of some dates, in order, that a recurrence gives, by its rule or as added ones, excluded or not. Work is bounded: dates so far off
 * that a search for them would take long are none, such as those after 27 years of a rule that gives every day of a year.
 */
export function given(
  recurrence: Recurrence,
  ids: RecurrenceId[],
  work: Work = { steps: 0 },
): Set<RecurrenceId> {
  const { rule, rdate } = recurrence
  const [first] = ids
  const found = new Set(rdate)
  if (first === undefined) return new Set()
  if (rule.count === undefined) {
    const isOf = openRule(recurrence, work)
    return new Set(ids.filter((id) => found.has(id) || isOf(secondsOf(id))))
  }
  work.most = MOST_TESTED
  const asked = new Map(ids.map((id) => [secondsOf(id), id]))
  for (const at of ruleDates(recurrence, secondsOf(first), secondsOf(ids.at(-1)!), work))
    if (asked.has(at)) found.add(asked.get(at)!)
  return new Set(ids.filter((id) => found.has(id)))
}

/** Whether the rule alone gives a date, excluded or not. */
export const isOfRule = (recurrence: Recurrence, id: RecurrenceId): boolean =>
  !ruleDates(recurrence, secondsOf(id), secondsOf(id)).next().done

/**
 * The periods of a rule: years, months, weeks or days, as numbers that follow one another. RFC 5545 §3.3.10 says which dates of
 * a period a rule gives: the parts that expand it and those that limit it come out as all dates of it that fit each part.
 */
type Periods = {
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
const periodsOf = (rule: Rule, start: Day): Periods => {
  const whole = completed(rule, start)
  return KINDS[whole.freq](whole)
}
