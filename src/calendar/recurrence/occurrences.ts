import { toEpoch, toUtc, toWall, type Wall } from '../../kernel/time/dates.ts'
import { expand, type Window, type Work } from './expansion.ts'
import { compact, type Pattern, printRule, type Recurrence, type RecurrenceId, readDate } from './rule.ts'

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
