import type { EventRow, Post, SeriesRow } from '../../../formats/records.ts'
import { expand, hasDate, nextAfter } from '../../../rules/recurrence/expansion.ts'
import { moved } from '../../../rules/recurrence/move.ts'
import { occurrenceOf } from '../../../rules/recurrence/occurrences.ts'
import {
  MOST_DATES,
  type RecurrenceInput,
  readRecurrence,
  recurrenceOf as recurrenceFrom,
} from '../../../rules/recurrence/recurrence.ts'
import type { Pattern, Recurrence, RecurrenceId } from '../../../rules/recurrence/rule.ts'
import type { Site } from '../../../rules/site.ts'
import { addDays, startOfDay, toEpoch, toWall, type Wall } from '../../../rules/time/dates.ts'
import { invalid, type Problems } from '../../../support/errors.ts'

type Times = Pick<EventRow, 'start_date' | 'timezone' | 'all_day'>
type Now = { site: Pick<Site, 'horizon'>; now: number }

/** What repeats, of the row of a series in `events`. */
export const patternOf = ({ start_date: start, timezone: zone, all_day: allDay }: Times): Pattern => ({
  // where the clocks skip midnight, a day begins later
  ...{ start: allDay ? startOfDay(start) : start, zone, allDay },
})

/** How a stored series repeats. */
export const recurrenceOf = ({ rrule, rdate, exdate }: SeriesRow, event: Times): Recurrence =>
  recurrenceFrom({ rrule, rdate, exdate }, patternOf(event))

/** Up to when series have dates, in UTC. */
export const utcHorizon = ({ site, now }: Now): Wall => addDays(toWall(now, 'UTC'), site.horizon!)

/** Up to when series have dates, as one of their dates. */
export function horizonOf(w: Now, { zone, allDay }: Pick<Pattern, 'zone' | 'allDay'>): RecurrenceId {
  const wall = toWall(toEpoch(utcHorizon(w), 'UTC'), zone)
  return allDay ? wall.slice(0, 10) : wall
}

/** Up to when a recurrence may have at most 1,500 dates: as far as it has dates now, and as it will have if it begins later than that. */
function boundOf(w: Now, pattern: Pattern): RecurrenceId {
  const ahead = addDays(pattern.start, w.site.horizon!)
  const later = pattern.allDay ? ahead.slice(0, 10) : ahead
  const horizon = horizonOf(w, pattern)
  return pattern.start > horizon ? later : horizon
}

/**
 * Reads a recurrence as it was sent, or gives the problems with it by its parts. `was` is how the series repeated before: one that time
 * has brought to 1,500 dates may still be changed in all but its rule.
 */
export function readSent(
  w: Now,
  input: RecurrenceInput,
  event: Times,
  was?: Recurrence,
): { recurrence: Recurrence; problems?: undefined } | { recurrence?: undefined; problems: Problems } {
  const pattern = patternOf(event)
  const { recurrence, refusals } = readRecurrence(input, pattern, {
    toWall,
    horizon: boundOf(w, pattern),
    was,
  })
  if (recurrence) return { recurrence }
  const problems: Problems = {}
  for (const { part, message } of refusals)
    problems[part === 'start_date' ? part : `recurrence.${part}`] ??= message
  return { problems }
}

/** The recurrence that a request sends for these times. Throws the 400 with all of its problems. */
export function mustRead(w: Now, input: RecurrenceInput, event: Times, was?: Recurrence): Recurrence {
  const { recurrence, problems } = readSent(w, input, event, was)
  if (recurrence) return recurrence
  throw invalid(problems)
}

/** Dates that have occurrences, and the start of the one after them in UTC. */
type Dates = { dates: RecurrenceId[]; next_utc: Wall | null }

/** The dates that have occurrences now: up to the horizon, the first one in any case. */
export function datesOf(w: Now, recurrence: Recurrence, until: RecurrenceId): Dates {
  const [first] = expand(recurrence, { limit: 1 })
  const to = [horizonOf(w, recurrence), until, first ?? ''].reduce((a, b) => (a > b ? a : b))
  return withLater(w, recurrence, expand(recurrence, { to, limit: MOST_DATES }), MOST_DATES)
}

/** The dates after one up to the horizon, of a series that has so many by now. */
export const datesAfter = (w: Now, recurrence: Recurrence, last: RecurrenceId, had: number): Dates => {
  const most = MOST_DATES - had
  const dates = expand(recurrence, { after: last, to: horizonOf(w, recurrence), limit: most })
  return withLater(w, recurrence, dates, most, last)
}

/** Dates with those that are later on the clock but not in time, where it goes back. */
function withLater(
  w: Now,
  recurrence: Recurrence,
  dates: RecurrenceId[],
  most: number,
  last?: RecurrenceId,
): Dates {
  for (;;) {
    const after = dates.at(-1) ?? last
    const next = after === undefined || dates.length >= most ? undefined : nextAfter(recurrence, after)
    const utc = next === undefined ? null : occurrenceOf(recurrence, next).utc
    if (next === undefined || utc === null || utc > utcHorizon(w)) return { dates, next_utc: utc }
    dates.push(next)
  }
}

/** The row of a series that repeats so. `until` is the last date that it had. In the trash it gets no more. */
export function seriesRowOf(
  w: Now,
  { id, status }: Pick<Post, 'id' | 'status'>,
  recurrence: Recurrence,
  until: RecurrenceId,
): SeriesRow {
  const { rrule, rdate, exdate } = recurrence
  const { dates, next_utc } = datesOf(w, recurrence, until)
  const isOver = status === 'trash'
  return { post_id: id, rrule, rdate, exdate, until: dates.at(-1) ?? '', next_utc: isOver ? null : next_utc }
}

/** A recurrence without one of its dates. */
export const without = (recurrence: Recurrence, id: RecurrenceId): Recurrence => ({
  ...recurrence,
  exdate: [...new Set([...recurrence.exdate, id])].sort(),
})

/** A recurrence with a date that was taken out of it, or that its rule does not give. */
export function withDate(recurrence: Recurrence, id: RecurrenceId): Recurrence {
  const back = { ...recurrence, exdate: recurrence.exdate.filter((other) => other !== id) }
  return hasDate(back, id) ? back : { ...back, rdate: [...back.rdate, id].sort() }
}

/** Dates of a recurrence after its start has moved, each by the same distance. */
export const movedDates = (recurrence: Recurrence, to: Pattern, ids: RecurrenceId[]): RecurrenceId[] =>
  moved({ ...recurrence, rdate: ids }, to).rdate as RecurrenceId[]
