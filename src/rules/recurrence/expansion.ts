import { DAY_SECONDS, type Day, LAST_DAY, printDay, printTime, type Seconds } from './calendar.ts'
import { periodsOf } from './periods.ts'
import type { Recurrence, RecurrenceId, Rule } from './rule.ts'

/** 0001-01-01 00:00:00 and 9999-12-31 23:59:59. */
const BEGIN = -62_135_596_800
const END = (LAST_DAY + 1) * DAY_SECONDS - 1

/** A rule and the local time that it counts from. */
type RuleOf = { start: string; rule: Rule }

/** Which dates to give: `from` and `to` are among them, `after` is not. */
export type Window = { from?: RecurrenceId; after?: RecurrenceId; to?: RecurrenceId; limit?: number }

/** How much was looked at to find dates: periods and the days that they gave. */
export type Work = { steps: number }

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
function timesOf({ byHour, byMinute, bySecond }: Rule, start: Seconds): Seconds[] {
  const own = start - Math.floor(start / DAY_SECONDS) * DAY_SECONDS
  const hours = byHour.length > 0 ? byHour : [Math.floor(own / 3600)]
  const minutes = byMinute.length > 0 ? byMinute : [Math.floor(own / 60) % 60]
  const seconds = bySecond.length > 0 ? bySecond : [own % 60]
  return hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => h * 3600 + m * 60 + s)))
}

/** The dates of one period, of which BYSETPOS takes some; positions from the end are negative. */
function datesOf(days: Day[], times: Seconds[], bySetPos: number[]): Seconds[] {
  if (bySetPos.length === 0) return days.flatMap((day) => times.map((time) => day * DAY_SECONDS + time))
  const size = days.length * times.length
  const places = bySetPos.map((at) => (at > 0 ? at - 1 : size + at)).filter((at) => at >= 0 && at < size)
  return [...new Set(places)]
    .sort((a, b) => a - b)
    .map((at) => days[Math.floor(at / times.length)]! * DAY_SECONDS + times[at % times.length]!)
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

/**
 * The dates that a rule alone gives, in order, from a local time on. Without COUNT it begins at the period of `from`. It ends at the
 * end of the rule or of the calendar, or once a whole cycle of 400 years has given nothing.
 */
export function* ruleDates(
  { start, rule }: RuleOf,
  from: Seconds,
  work: Work = { steps: 0 },
): Generator<Seconds> {
  const begin = secondsOf(start)
  const periods = periodsOf(rule, Math.floor(begin / DAY_SECONDS))
  const times = timesOf(rule, begin)
  const end = rule.until === undefined ? END : Math.min(secondsOf(rule.until), END)
  const first = periods.of(Math.floor(begin / DAY_SECONDS))
  const last = periods.of(LAST_DAY)
  const skipped = Math.floor((periods.of(Math.floor(from / DAY_SECONDS)) - first) / rule.interval)
  const cycle = periods.cycle / greatestDivisor(periods.cycle, rule.interval)
  let left = rule.count ?? Number.POSITIVE_INFINITY
  let period = first + (rule.count === undefined ? Math.max(0, skipped) : 0) * rule.interval
  for (let empty = 0; empty <= cycle && period <= last; empty++, period += rule.interval) {
    const days = periods.days(period)
    work.steps += 1 + days.length
    for (const at of datesOf(days, times, rule.bySetPos)) {
      if (at < begin) continue
      if (at > end) return
      empty = 0
      if (at >= from) yield at
      if (--left === 0) return
    }
  }
}

/** All dates of a recurrence from a local time on: those of its rule and RDATE, without EXDATE. */
function* dates(recurrence: Recurrence, from: Seconds, work?: Work): Generator<RecurrenceId> {
  const { allDay, rdate } = recurrence
  const excluded = new Set(recurrence.exdate)
  const ruled = ruleDates(recurrence, from, work)
  let added = rdate.findIndex((id) => secondsOf(id) >= from)
  if (added < 0) added = rdate.length
  let next = ruled.next()
  while (!next.done || added < rdate.length) {
    const id = next.done ? undefined : idOf(next.value, allDay)
    const other = rdate[added]
    const isOther = id === undefined || (other !== undefined && other <= id)
    if (isOther) added++
    if (id !== undefined && (!isOther || id === other)) next = ruled.next()
    const date = isOther ? other! : id
    if (!excluded.has(date)) yield date
  }
}

/** The dates of a recurrence in a window, in order. `work` counts what was looked at. */
export function expand(recurrence: Recurrence, window: Window = {}, work?: Work): RecurrenceId[] {
  const { from, after, to, limit = Number.POSITIVE_INFINITY } = window
  const found: RecurrenceId[] = []
  const begin = [from, after].filter((id) => id !== undefined).map(secondsOf)
  for (const id of dates(recurrence, Math.max(BEGIN, ...begin), work)) {
    if ((to !== undefined && id > to) || found.length >= limit) break
    if (after === undefined || id > after) found.push(id)
  }
  return found
}

/** The first date of a recurrence after another one; undefined if there is none. */
export const nextAfter = (recurrence: Recurrence, after: RecurrenceId): RecurrenceId | undefined =>
  expand(recurrence, { after, limit: 1 })[0]

/** Whether a recurrence has a date. */
export const hasDate = (recurrence: Recurrence, id: RecurrenceId): boolean =>
  expand(recurrence, { from: id, limit: 1 })[0] === id

/** Whether the rule alone gives a date, excluded or not. */
export const isOfRule = (recurrence: Recurrence, id: RecurrenceId): boolean =>
  ruleDates(recurrence, secondsOf(id)).next().value === secondsOf(id)
