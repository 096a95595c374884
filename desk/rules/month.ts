import { addDays, daysBetween, moveWall } from './wall.ts'

/** An event that ends at night belongs to the evening before: until six, as on the pages. */
const MORNING = '06:00:00'

/** When an event takes place, by its own clock. */
export type Span = { start_date: string; end_date: string }
/** A part of an event in one week: its first column and how many it has, its row, and whether it begins and ends there. */
export type Segment<T> = {
  event: T
  column: number
  days: number
  lane: number
  begins: boolean
  ends: boolean
}
/** A week as it is drawn, and how many events of each day have no room. */
export type Week<T> = { days: string[]; segments: Segment<T>[]; hidden: number[] }

const dayOf = (wall: string) => wall.slice(0, 10)

/** The last day of an event. One that ends by the morning ends on the day before, unless it begins there. */
export const lastDay = ({ start_date, end_date }: Span): string =>
  end_date.slice(11) <= MORNING && dayOf(end_date) > dayOf(start_date)
    ? addDays(dayOf(end_date), -1)
    : dayOf(end_date)

/** Puts the events of a week into rows: earlier and longer ones first, none over another. */
export function layOut<T extends Span>(days: string[], events: readonly T[], lanes: number): Week<T> {
  const [first, last] = [days[0]!, days.at(-1)!]
  const taken: boolean[][] = []
  const hidden = days.map(() => 0)
  const segments: Segment<T>[] = []
  const shown = events
    .filter((event) => dayOf(event.start_date) <= last && lastDay(event) >= first)
    .map((event) => ({ event, from: dayOf(event.start_date), to: lastDay(event) }))
    .toSorted(
      (a, b) =>
        Math.max(0, daysBetween(first, a.from)) - Math.max(0, daysBetween(first, b.from)) ||
        daysBetween(b.from, b.to) - daysBetween(a.from, a.to) ||
        a.event.start_date.localeCompare(b.event.start_date),
    )
  for (const { event, from, to } of shown) {
    const column = Math.max(0, daysBetween(first, from))
    const end = Math.min(days.length - 1, daysBetween(first, to))
    let lane = 0
    while (taken[lane]?.slice(column, end + 1).some(Boolean)) lane++
    taken[lane] ??= days.map(() => false)
    taken[lane]!.fill(true, column, end + 1)
    if (lane >= lanes) {
      for (let at = column; at <= end; at++) hidden[at]!++
      continue
    }
    segments.push({ event, column, days: end - column + 1, lane, begins: from >= first, ends: to <= last })
  }
  return { days, segments, hidden }
}

/** The dates of an event that is moved some days, or whose end alone is; the end never comes before the start. */
export function movedBy(span: Span, days: number, isStretched: boolean): Span {
  if (!isStretched)
    return { start_date: moveWall(span.start_date, days), end_date: moveWall(span.end_date, days) }
  const end_date = moveWall(span.end_date, days)
  return { start_date: span.start_date, end_date: end_date < span.start_date ? span.end_date : end_date }
}
