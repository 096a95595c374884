import { toEpoch, toWall, type Wall } from '../../kernel/time/dates.ts'

/** What tells whether an event was moved: its state, and when it begins. */
type Movable = {
  event_status: string
  start_date: Wall
  timezone: string
  all_day: boolean
  previous_start_date: Wall
}

/** A local time on the clock of another zone. Whole days are the same everywhere. */
const toZone = (wall: Wall, { timezone: from, all_day }: Movable, to: string): Wall =>
  all_day || from === to ? wall : toWall(toEpoch(wall, from), to)

/**
 * The start that a rescheduled event had before it was moved, on the clock of its zone by now: the first one if it is moved again.
 * Empty if it was not moved, is back at that start, or is not rescheduled (schema.org/previousStartDate).
 */
export function previousStart(
  before: Movable | undefined,
  { event_status, start_date, timezone }: Omit<Movable, 'previous_start_date'>,
): Wall {
  if (!before || event_status !== 'rescheduled') return ''
  const former = toZone(before.previous_start_date || before.start_date, before, timezone)
  return former === start_date ? '' : former
}
