import { type Refusal, readDates, type ToWall } from './dates.ts'
import { expand, idOf, ruleDates, secondsOf } from './expansion.ts'
import { readRule } from './parts.ts'
import { type Pattern, printRule, type Recurrence, type RecurrenceId } from './rule.ts'

/** A recurrence as it is sent. Without a rule, it consists of its start and RDATE. */
export type RecurrenceInput = { rrule?: string; rdate?: readonly string[]; exdate?: readonly string[] }

/** How many dates a recurrence may have. */
export const MOST_DATES = 1_500
/** What COUNT may be at most in a recurrence that may be long. */
const LONGEST_COUNT = 100_000
/** The rule of a recurrence that has none: its start alone. */
const ONCE = 'FREQ=DAILY;COUNT=1'

/**
 * What reading needs: the local time of an instant in a zone (`toWall` of src/kernel/time/dates.ts), and up to when (`horizon`, local
 * time) there may be at most `bound` dates. `was` is how it repeated before, where that is changed. What `isLong` may have more dates.
 */
export type Reading = {
  toWall: ToWall
  horizon?: RecurrenceId
  bound?: number
  was?: Recurrence | undefined
  isLong?: boolean
}

export type Read =
  | { recurrence: Recurrence; refusals?: undefined }
  | { recurrence?: undefined; refusals: Refusal[] }

/** Reads a recurrence of an event. It is refused with everything that is wrong with it, each with the part that it concerns. */
export function readRecurrence(input: RecurrenceInput, pattern: Pattern, reading: Reading): Read {
  const { toWall, horizon, bound = MOST_DATES, was, isLong = false } = reading
  const { recurrence, refusals } = readParts(
    input,
    pattern,
    toWall,
    isLong || was?.since ? LONGEST_COUNT : bound,
  )
  if (refusals.length > 0) return { refusals }
  const isLarge = (one: Recurrence, most: number) => isOver(one, most, horizon)
  const refusal =
    refusalOfStart(recurrence) ??
    (isLong || (was && isAlike(recurrence, was) && isLarge(was, bound - 1))
      ? refusalOfNone(recurrence)
      : refusalOfSize(recurrence, bound, horizon))
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
