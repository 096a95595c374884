import { toEpoch, toWall, type Wall } from '../../kernel/time/dates.ts'
import { expand, type Window, type Work } from './expansion.ts'
import type { Pattern, Recurrence, RecurrenceId } from './rule.ts'

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
