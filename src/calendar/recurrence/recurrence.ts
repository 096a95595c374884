import { toEpoch, toUtc, toWall, type Wall } from '../../kernel/time/dates.ts'
import { expand, idOf, ruleDates, secondsOf, type Window, type Work } from './expansion.ts'
import {
  compact,
  type Pattern,
  printRule,
  type Recurrence,
  type RecurrenceId,
  type Refusal,
  type Rule,
  readDate,
  readDates,
  readRule,
  type ToWall,
} from './rule.ts'

/** A recurrence as it is sent. Without a rule, it consists of its start and RDATE. */
export type RecurrenceInput = { rrule?: string; rdate?: readonly string[]; exdate?: readonly string[] }

/** How many dates a recurrence may have. */
export const MOST_DATES = 1_500
/** What COUNT may be at most in a recurrence that may be long. */
const LONGEST_COUNT = 100_000
/** The rule of a recurrence that has none: its start alone. */
const ONCE = 'FREQ=DAILY;COUNT=1'

/**
 * What reading needs: the local time of an instant in a zone (`toWall` of src/kernel/time/dates.ts), and up to when (`windowEnd`, local
 * time) there may be at most `bound` dates. `was` is how it repeated before, where that is changed. What `isLong` may have more dates.
 */
export type Reading = {
  toWall: ToWall
  windowEnd?: RecurrenceId
  bound?: number
  was?: Recurrence | undefined
  isLong?: boolean
}

type Read = { recurrence: Recurrence; refusals?: undefined } | { recurrence?: undefined; refusals: Refusal[] }

/** Reads a recurrence of an event. It is refused with everything that is wrong with it, each with the part that it concerns. */
export function readRecurrence(input: RecurrenceInput, pattern: Pattern, reading: Reading): Read {
  const { toWall, windowEnd, bound = MOST_DATES, was, isLong = false } = reading
  const { recurrence, refusals } = readParts(
    input,
    pattern,
    toWall,
    isLong || was?.since ? LONGEST_COUNT : bound,
  )
  if (refusals.length > 0) return { refusals }
  const isLarge = (one: Recurrence, most: number) => isOver(one, most, windowEnd)
  const refusal =
    refusalOfStart(recurrence) ??
    (isLong || (was && isAlike(recurrence, was) && isLarge(was, bound - 1))
      ? refusalOfNone(recurrence)
      : refusalOfSize(recurrence, bound, windowEnd))
  return refusal ? { refusals: [refusal] } : { recurrence }
}

/**
 * A recurrence that was read before, from its own `rrule`, `rdate` and `exdate`. It is not judged again: by now, all of its dates may be
 * excluded. Throws a RangeError if it is none.
 */
export function recurrenceOf(kept: Required<RecurrenceInput>, pattern: Pattern): Recurrence {
  const isLocal = (): never => {
    throw new RangeError(`Not local time: ${kept.rrule}`)
  }
  const { recurrence, refusals } = readParts(kept, pattern, isLocal, Number.POSITIVE_INFINITY)
  const [refusal] = refusals
  if (refusal) throw new RangeError(`${refusal.part} ${refusal.message}`)
  return recurrence
}

function readParts(input: RecurrenceInput, pattern: Pattern, toWall: ToWall, bound: number) {
  const refusals: Refusal[] = []
  const rule = readRule(input.rrule ?? ONCE, { pattern, toWall, bound, refusals })
  const rdate = readDates('rdate', input.rdate ?? [], pattern, { toWall, bound, refusals })
  const exdate = readDates('exdate', input.exdate ?? [], pattern, { toWall, bound, refusals })
  const { start, zone, allDay } = pattern
  return { recurrence: { start, zone, allDay, rule, rrule: printRule(rule), rdate, exdate }, refusals }
}

/** RFC 5545 §3.8.5.3 leaves undefined what a rule gives whose start is not one of its dates. One that EXDATE takes out does no harm. */
function refusalOfStart(recurrence: Recurrence): Refusal | undefined {
  const { start, allDay, rule, exdate } = recurrence
  const first = secondsOf(start)
  const endless = { ...rule, count: undefined, until: undefined }
  const found = ruleDates({ start, rule: endless }, first).next().value
  if (found === first) return undefined
  if (found === undefined)
    return {
      part: 'rrule',
      message: `must give a date; from ${idOf(first, allDay)} on, none has all that it asks for.`,
    }
  if (rule.count === undefined && exdate.includes(idOf(first, allDay))) return undefined
  return {
    part: 'start_date',
    message: `must be a date of its rule; the first one from then on is ${idOf(found, allDay)}.`,
  }
}

function refusalOfNone(recurrence: Recurrence): Refusal | undefined {
  if (expand(recurrence, { limit: 1 }).length > 0) return undefined
  return { part: 'exdate', message: 'must leave a date of the rule.' }
}

/** Whether a recurrence has the rule of another one but for its end, and no more dates added. */
const isAlike = (one: Recurrence, other: Recurrence): boolean =>
  printRule({ ...one.rule, until: undefined }) === printRule({ ...other.rule, until: undefined }) &&
  one.rdate.length <= other.rdate.length

/** Whether a recurrence has more dates than a series may, up to one of them. */
export const isBeyondMost = (recurrence: Recurrence, to: RecurrenceId): boolean =>
  isOver(recurrence, MOST_DATES, to)

/** Whether a recurrence has more dates than `most`: those up to `to`; all of them if nothing is said, unless it has no end. */
function isOver(recurrence: Recurrence, most: number, to: RecurrenceId | undefined): boolean {
  const { count, until } = recurrence.rule
  if (to === undefined && count === undefined && until === undefined) return false
  if (count !== undefined && count + recurrence.rdate.length <= most) return false
  return expand(recurrence, { to, limit: most + 1 }).length > most
}

function refusalOfSize(recurrence: Recurrence, bound: number, to?: RecurrenceId): Refusal | undefined {
  const { rule, rdate, exdate } = recurrence
  const none = refusalOfNone(recurrence)
  if (none) return none
  const counted = (rule.count ?? 0) + rdate.length - exdate.length
  if (rule.count !== undefined && counted > bound)
    return {
      part: 'rdate',
      message: `must be at most ${bound} dates together with those that COUNT says; they are ${counted}.`,
    }
  if (!isOver(recurrence, bound, to)) return undefined
  const when = to === undefined ? '' : ` until ${to.slice(0, 10)}`
  return {
    part: 'rrule',
    message: `must give at most ${bound} dates${when}; end it earlier with COUNT or UNTIL.`,
  }
}

/**
 * What to read for an event that has moved: RDATE, EXDATE and UNTIL by the distance between the starts on their wall clocks. The other
 * parts of the rule stay, so the new start may not be one of its dates. A new zone alone changes nothing.
 */
export function moveRecurrence(
  { start, rule, rdate, exdate }: Recurrence,
  to: Pattern,
): Required<RecurrenceInput> {
  const distance = secondsOf(to.start) - secondsOf(start)
  const days = secondsOf(to.start.slice(0, 10)) - secondsOf(start.slice(0, 10))
  const move = (id: RecurrenceId) =>
    to.allDay ? idOf(secondsOf(id.slice(0, 10)) + days, true) : idOf(secondsOf(id) + distance, false)
  return {
    rrule: printRule(rule, rule.until && compact(move(rule.until))),
    rdate: rdate.map(move),
    exdate: exdate.map(move),
  }
}

const wallOf = (id: RecurrenceId) => (id.length === 10 ? `${id} 00:00:00` : id)

/** A part of a recurrence: from a start by a rule, or the added dates alone, of which the first is the start of it. */
function part(
  whole: Recurrence,
  ids: { rdate: RecurrenceId[]; exdate: RecurrenceId[] },
  ruled?: { start: RecurrenceId; rule: Rule },
) {
  const [first, ...others] = ids.rdate
  if (ruled)
    return { ...whole, ...ids, start: wallOf(ruled.start), rule: ruled.rule, rrule: printRule(ruled.rule) }
  if (first === undefined) return undefined
  const rule: Rule = { ...ONE_DATE }
  return { ...whole, start: wallOf(first), rule, rrule: printRule(rule), rdate: others, exdate: ids.exdate }
}

/** The rule of what has added dates alone. */
const ONE_DATE: Rule = {
  freq: 'DAILY',
  interval: 1,
  byMonth: [],
  byWeekNo: [],
  byYearDay: [],
  byMonthDay: [],
  byDay: [],
  byHour: [],
  byMinute: [],
  bySecond: [],
  bySetPos: [],
  wkst: 0,
  count: 1,
}

/**
 * A recurrence in two: the dates before one, and from it on. Each part is undefined if it has no dates of the rule and none added; one
 * that has added dates alone begins with the first of them. Together they have the dates of the whole; EXDATE goes with its dates. Only a
 * COUNT is counted from the start on: a long series is looked at from `since` on.
 */
export function split(whole: Recurrence, at: RecurrenceId): { before?: Recurrence; from?: Recurrence } {
  const { rule, allDay } = whole
  const before = { rdate: whole.rdate.filter((id) => id < at), exdate: whole.exdate.filter((id) => id < at) }
  const from = { rdate: whole.rdate.filter((id) => id >= at), exdate: whole.exdate.filter((id) => id >= at) }
  const isCounted = rule.count !== undefined
  const begin = (isCounted ? undefined : whole.since) ?? whole.start
  let [passed, last, next]: [number, RecurrenceId?, RecurrenceId?] = [0]
  for (const date of ruleDates(whole, secondsOf(begin))) {
    const id = idOf(date, allDay)
    if (id >= at) {
      next = id
      break
    }
    passed++
    last = id
  }
  const ended = isCounted ? { ...rule, count: passed } : { ...rule, until: last }
  const rest = isCounted ? { ...rule, count: rule.count! - passed } : rule
  return {
    before: part(
      whole,
      before,
      last === undefined ? undefined : { start: whole.start.slice(0, allDay ? 10 : 19), rule: ended },
    ),
    from: part(whole, from, next === undefined ? undefined : { start: next, rule: rest }),
  }
}

/**
 * One date of a recurrence: its identity, which is the local time that the rule gives, and when it starts: local time that exists in
 * the zone (a time in a gap moves forward by the gap, of a repeated one it is the first), and UTC.
 */
export type Occurrence = { recurrenceId: RecurrenceId; start: Wall; utc: Wall }

/** The occurrence of a date of a recurrence. */
export function occurrenceOf(
  { zone, allDay }: Omit<Pattern, 'start'>,
  recurrenceId: RecurrenceId,
): Occurrence {
  const wall = allDay ? `${recurrenceId} 00:00:00` : recurrenceId
  const at = toEpoch(wall, zone)
  return { recurrenceId, start: toWall(at, zone), utc: toWall(at, 'UTC') }
}

/** The occurrences of a recurrence in a window of local times, in order of their dates. */
export const occurrences = (recurrence: Recurrence, window?: Window, work?: Work): Occurrence[] =>
  expand(recurrence, window, work).map((id) => occurrenceOf(recurrence, id))

/** The value of RRULE. Its UNTIL is a date for all-day, else in UTC, as RFC 5545 §3.3.10 requires beside a start with a zone. */
export function rruleValue({ rule, allDay, zone }: Recurrence): string {
  const { until } = rule
  if (until === undefined || allDay) return printRule(rule)
  return printRule(rule, `${compact(toUtc(until, zone))}Z`)
}

/** The value of RDATE, EXDATE or RECURRENCE-ID: local time of the event's zone, which is its TZID; all-day a DATE. */
export const dateValues = (ids: readonly RecurrenceId[]): string => ids.map(compact).join(',')

/**
 * Reads the value of RDATE, EXDATE or RECURRENCE-ID of an event. `zone` is that of its TZID, if it has one. Times of UTC and of other
 * zones are brought to the event's; a date stands for the event's time on that day, and a period for its start. What is not
 * a date is returned as `unread`.
 */
export function readDateValues(value: string, { allDay, zone, start }: Pattern, tzid = zone) {
  const dates: RecurrenceId[] = []
  const unread: string[] = []
  for (const text of value.split(',')) {
    const written = readDate(text.split('/')[0]!)
    if (!written) unread.push(text)
    else if (allDay) dates.push(written.date)
    else {
      const { date, time = start.slice(11), instant } = written
      const isElsewhere = written.time !== undefined && tzid !== zone
      const at = instant ?? (isElsewhere ? toEpoch(`${date} ${time}`, tzid) : undefined)
      dates.push(at === undefined ? `${date} ${time}` : toWall(at, zone))
    }
  }
  return { dates, unread }
}
