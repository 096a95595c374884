import { idOf, ruleDates, secondsOf } from './expansion.ts'
import { printRule, type Recurrence, type RecurrenceId, type Rule } from './rule.ts'

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
