import { invalid, type Problems } from '../../../kernel/errors.ts'
import type { Site } from '../../../kernel/site.ts'
import { addDays, startOfDay, toEpoch, toWall, type Wall } from '../../../kernel/time/dates.ts'
import type { EventRow, Post, SeriesRow } from '../../formats/records.ts'
import { expand, hasDate, idOf, nextAfter, secondsOf } from '../../recurrence/expansion.ts'
import {
  isBeyondMost,
  MOST_DATES,
  moveRecurrence,
  occurrenceOf,
  type RecurrenceInput,
  readRecurrence,
  recurrenceOf as recurrenceFrom,
} from '../../recurrence/recurrence.ts'
import type { Pattern, Recurrence, RecurrenceId } from '../../recurrence/rule.ts'
import type { Write } from '../write.ts'

type Times = Pick<EventRow, 'start_date' | 'timezone' | 'all_day'>
type Now = { site: Pick<Site, 'seriesDays'>; now: number }

/** Dates that a long series may have by and by, past ones with it. */
const MOST_KEPT = 10_000

/** What repeats, of the row of a series in `events`. */
export const patternOf = ({ start_date: start, timezone: zone, all_day: allDay }: Times): Pattern => ({
  // where the clocks skip midnight, a day begins later
  start: allDay ? startOfDay(start) : start,
  zone,
  allDay,
})

/** How a stored series repeats. */
export const recurrenceOf = ({ rrule, rdate, exdate, since }: SeriesRow, event: Times): Recurrence => ({
  ...recurrenceFrom({ rrule, rdate, exdate }, patternOf(event)),
  ...(since !== '' && { since }),
})

/** The first date that a recurrence has here; undefined if it has none. */
export const firstOf = (recurrence: Recurrence): RecurrenceId | undefined =>
  expand(recurrence, { from: recurrence.since, limit: 1 })[0]

/** Up to when series have dates, in UTC. */
export const windowEndUtc = ({ site, now }: Now): Wall => addDays(toWall(now, 'UTC'), site.seriesDays!)

type Clock = Pick<Pattern, 'zone' | 'allDay'>
const dateAt = (at: number, { zone, allDay }: Clock): RecurrenceId =>
  toWall(at, zone).slice(0, allDay ? 10 : 19)

/** Up to when series have dates, as one of their dates. */
const windowEndOf = (w: Now, clock: Clock): RecurrenceId => dateAt(toEpoch(windowEndUtc(w), 'UTC'), clock)

/** Up to when a recurrence may have at most 1,500 dates: as far as it has dates now, and as it will have if it begins later than that. */
function boundOf(w: Now, pattern: Pattern): RecurrenceId {
  const ahead = addDays(pattern.start, w.site.seriesDays!)
  const later = pattern.allDay ? ahead.slice(0, 10) : ahead
  const end = windowEndOf(w, pattern)
  return pattern.start > end ? later : end
}

/**
 * Reads a recurrence as it was sent, or gives the problems with it by its parts. `was` is how the series repeated before: one that time
 * has brought to 1,500 dates may still be changed in all but its rule. One from elsewhere may have more; it has the last ones here.
 */
export function readSent(
  w: Now & Pick<Write, 'long'>,
  input: RecurrenceInput,
  event: Times,
  was?: Recurrence,
): { recurrence: Recurrence; problems?: undefined } | { recurrence?: undefined; problems: Problems } {
  const pattern = patternOf(event)
  const { recurrence, refusals } = readRecurrence(input, pattern, {
    toWall,
    windowEnd: boundOf(w, pattern),
    was,
    isLong: w.long !== undefined,
  })
  if (recurrence) {
    const since = sinceOf(w, recurrence, was)
    const read = since === '' ? recurrence : { ...recurrence, since }
    if (firstOf(read) !== undefined) return { recurrence: read }
    return {
      problems: {
        'recurrence.rrule': `must give a date from ${since} on, the first that the series has here.`,
      },
    }
  }
  const problems: Problems = {}
  for (const { part, message } of refusals)
    problems[part === 'start_date' ? part : `recurrence.${part}`] ??= message
  return { problems }
}

/** The first date that a series of more dates than one may have has here; empty for all others. It stays, and moves with its series. */
function sinceOf(
  w: Now & Pick<Write, 'long'>,
  recurrence: Recurrence,
  was: Recurrence | undefined,
): RecurrenceId | '' {
  const since = was?.since && movedDates(was, recurrence, [was.since])[0]
  if (!w.long) return since ?? ''
  if (since && firstOf({ ...recurrence, since }) !== undefined) return since
  return isBeyondMost(recurrence, windowEndOf(w, recurrence)) ? (w.long.since ?? latestOf(w, recurrence)) : ''
}

/** From which date on a recurrence has as many up to the end of the window as a series may: the coming ones, then the latest past ones. */
function latestOf(w: Now, recurrence: Recurrence): RecurrenceId {
  const to = windowEndOf(w, recurrence)
  const find = (at: number) =>
    expand(recurrence, { from: idOf(at, recurrence.allDay), to, limit: MOST_DATES })
  const now = secondsOf(dateAt(w.now, recurrence))
  let [early, late] = [secondsOf([recurrence.start, ...recurrence.rdate].sort()[0]!), now]
  if (find(late).length === MOST_DATES) early = late
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2)
    if (find(middle).length === MOST_DATES) early = middle
    else late = middle
  }
  return find(early)[0]!
}

/** The recurrence that a request sends for these times. Throws the 400 with all of its problems. */
export function readOrRefuse(
  w: Now & Pick<Write, 'long'>,
  input: RecurrenceInput,
  event: Times,
  was?: Recurrence,
): Recurrence {
  const { recurrence, problems } = readSent(w, input, event, was)
  if (recurrence) return recurrence
  throw invalid(problems)
}

/** Dates that have occurrences, and the start of the one after them in UTC. */
type Dates = { dates: RecurrenceId[]; next_utc: Wall | null }

/** How many dates a series may have, of which so many are past: a long one goes on as time does. */
const mostOf = ({ since }: Recurrence, past: number) =>
  since ? Math.min(MOST_KEPT, past + MOST_DATES) : MOST_DATES

/** The dates that have occurrences now: up to the end of the window, the first one in any case. */
export function datesOf(w: Now, recurrence: Recurrence, until: RecurrenceId): Dates {
  const { since: from } = recurrence
  const to = [windowEndOf(w, recurrence), until, firstOf(recurrence) ?? ''].reduce((a, b) => (a > b ? a : b))
  const dates = expand(recurrence, { from, to, limit: from ? MOST_KEPT : MOST_DATES })
  const now = dateAt(w.now, recurrence)
  const count = (isOf: (id: RecurrenceId) => boolean) => dates.filter(isOf).length
  // a clock that goes back takes none away
  const most = Math.max(
    mostOf(
      recurrence,
      count((id) => id < now),
    ),
    count((id) => id <= until),
  )
  return withLater(w, recurrence, dates.slice(0, most), most)
}

/** The dates after one up to the end of the window, of a series that has so many by now. */
export const datesAfter = (w: Now, recurrence: Recurrence, last: RecurrenceId, had: number): Dates => {
  const coming = recurrence.since
    ? expand(recurrence, { from: dateAt(w.now, recurrence), to: last }).length
    : 0
  const most = mostOf(recurrence, had - coming) - had
  const dates = expand(recurrence, { after: last, to: windowEndOf(w, recurrence), limit: most })
  return withLater(w, recurrence, dates, most, { last, had })
}

/** Dates with those that are later on the clock but not in time, where it goes back. */
function withLater(
  w: Now,
  recurrence: Recurrence,
  dates: RecurrenceId[],
  most: number,
  { last, had }: { last?: RecurrenceId; had: number } = { had: 0 },
): Dates {
  for (;;) {
    const after = dates.at(-1) ?? last
    const next = after === undefined || dates.length >= most ? undefined : nextAfter(recurrence, after)
    const utc = next === undefined ? null : occurrenceOf(recurrence, next).utc
    if (next === undefined || utc === null || utc > windowEndUtc(w))
      return {
        dates,
        next_utc: utc ?? (had + dates.length < MOST_KEPT ? nextExtension(w, recurrence, after) : null),
      }
    dates.push(next)
  }
}

/** When a series gets its next date, whose start is given in UTC: a long one that has as many to come as it may later. */
export const dueOf = ({ since, next_utc }: SeriesRow, utc: Wall): Wall =>
  since !== '' && next_utc !== null && next_utc > utc ? next_utc : utc

/** When a long series that has as many dates to come as it may gets more: when half of the time to its last date has passed. */
function nextExtension(w: Now, recurrence: Recurrence, last: RecurrenceId | undefined): Wall | null {
  if (!recurrence.since || last === undefined || nextAfter(recurrence, last) === undefined) return null
  const left = toEpoch(occurrenceOf(recurrence, last).utc, 'UTC') - w.now
  return addDays(toWall(w.now + left / 2, 'UTC'), w.site.seriesDays!)
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
  const [last = '', since = ''] = [dates.at(-1), recurrence.since]
  return { post_id: id, rrule, rdate, exdate, until: last, next_utc: isOver ? null : next_utc, since }
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
  moveRecurrence({ ...recurrence, rdate: ids }, to).rdate as RecurrenceId[]
