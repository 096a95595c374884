import { toEpoch, toUtc, toWall } from '../../kernel/time/dates.ts'
import { readDate } from './dates.ts'
import { compact, type Pattern, printRule, type Recurrence, type RecurrenceId } from './rule.ts'

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
