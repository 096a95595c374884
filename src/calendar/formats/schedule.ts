import { secondsOf, toOffsetDateTime } from '../../kernel/time/dates.ts'
import { idOf } from '../recurrence/expansion.ts'
import { recurrenceOf } from '../recurrence/recurrence.ts'
import { printWeekday, type Recurrence, type RecurrenceId, type Rule } from '../recurrence/rule.ts'
import { filled } from './json.ts'
import type { OwnSeries } from './records.ts'

const UNITS: Record<Rule['freq'], string> = { YEARLY: 'Y', MONTHLY: 'M', WEEKLY: 'W', DAILY: 'D' }
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const DAY = 86_400

/** A list of one as that one, an empty one as nothing. */
const alone = <T>(list: T[]) => (list.length > 1 ? list : list[0])

/** Whether schema.org has words for all that a rule says. */
function hasSchemaWords(rule: Rule): boolean {
  const { byWeekNo, byYearDay, byMonthDay, byHour, byMinute, bySecond, bySetPos, wkst, interval } = rule
  const untold = [byWeekNo, byYearDay, byHour, byMinute, bySecond, bySetPos]
  return (
    untold.every((list) => list.length === 0) &&
    byMonthDay.every((day) => day > 0) &&
    (wkst === 0 || interval === 1)
  )
}

/** The rule itself: weekdays by their names, those with a number as iCalendar writes them. */
function ruleMembers({ freq, interval, byDay, byMonth, byMonthDay, count, until }: Rule) {
  const isNumbered = byDay.some(({ nth }) => nth !== 0)
  return {
    repeatFrequency: `P${interval}${UNITS[freq]}`,
    byDay: alone(
      byDay.map((day) => (isNumbered ? printWeekday(day) : `https://schema.org/${DAYS[day.weekday]}`)),
    ),
    byMonth: alone(byMonth),
    byMonthDay: alone(byMonthDay),
    repeatCount: count,
    endDate: until?.slice(0, 10),
  }
}

/** How long each date lasts on its clock, as a duration of ISO 8601. */
function durationOf({ start_date, end_date, all_day }: OwnSeries): string | undefined {
  const seconds = secondsOf(end_date) - secondsOf(start_date)
  if (all_day) return `P${Math.ceil((seconds + 1) / DAY)}D`
  if (seconds === 0) return undefined
  return seconds % 60 === 0 ? `PT${seconds / 60}M` : `PT${seconds}S`
}

/** How a series repeats, for schema.org: its rule, and each added date. Undefined if schema.org has no words for the rule. */
export function scheduleOf(series: OwnSeries): object | object[] | undefined {
  const { timezone: zone, all_day: allDay, start_date: start } = series
  const recurrence: Recurrence = recurrenceOf(series.series, { start, zone, allDay })
  const { rule, rdate, exdate } = recurrence
  if (!hasSchemaWords(rule)) return undefined
  const timeOf = (id: RecurrenceId) => (allDay ? undefined : id.slice(11))
  const schedule = (id: RecurrenceId, more: object) =>
    filled({
      '@type': 'Schedule',
      startDate: id.slice(0, 10),
      startTime: timeOf(id),
      duration: durationOf(series),
      scheduleTimezone: zone,
      ...more,
    })
  const except = exdate.map((id) => (allDay ? id : toOffsetDateTime(id, zone)))
  return alone([
    schedule(start, { ...ruleMembers(rule), exceptDate: alone(except) }),
    ...rdate.map((id) => schedule(id, ruleMembers({ ...ONCE, until: id }))),
  ])
}
const ONCE = {
  freq: 'DAILY',
  interval: 1,
  byDay: [],
  byMonth: [],
  byMonthDay: [],
  count: 1,
} as unknown as Rule

/** The end of the last date of a series, as local time; undefined if there are others after those that have events by now. */
export function lastEndOf({ series: { next_utc, until }, start_date, end_date }: OwnSeries) {
  if (next_utc !== null || until === '') return undefined
  const begin = secondsOf(until.length === 10 ? `${until} 00:00:00` : until)
  const end = begin + secondsOf(end_date) - secondsOf(start_date)
  return idOf(end, false)
}
