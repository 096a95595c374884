import { idOf, secondsOf } from './expansion.ts'
import type { RecurrenceInput } from './recurrence.ts'
import { compact, type Pattern, printRule, type Recurrence, type RecurrenceId } from './rule.ts'

/**
 * What to read for an event that has moved: RDATE, EXDATE and UNTIL by the distance between the starts on their wall clocks. The other
 * parts of the rule stay, so the new start may not be one of its dates. A new zone alone changes nothing.
 */
export function moveRecurrence({ start, rule, rdate, exdate }: Recurrence, to: Pattern): Required<RecurrenceInput> {
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
