import { lastDay, type Span } from './month.ts'
import { addDays, addMinutes, type Moment, minutesBetween, weekdayOf } from './wall.ts'

/** Minutes of a day. */
export const DAY = 1440
/** What events are moved and stretched by, in minutes. */
export const STEP = 15
/** Minutes that an event takes at least where it is drawn, so that its title can be read. */
const LEAST = 30

/** An event in the hours of one day: its minutes, its place beside others, and whether it begins and ends there. */
export type Block<T> = {
  event: T
  from: number
  to: number
  lane: number
  lanes: number
  begins: boolean
  ends: boolean
}

const momentOf = (wall: string): Moment => ({ day: wall.slice(0, 10), time: wall.slice(11, 16) })
const wallOf = ({ day, time }: Moment): string => `${day} ${time}:00`

/** The seven days of the week that a day is in. `first` is the first day of a week: 1 for Monday, 7 for Sunday. */
export function weekOf(day: string, first: number): string[] {
  const start = addDays(day, -((weekdayOf(day) + 8 - first) % 7))
  return Array.from({ length: 7 }, (_, at) => addDays(start, at))
}

/** Whether an event stands in the hours of its days: others last whole days. */
export const isTimed = ({ start_date, end_date, all_day }: Span & { all_day: boolean }): boolean =>
  !all_day && minutesBetween(momentOf(start_date), momentOf(end_date)) < DAY

/** Puts the events of a day into its hours; those at the same time stand beside each other. */
export function layOutHours<T extends Span & { all_day: boolean }>(
  day: string,
  events: readonly T[],
): Block<T>[] {
  const midnight = { day, time: '00:00' }
  const blocks = events
    .filter(isTimed)
    .map((event) => {
      const start = minutesBetween(midnight, momentOf(event.start_date))
      const end = minutesBetween(midnight, momentOf(event.end_date))
      // what ends at night is drawn in its evening, to midnight
      const isLast = lastDay(event) <= day
      const from = Math.min(Math.max(0, start), DAY - LEAST)
      const to = Math.min(DAY, Math.max(end, start + LEAST))
      return { event, from, to, lane: 0, lanes: 1, begins: start >= 0, ends: isLast, start }
    })
    .filter(({ event, start }) => start < DAY && lastDay(event) >= day)
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
  /** Events of which each is at the same time as another one, and when each of their places is free again. */
  let together: typeof blocks = []
  let free: number[] = []
  for (const block of blocks) {
    if (block.from >= Math.max(0, ...free)) [together, free] = [[], []]
    const lane = free.findIndex((until) => until <= block.from)
    block.lane = lane < 0 ? free.length : lane
    free[block.lane] = block.to
    together.push(block)
    for (const one of together) one.lanes = free.length
  }
  return blocks.map(({ start: _, ...block }) => block)
}

/** The dates of an event that is moved some minutes, or whose end alone is; it lasts a quarter of an hour at least then. */
export function shiftedBy({ start_date, end_date }: Span, minutes: number, isStretched: boolean): Span {
  const end = addMinutes(momentOf(end_date), minutes)
  if (!isStretched)
    return { start_date: wallOf(addMinutes(momentOf(start_date), minutes)), end_date: wallOf(end) }
  const least = addMinutes(momentOf(start_date), STEP)
  return { start_date, end_date: wallOf(minutesBetween(least, end) < 0 ? least : end) }
}

/** A number of minutes in steps. */
export const stepped = (minutes: number): number => Math.round(minutes / STEP) * STEP

/** The time of day of a minute, as `19:30`: the beginning of its half hour. */
export const halfHour = (minute: number): string =>
  addMinutes(
    { day: '2000-01-01', time: '00:00' },
    Math.min(DAY - 30, Math.max(0, Math.floor(minute / 30) * 30)),
  ).time
