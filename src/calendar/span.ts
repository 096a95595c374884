import type { Problems } from '../kernel/errors.ts'
import { endOfDay, normalize, startOfDay, toEpoch, toUtc, toWall, type Wall } from '../kernel/time/dates.ts'
import { inZone, readMoment } from '../kernel/time/moments.ts'

/** When an event takes place: local times in its zone, and the same times in UTC. */
export type Span = {
  start_date: string
  end_date: string
  utc_start_date: string
  utc_end_date: string
  timezone: string
  all_day: boolean
}
type SpanInput = {
  start_date?: string | null
  end_date?: string | null
  timezone?: string | null
  all_day?: boolean | null
}

/**
 * The span after a write. Absent members keep their value (D1), a single date is applied (D3), a date with an offset is an
 * instant (D4), a new zone keeps the local time (D5), and `all_day` defaults to false if a date is sent (D2).
 */
export function readSpan(
  input: SpanInput,
  stored: Span | undefined,
  now: number,
  siteZone: string,
): Span | { problems: Problems } {
  const timezone =
    input.timezone === undefined ? (stored?.timezone ?? siteZone) : (input.timezone ?? siteZone)
  const dated = Boolean(input.start_date || input.end_date)
  const all_day = input.all_day === undefined ? !dated && stored!.all_day : (input.all_day ?? false)
  const written = (value: string | null | undefined, stored: string | undefined) => {
    if (!value) return stored!
    const moment = readMoment(value, { now, zone: timezone })!
    return moment.instant === undefined ? moment.wall : inZone(moment, timezone)
  }
  let start = written(input.start_date, stored?.start_date)
  let end = written(input.end_date, stored?.end_date)
  if (all_day) {
    start = startOfDay(start)
    end = endOfDay(end)
  }
  if (end < start)
    return { problems: { end_date: `The end (${end}) must not lie before the start (${start}).` } }
  return { ...timesOf({ start_date: start, end_date: end, timezone }), timezone, all_day }
}

/**
 * The times of a span by the rules of its zone: local times that exist there, and the same times in UTC. If a DST gap moves the start past
 * the end, the end moves too (R8). A later edition of the tz database may give others.
 */
export function timesOf({
  start_date,
  end_date,
  timezone,
}: Pick<Span, 'start_date' | 'end_date' | 'timezone'>) {
  const start = normalize(start_date, timezone)
  const settled = normalize(end_date, timezone)
  const end = settled < start ? start : settled
  return {
    start_date: start,
    end_date: end,
    utc_start_date: toUtc(start, timezone),
    utc_end_date: toUtc(end, timezone),
  }
}

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
