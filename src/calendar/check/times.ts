import { eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { events, occurrences } from '../../../drizzle/tables.ts'
import type { EventRow, OccurrenceRow, Post, SeriesRow } from '../formats/records.ts'
import { dueOf, recurrenceOf } from '../records/series/dates.ts'
import { spanOf } from '../records/series/members.ts'
import { nextAfter } from '../recurrence/expansion.ts'
import { occurrenceOf } from '../recurrence/occurrences.ts'
import { timesOf } from '../time/span.ts'

/** The series of a date of one, as it is in `events`. */
export const pattern = alias(events, 'pattern')
/** Joins it to the occurrence of a post. */
export const isPattern = eq(pattern.post_id, occurrences.series_id)

/** An event or a series as it is stored, and for a date of a series its series. */
export type Dated = {
  post: Post
  event: EventRow
  series: SeriesRow | null
  occurrence: OccurrenceRow | null
  pattern: EventRow | null
}

/**
 * The columns of `events` that say when an event takes place, by the clocks of its zone as they are known now. A date of a series
 * keeps to its rule, also if a gap of the clocks had moved it that is none by now; a series keeps its local times, which its rule counts from.
 */
export function timesBy({ post, event, occurrence, pattern }: Dated): Partial<EventRow> {
  if (post.kind === 'series') {
    const { utc_start_date, utc_end_date } = timesOf(event)
    return { utc_start_date, utc_end_date }
  }
  const isRuled = occurrence && pattern && post.status !== 'trash'
  if (!isRuled || occurrence.overrides.includes('start_date')) return timesOf(event)
  return spanOf({ event: pattern }, occurrence.recurrence_id, event, occurrence.overrides)
}

/** When the next date of a series begins, in UTC; null if it is not waited for. */
export function nextBy({ event, series }: { event: EventRow; series: SeriesRow }): string | null {
  if (series.next_utc === null) return null
  const recurrence = recurrenceOf(series, event)
  const next = nextAfter(recurrence, series.until)
  return next === undefined ? null : dueOf(series, occurrenceOf(recurrence, next).utc)
}

/** Whether an event or a series has the times that its zone gives: an edition of the tz database may move its clocks. */
export const hasTimes = (own: Dated): boolean =>
  Object.entries(timesBy(own)).every(([name, time]) => own.event[name as keyof EventRow] === time) &&
  (own.series === null || nextBy({ ...own, series: own.series }) === own.series.next_utc)
