import { DAY_SECONDS } from './calendar.ts'
import { completed, given, secondsOf, timesOf } from './expansion.ts'
import type { Frequency, Recurrence, RecurrenceId, Rule } from './rule.ts'
import { type Day, type Join, type RuleWords, ruleWordsOf, type Unit } from './words/words.ts'

const UNITS: Record<Frequency, Unit> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' }
/** How many times of a day are said one by one. */
const MOST_TIMES = 4
const WORKING_DAYS = '0,1,2,3,4'

/** The words of a language with how it joins lists. */
type Say = RuleWords & { and: Join; or: Join }
/** A rule with what its start adds. `days` are days of a month that are told in other words than their numbers. */
type CompleteRule = Rule & { days?: string[] }

const joins = new Map<string, Pick<Say, 'and' | 'or'>>()
function sayIn(language: string): Say {
  const words = ruleWordsOf(language)
  const joinBy = (type: Intl.ListFormatType): Join => {
    const format = new Intl.ListFormat(words.locale, { type })
    return (items) => format.format(items)
  }
  const known = joins.get(words.locale) ?? { and: joinBy('conjunction'), or: joinBy('disjunction') }
  joins.set(words.locale, known)
  return { ...words, ...known }
}

type Run = (first: number, last: number) => string

/**
 * Numbers of days with each three or more that follow one another as one: `on day 1`, `on days 7 to 13`. Days that are told one by
 * one have what is before a day once: `on the 1st, the 3rd and from the 7th to the 13th`.
 */
function inRuns(numbers: number[], one: (n: number) => string, run: Run, say: Say) {
  const said: string[] = []
  let on = say.on
  for (let at = 0; at < numbers.length; ) {
    let end = at
    while (numbers[at]! > 0 && numbers[end + 1] === numbers[end]! + 1) end++
    if (end < at + 2) end = at
    said.push(end === at ? on + one(numbers[at]!) : run(numbers[at]!, numbers[end]!))
    on = end === at ? '' : say.on
    at = end + 1
  }
  return said
}

const weekdaysOf = ({ byDay }: Rule) => byDay.map(({ weekday }) => weekday)
const isNumbered = ({ byDay }: Rule) => byDay.some(({ nth }) => nth !== 0)
/** Whether weekdays are three or more that follow one another. */
const isRun = (days: number[]) => days.length > 2 && days.at(-1)! - days[0]! === days.length - 1
const isInMonths = ({ freq, interval }: Rule) => freq === 'MONTHLY' && interval > 1

/** `on every Tuesday and the first Friday`. */
function eachWeekday({ byDay, interval }: Rule, say: Say): string {
  const every = (day: number) =>
    interval === 1 ? say.everyWeekday(say.weekdays[day]!) : say.allWeekdays([day], say.and)
  const each = byDay.map(({ weekday, nth }) =>
    nth === 0 ? every(weekday) : say.nthWeekday(nth, say.weekdays[weekday]!),
  )
  return say.on + say.and(each)
}

/** `every day`; after `every second year`, where a language does not say `every` twice, `all days`. */
const everyDay = ({ interval }: Rule, say: Say) => (interval === 1 ? say.every('day', 1) : say.allDays)

/** `every Tuesday and Thursday`, `every day from Monday to Friday`, `every day`. */
function everyWeekday(rule: Rule, say: Say): string {
  const days = weekdaysOf(rule)
  if (days.length === 0) return everyDay(rule, say)
  const names = days.map((day) => say.weekdays[day]!)
  if (isRun(days)) return everyDay(rule, say) + say.fromTo(names[0]!, names.at(-1)!)
  return rule.interval === 1 ? say.everyWeekday(say.and(names)) : say.allWeekdays(days, say.and)
}

const many = (rule: Rule, say: Say) => say.and(weekdaysOf(rule).map((day) => say.manyWeekdays[day]!))

/** Where the numbers of days count: in the year, in months of it, in every month. */
function within(rule: Rule, say: Say, isOfYear: boolean): string {
  const { byMonth, interval } = rule
  if (byMonth.length > 0 && !isInMonths(rule))
    return say.ofMonths(byMonth, say.and) + (interval === 1 ? say.everyYear : '')
  if (isOfYear) return interval === 1 ? say.ofEveryYear : say.ofTheYear
  return isInMonths(rule) ? '' : say.ofEveryMonth
}

/** Conditions that the days of a phrase meet beside what it says. */
function only(
  rule: CompleteRule,
  say: Say,
  ...parts: ('byDay' | 'byMonthDay' | 'byYearDay' | 'byMonth')[]
): string {
  const { byMonthDay, byYearDay, byMonth, byDay } = rule
  const said = {
    byDay: () =>
      isNumbered(rule)
        ? say.onlyDays(eachWeekday(rule, say)) + (byMonth.length > 0 ? say.ofTheMonth : say.ofTheYear)
        : say.onlyWeekdays(many(rule, say)),
    byMonthDay: () =>
      say.onlyDays(say.or(inRuns(byMonthDay, say.dayOfMonth, say.daysOfMonth, say)) + say.ofTheMonth),
    byYearDay: () =>
      say.onlyDays(say.or(inRuns(byYearDay, say.dayOfYear, say.daysOfYear, say)) + say.ofTheYear),
    byMonth: () => say.onlyInMonths(byMonth, say.and),
  }
  const lists = { byDay, byMonthDay, byYearDay, byMonth }
  return parts.map((part) => (lists[part].length > 0 ? said[part]() : '')).join('')
}

/** Days of a month, or of months of a year. */
function daysInMonth(rule: CompleteRule, say: Say): string {
  const { byMonth, byMonthDay, interval } = rule
  const isDate = byMonth.length === 1 && byMonthDay.length === 1 && byMonthDay[0]! > 0 && !isInMonths(rule)
  if (isDate && !rule.days)
    return (
      say.on + say.date({ day: byMonthDay[0]!, month: byMonth[0]! }) + (interval === 1 ? say.everyYear : '')
    )
  const said = rule.days
    ? say.on + say.and(rule.days)
    : say.and(inRuns(byMonthDay, say.dayOfMonth, say.daysOfMonth, say))
  return said + within(rule, say, false)
}

/** Weekdays that must be certain days of a month: `every Friday that falls on the 13th`. */
function fallingWeekdays(rule: CompleteRule, say: Say): string {
  const { byMonth, byMonthDay, interval } = rule
  const ofMonth = byMonthDay.some((day) => day < 0) ? say.ofTheMonth : ''
  const months = byMonth.length > 0 && !isInMonths(rule) ? say.ofMonths(byMonth, say.and) : ofMonth
  const days = say.or(inRuns(byMonthDay, say.dayOfMonth, say.betweenDays, say))
  return everyWeekday(rule, say) + (interval === 1 ? say.thatFalls : say.thatFall)(days + months)
}

/** The days of a month or a year. What counts in a week or a day comes out the same if it is each one. */
function days(rule: CompleteRule, say: Say): string {
  const { freq, interval, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule
  const year = interval === 1 ? say.ofEveryYear : say.ofTheYear
  if (byWeekNo.length > 0) {
    const who = byDay.length === 0 ? everyDay(rule, say) : say.on + say.theWeekdays(weekdaysOf(rule), say.and)
    return `${who} ${say.and(byWeekNo.map(say.ofWeek))}${year}${only(rule, say, 'byMonthDay', 'byYearDay', 'byMonth')}`
  }
  if (byYearDay.length > 0) {
    const said = say.and(inRuns(byYearDay, say.dayOfYear, say.daysOfYear, say))
    return said + year + only(rule, say, 'byDay', 'byMonthDay', 'byMonth')
  }
  const isDays = byMonthDay.length > 0 || rule.days !== undefined
  if (isNumbered(rule)) {
    const isOfYear = freq === 'YEARLY' && byMonth.length === 0
    return eachWeekday(rule, say) + within(rule, say, isOfYear) + only(rule, say, 'byMonthDay')
  }
  if (isDays) return byDay.length > 0 ? fallingWeekdays(rule, say) : daysInMonth(rule, say)
  return (
    everyWeekday(rule, say) + (byMonth.length > 0 && !isInMonths(rule) ? say.inMonths(byMonth, say.and) : '')
  )
}

/** Every second, third ... day or week. */
function everyFewDays(rule: Rule, say: Say): string {
  const { freq, interval } = rule
  const head = say.every(UNITS[freq], interval)
  if (freq === 'DAILY') return head + only(rule, say, 'byDay', 'byMonthDay', 'byMonth')
  const weekdays = weekdaysOf(rule)
  const names = weekdays.map((day) => say.weekdays[day]!)
  const months = only(rule, say, 'byMonth')
  if (interval === 2 && weekdays.length === 1 && say.everySecond) return say.everySecond(names[0]!) + months
  if (isRun(weekdays)) return head + say.afterEvery(say.fromTo(names[0]!, names.at(-1)!).trim()) + months
  return head + say.afterEvery(say.onWeekdays(weekdays, say.and)) + months
}

function body(rule: CompleteRule, say: Say): string {
  const { freq, interval } = rule
  if (interval === 1) return days(rule, say)
  if (freq === 'DAILY' || freq === 'WEEKLY') return everyFewDays(rule, say)
  const months = isInMonths(rule) ? only(rule, say, 'byMonth') : ''
  return say.every(UNITS[freq], interval) + say.afterEvery(days(rule, say)) + months
}

/** A rule whose positions are told with its days, where that can be said: the second Friday, the last working day. */
function placed(rule: Rule, times: number, say: Say): CompleteRule {
  const { freq, bySetPos, byMonthDay } = rule
  const weekdays = weekdaysOf(rule)
  const isPlain = freq === 'MONTHLY' && times === 1 && byMonthDay.length === 0 && !isNumbered(rule)
  if (bySetPos.length === 0 || !isPlain) return rule
  const bare = { ...rule, bySetPos: [], byDay: [] }
  if (weekdays.length === 7) return { ...bare, byMonthDay: bySetPos }
  if (weekdays.length === 1)
    return { ...bare, byDay: bySetPos.map((nth) => ({ weekday: weekdays[0]!, nth })) }
  if (`${weekdays}` === WORKING_DAYS) {
    const said = bySetPos.map(say.nthWorkingDay)
    return { ...bare, days: [...said.slice(0, -1), said.at(-1)! + say.mondayToFriday] }
  }
  return { ...bare, days: bySetPos.map((nth) => say.nthOfAll(nth, many(rule, say))) }
}

/** Every day of the week is every day, but after `every second week`. */
function withoutWholeWeek(rule: Rule): Rule {
  const isWhole = rule.byDay.length === 7 && !isNumbered(rule) && rule.bySetPos.length === 0
  return isWhole && (rule.interval === 1 || rule.freq !== 'WEEKLY') ? { ...rule, byDay: [] } : rule
}

const two = (n: number) => String(n).padStart(2, '0')
function timeOf(seconds: number) {
  const hour = Math.floor(seconds / 3600)
  const text = `${hour}:${two(Math.floor(seconds / 60) % 60)}`
  return { hour, text: seconds % 60 === 0 ? text : `${text}:${two(seconds % 60)}` }
}

function timesText({ byHour, byMinute, bySecond }: Rule, times: number[], say: Say): string {
  if (byHour.length + byMinute.length + bySecond.length === 0) return ''
  return times.length > MOST_TIMES ? say.timesADay(times.length) : say.atTimes(times.map(timeOf), say.and)
}

function dayOf(id: RecurrenceId): Day {
  const [year, month, day] = id.slice(0, 10).split('-').map(Number) as [number, number, number]
  return { day, month, year }
}

/** Which of the dates are meant; of several times a day, which of the times. */
function positionsText({ bySetPos, freq }: Rule, times: number, say: Say): string {
  if (bySetPos.length === 0) return ''
  const counted = freq === 'DAILY' ? 'timeOfDay' : times > 1 ? 'time' : 'date'
  return say.onlyPositions(bySetPos, counted, UNITS[freq], say.and)
}

function ruleText({ start, rule }: Recurrence, say: Say): string {
  const { count, until } = rule
  if (count === 1) return say.once(dayOf(start))
  const begin = secondsOf(start)
  const times = timesOf(rule, begin)
  const told = placed(withoutWholeWeek(completed(rule, Math.floor(begin / DAY_SECONDS))), times.length, say)
  const said = body(told, say) + timesText(rule, times, say) + positionsText(told, times.length, say)
  if (count !== undefined) return said + say.times(count)
  if (until === undefined) return said
  return `${said}${said.includes(',') ? ',' : ''} ${say.until(dayOf(until))}`
}

/**
 * A recurrence in words, such as `every second Tuesday until 14 May 2027, except 3 dates`: all that its rule says, and how many dates
 * are added and taken out. In English for languages without own words.
 */
export function textOf(recurrence: Recurrence, language: string): string {
  const { rule, rdate, exdate } = recurrence
  const say = sayIn(language)
  const excepted = given(recurrence, exdate).size
  const comma = rule.count === 1 ? ' ' : ', '
  const more = rdate.length === 0 ? '' : comma + say.moreDates(rdate.length)
  return ruleText(recurrence, say) + more + (excepted === 0 ? '' : say.exceptDates(excepted))
}
