import { DAY_SECONDS } from './calendar.ts'
import { completed, given, secondsOf, timesOf } from './expansion.ts'
import type { Recurrence, RecurrenceId, Rule } from './rule.ts'
import { type RuleWords, ruleWordsOf } from './words.ts'

const UNITS = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month', YEARLY: 'year' } as const
/** How many times of a day are said one by one. */
const MOST_TIMES = 4
const WORKING_DAYS = '0,1,2,3,4'

/** A rule with what its start adds. `days` are days of a month that are told in other words than their numbers. */
type CompleteRule = Rule & { days?: string[] }

type Run = (first: number, last: number) => string

/**
 * Numbers of days with each three or more that follow one another as one: `on day 1`, `on days 7 to 13`. Days that are told one by
 * one have what is before a day once: `on the 1st, the 3rd and from the 7th to the 13th`.
 */
function inRuns(numbers: number[], one: (n: number) => string, run: Run, words: RuleWords) {
  const said: string[] = []
  let on = words.texts.on
  for (let at = 0; at < numbers.length; ) {
    let end = at
    while (numbers[at]! > 0 && numbers[end + 1] === numbers[end]! + 1) end++
    if (end < at + 2) end = at
    said.push(end === at ? on + one(numbers[at]!) : run(numbers[at]!, numbers[end]!))
    on = end === at ? '' : words.texts.on
    at = end + 1
  }
  return said
}

/** Days of a month: `on the 1st`, and in a row as `key` says, `from the 7th to the 13th`. */
function daysOfMonth({ byMonthDay }: Rule, key: 'days_of_month' | 'between_days', words: RuleWords) {
  const one = (day: number) =>
    day > 0 ? words.say('day_of_month', { day, nth: words.numbered(day) }) : nthDay(day, words)
  const run = (first: number, last: number) =>
    words.say(key, { first, last, first_nth: words.numbered(first), last_nth: words.numbered(last) })
  return inRuns(byMonthDay, one, run, words)
}

function daysOfYear({ byYearDay }: Rule, words: RuleWords) {
  const one = (day: number) => (day > 0 ? words.say('day_of_year', { day }) : nthDay(day, words))
  return inRuns(byYearDay, one, (first, last) => words.say('days_of_year', { first, last }), words)
}

/** A day in a sentence; one of each year has no year. */
type Day = { day: number; month: number; year?: number }
function dateText({ day, month, year }: Day, words: RuleWords): string {
  const name = words.texts.months[month - 1]!
  return year === undefined
    ? words.say('date', { day, month: name })
    : words.say('date_with_year', { day, month: name, year })
}

const nthDay = (nth: number, words: RuleWords) => words.nth(nth, words.texts.nouns.day)

const weekdaysOf = ({ byDay }: Rule) => byDay.map(({ weekday }) => weekday)
const isNumbered = ({ byDay }: Rule) => byDay.some(({ nth }) => nth !== 0)
/** Whether weekdays are three or more that follow one another. */
const isRun = (days: number[]) => days.length > 2 && days.at(-1)! - days[0]! === days.length - 1
const isInMonths = ({ freq, interval }: Rule) => freq === 'MONTHLY' && interval > 1

type WeekdayKey = 'every_weekday' | 'all_weekdays' | 'on_weekdays' | 'every_second_weekday'
/** `every Tuesday and Thursday`, `on Tuesday and Thursday`, as `key` says. Texts have weekdays as one and as many. */
function weekdayText(key: WeekdayKey, days: number[], { say, and, texts }: RuleWords): string {
  const named = (names: string[]) => and(days.map((day) => names[day]!))
  return say(key, { weekdays: named(texts.weekdays), weekdays_plural: named(texts.weekdays_plural) })
}
/** ` from Monday to Friday`. */
const fromTo = (days: number[], { say, texts }: RuleWords) =>
  say('from_to', { first: texts.weekdays[days[0]!]!, last: texts.weekdays[days.at(-1)!]! })
/** `on Monday and Tuesday`, of a certain week. */
const theWeekdays = (rule: Rule, { say, and, texts }: RuleWords) =>
  texts.on + and(weekdaysOf(rule).map((day) => say('one_weekday', { weekday: texts.weekdays[day]! })))

const weekText = (week: number, words: RuleWords) =>
  week > 0
    ? words.say('of_week', { week })
    : words.say('of_nth_week', {
        nth: words.nth(week, words.texts.nouns.week, 'ordinals_of_weeks_and_times'),
      })

/** `every second day`, `every three weeks`. */
function everyFew({ freq, interval }: Rule, { say, texts }: RuleWords): string {
  const unit = UNITS[freq]
  if (interval === 2) return texts[`every_second_${unit}`]
  return say(`every_few_${unit}s`, { number: texts.numbers_from_three[interval - 3] ?? interval })
}

/** `on every Tuesday and the first Friday`. */
function eachWeekday({ byDay, interval }: Rule, words: RuleWords): string {
  const every = (day: number) => weekdayText(interval === 1 ? 'every_weekday' : 'all_weekdays', [day], words)
  const each = byDay.map(({ weekday, nth }) =>
    nth === 0 ? every(weekday) : words.nth(nth, words.texts.weekdays[weekday]!),
  )
  return words.texts.on + words.and(each)
}

/** `every day`; after `every second year`, where a language does not say `every` twice, `all days`. */
const everyDay = ({ interval }: Rule, words: RuleWords) =>
  interval === 1 ? words.texts.every_day : words.texts.all_days

/** `every Tuesday and Thursday`, `every day from Monday to Friday`, `every day`. */
function everyWeekday(rule: Rule, words: RuleWords): string {
  const days = weekdaysOf(rule)
  if (days.length === 0) return everyDay(rule, words)
  if (isRun(days)) return everyDay(rule, words) + fromTo(days, words)
  return weekdayText(rule.interval === 1 ? 'every_weekday' : 'all_weekdays', days, words)
}

const many = (rule: Rule, words: RuleWords) =>
  words.and(weekdaysOf(rule).map((day) => words.texts.weekdays_plural[day]!))

/** `of May and June`, of days; `in May and June`, of weekdays; `only in May and June`. */
function monthsText(
  key: 'of_month' | 'in_month' | 'only_in_month',
  { byMonth }: Rule,
  words: RuleWords,
): string {
  const each = byMonth.map((month) => words.say(key, { month: words.texts.months[month - 1]! }))
  return words.say(`${key}s`, { months: words.and(each) })
}

/** Where the numbers of days count: in the year, in months of it, in every month. */
function within(rule: Rule, words: RuleWords, isOfYear: boolean): string {
  const { byMonth, interval } = rule
  if (byMonth.length > 0 && !isInMonths(rule))
    return monthsText('of_month', rule, words) + (interval === 1 ? words.texts.in_every_year : '')
  if (isOfYear) return interval === 1 ? words.texts.of_every_year : words.texts.of_the_year
  return isInMonths(rule) ? '' : words.texts.of_every_month
}

/** Conditions that the days of a phrase meet beside what it says. */
function only(
  rule: CompleteRule,
  words: RuleWords,
  ...parts: ('byDay' | 'byMonthDay' | 'byYearDay' | 'byMonth')[]
): string {
  const { byMonthDay, byYearDay, byMonth, byDay } = rule
  const said = {
    byDay: () =>
      isNumbered(rule)
        ? words.say('only_days', { days: eachWeekday(rule, words) }) +
          (byMonth.length > 0 ? words.texts.of_the_month : words.texts.of_the_year)
        : words.say('only_weekdays', { weekdays: many(rule, words) }),
    byMonthDay: () =>
      words.say('only_days', {
        days: words.or(daysOfMonth(rule, 'days_of_month', words)) + words.texts.of_the_month,
      }),
    byYearDay: () =>
      words.say('only_days', { days: words.or(daysOfYear(rule, words)) + words.texts.of_the_year }),
    byMonth: () => monthsText('only_in_month', rule, words),
  }
  const lists = { byDay, byMonthDay, byYearDay, byMonth }
  return parts.map((part) => (lists[part].length > 0 ? said[part]() : '')).join('')
}

/** Days of a month, or of months of a year. */
function daysInMonth(rule: CompleteRule, words: RuleWords): string {
  const { byMonth, byMonthDay, interval } = rule
  const isDate = byMonth.length === 1 && byMonthDay.length === 1 && byMonthDay[0]! > 0 && !isInMonths(rule)
  if (isDate && !rule.days)
    return (
      words.say('on_date', { date: dateText({ day: byMonthDay[0]!, month: byMonth[0]! }, words) }) +
      (interval === 1 ? words.texts.in_every_year : '')
    )
  const said = rule.days
    ? words.texts.on + words.and(rule.days)
    : words.and(daysOfMonth(rule, 'days_of_month', words))
  return said + within(rule, words, false)
}

/** Weekdays that must be certain days of a month: `every Friday that falls on the 13th`. */
function fallingWeekdays(rule: CompleteRule, words: RuleWords): string {
  const { byMonth, byMonthDay, interval } = rule
  const ofMonth = byMonthDay.some((day) => day < 0) ? words.texts.of_the_month : ''
  const months = byMonth.length > 0 && !isInMonths(rule) ? monthsText('of_month', rule, words) : ofMonth
  const days = words.or(daysOfMonth(rule, 'between_days', words))
  return (
    everyWeekday(rule, words) +
    words.say(interval === 1 ? 'that_falls' : 'that_fall', { days: days + months })
  )
}

/** The days of a month or a year. What counts in a week or a day comes out the same if it is each one. */
function days(rule: CompleteRule, words: RuleWords): string {
  const { freq, interval, byMonth, byWeekNo, byYearDay, byMonthDay, byDay } = rule
  const year = interval === 1 ? words.texts.of_every_year : words.texts.of_the_year
  if (byWeekNo.length > 0) {
    const who = byDay.length === 0 ? everyDay(rule, words) : theWeekdays(rule, words)
    return `${who} ${words.and(byWeekNo.map((week) => weekText(week, words)))}${year}${only(rule, words, 'byMonthDay', 'byYearDay', 'byMonth')}`
  }
  if (byYearDay.length > 0) {
    const said = words.and(daysOfYear(rule, words))
    return said + year + only(rule, words, 'byDay', 'byMonthDay', 'byMonth')
  }
  const isDays = byMonthDay.length > 0 || rule.days !== undefined
  if (isNumbered(rule)) {
    const isOfYear = freq === 'YEARLY' && byMonth.length === 0
    return eachWeekday(rule, words) + within(rule, words, isOfYear) + only(rule, words, 'byMonthDay')
  }
  if (isDays) return byDay.length > 0 ? fallingWeekdays(rule, words) : daysInMonth(rule, words)
  return (
    everyWeekday(rule, words) +
    (byMonth.length > 0 && !isInMonths(rule) ? monthsText('in_month', rule, words) : '')
  )
}

/** Every second, third ... day or week. */
function everyFewDays(rule: Rule, words: RuleWords): string {
  const { freq, interval } = rule
  const head = everyFew(rule, words)
  if (freq === 'DAILY') return head + only(rule, words, 'byDay', 'byMonthDay', 'byMonth')
  const weekdays = weekdaysOf(rule)
  const months = only(rule, words, 'byMonth')
  if (interval === 2 && weekdays.length === 1)
    return weekdayText('every_second_weekday', weekdays, words) + months
  const said = isRun(weekdays) ? fromTo(weekdays, words).trim() : weekdayText('on_weekdays', weekdays, words)
  return head + words.say('after_every', { days: said }) + months
}

function body(rule: CompleteRule, words: RuleWords): string {
  const { freq, interval } = rule
  if (interval === 1) return days(rule, words)
  if (freq === 'DAILY' || freq === 'WEEKLY') return everyFewDays(rule, words)
  const months = isInMonths(rule) ? only(rule, words, 'byMonth') : ''
  return everyFew(rule, words) + words.say('after_every', { days: days(rule, words) }) + months
}

/** A rule whose positions are told with its days, where that can be said: the second Friday, the last working day. */
function placed(rule: Rule, times: number, words: RuleWords): CompleteRule {
  const { freq, bySetPos, byMonthDay } = rule
  const weekdays = weekdaysOf(rule)
  const isPlain = freq === 'MONTHLY' && times === 1 && byMonthDay.length === 0 && !isNumbered(rule)
  if (bySetPos.length === 0 || !isPlain) return rule
  const bare = { ...rule, bySetPos: [], byDay: [] }
  if (weekdays.length === 7) return { ...bare, byMonthDay: bySetPos }
  if (weekdays.length === 1)
    return { ...bare, byDay: bySetPos.map((nth) => ({ weekday: weekdays[0]!, nth })) }
  if (`${weekdays}` === WORKING_DAYS) {
    const said = bySetPos.map((nth) => words.nth(nth, words.texts.nouns.working_day))
    return { ...bare, days: [...said.slice(0, -1), said.at(-1)! + words.texts.monday_to_friday] }
  }
  return {
    ...bare,
    days: bySetPos.map((nth) =>
      words.say('nth_of_all', { nth: words.nth(nth, ''), weekdays: many(rule, words) }),
    ),
  }
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

function timesText({ byHour, byMinute, bySecond }: Rule, times: number[], words: RuleWords): string {
  if (byHour.length + byMinute.length + bySecond.length === 0) return ''
  if (times.length > MOST_TIMES) return words.count('times_a_day', times.length)
  const each = times.map((seconds) => {
    const { hour, text } = timeOf(seconds)
    return words.say(hour === 1 ? 'at_one' : 'at_time', { time: text })
  })
  return words.say('at_times', { times: words.and(each) })
}

function dayOf(id: RecurrenceId): Day {
  const [year, month, day] = id.slice(0, 10).split('-').map(Number) as [number, number, number]
  return { day, month, year }
}

/** Which of the dates are meant; of several times a day, which of the times. */
function positionsText({ bySetPos, freq }: Rule, times: number, words: RuleWords): string {
  if (bySetPos.length === 0) return ''
  const { nouns } = words.texts
  const noun = nouns[freq === 'DAILY' ? 'time_of_day' : times > 1 ? 'time' : 'date']
  const positions = words.and(bySetPos.map((nth) => words.nth(nth, noun, 'ordinals_of_weeks_and_times')))
  return words.say('only_positions', { positions, unit: nouns[UNITS[freq]] })
}

function ruleText({ start, rule }: Recurrence, words: RuleWords): string {
  const { count, until } = rule
  if (count === 1) return words.say('on_date', { date: dateText(dayOf(start), words) })
  const begin = secondsOf(start)
  const times = timesOf(rule, begin)
  const told = placed(withoutWholeWeek(completed(rule, Math.floor(begin / DAY_SECONDS))), times.length, words)
  const said = words.adjust(
    body(told, words) + timesText(rule, times, words) + positionsText(told, times.length, words),
  )
  if (count !== undefined) return said + words.count('times', count)
  if (until === undefined) return said
  return `${said}${said.includes(',') ? ',' : ''} ${words.say('until', { date: dateText(dayOf(until), words) })}`
}

/**
 * A recurrence in words, such as `every second Tuesday until 14 May 2027, except 3 dates`: all that its rule says, and how many dates
 * are added and taken out. In English for languages without own words.
 */
export function textOf(recurrence: Recurrence, language: string): string {
  const { rule, rdate, exdate } = recurrence
  const words = ruleWordsOf(language)
  const excepted = given(recurrence, exdate).size
  const comma = rule.count === 1 ? ' ' : ', '
  const more = rdate.length === 0 ? '' : comma + words.count('more_dates', rdate.length)
  return words.adjust(
    ruleText(recurrence, words) + more + (excepted === 0 ? '' : words.count('except_dates', excepted)),
  )
}
