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
