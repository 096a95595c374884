import type { OccurrenceRow, OwnSeries, SeriesDate } from '../../../calendar/formats/records.ts'
import { expand, nextAfter } from '../../../calendar/recurrence/expansion.ts'
import { dateValues, rruleValue } from '../../../calendar/recurrence/occurrences.ts'
import { recurrenceOf } from '../../../calendar/recurrence/recurrence.ts'
import type { Recurrence, RecurrenceId } from '../../../calendar/recurrence/rule.ts'
import { secondsOf } from '../../../kernel/time/dates.ts'
import { type Feed, uidOf, type WholeSeries } from '../formats/format.ts'
import { isBeyond, isTwice, vevent, zoneOf } from './event.ts'
import { line } from './line.ts'
import { tzidOf } from './timezone.ts'

/** How a series repeats, as rules read it. */
const repetitionOf = ({ series, start_date, timezone, all_day }: OwnSeries): Recurrence =>
  recurrenceOf(series, { start: start_date, zone: timezone, allDay: all_day })

/** Whether local time is that of UTC, in which a series is written then. */
const isUtc = ({ timezone, start_date, utc_start_date }: OwnSeries) =>
  tzidOf(timezone) === undefined && start_date === utc_start_date

/**
 * Whether a rule can be written: in the zone of the series, as days, or in UTC. A zone such as `UTC+2` has no name that programs know, and
 * in UTC its Monday may be a Sunday. Programs count from the start, so that no date may be before it.
 */
function canRepeat({ series, dates }: WholeSeries): boolean {
  const start = series.all_day ? series.start_date.slice(0, 10) : series.start_date
  const isEarlier = series.series.rdate.some((id) => id < start)
  const hasZone = series.all_day || isUtc(series) || zoneOf(series) !== undefined
  return hasZone && !isEarlier && !isBeyond(series) && !dates.some(isBeyond)
}

const durationOf = ({ utc_start_date, utc_end_date }: Pick<SeriesDate, 'utc_start_date' | 'utc_end_date'>) =>
  secondsOf(utc_end_date) - secondsOf(utc_start_date)

/** Whether an event is what every program makes of a date of its series: alike, at that time, once on the clock, and for as long. */
function isUsual(series: OwnSeries, date: SeriesDate): boolean {
  if (date.overrides.length > 0) return false
  if (series.all_day) return true
  return (
    date.start_date === date.recurrence_id &&
    durationOf(date) === durationOf(series) &&
    !isTwice(date.start_date, series.timezone)
  )
}

/** The IDs of the events that the rule of a series says all of; undefined if the series can not be written as one. */
export const withSeries = (whole: WholeSeries): number[] | undefined =>
  canRepeat(whole)
    ? whole.dates.filter((date) => isUsual(whole.series, date)).map(({ post_id }) => post_id)
    : undefined

/** Dates of a series as a property: one a line, because programs exist that read no others. */
function dateLines(name: string, series: OwnSeries, ids: readonly RecurrenceId[]): string {
  const { all_day, timezone } = series
  const parameters = all_day ? { VALUE: 'DATE' } : { TZID: tzidOf(timezone) }
  const end = !all_day && isUtc(series) ? 'Z' : ''
  return ids.map((id) => line(name, dateValues([id]) + end, parameters)).join('')
}

/** RECURRENCE-ID: which date of a series an event is. */
export const recurrenceId = (series: OwnSeries, { recurrence_id }: OccurrenceRow): string =>
  dateLines('RECURRENCE-ID', series, [recurrence_id])

/** A rule up to the last date of a series, if that has no more although the rule does: there is a limit to their number. */
function limited(recurrence: Recurrence, { series: { next_utc, until } }: OwnSeries): Recurrence {
  if (next_utc !== null || nextAfter(recurrence, until) === undefined) return recurrence
  return { ...recurrence, rule: { ...recurrence.rule, count: undefined, until } }
}

/**
 * RRULE, RDATE and EXDATE of a series. Its dates that have no event here are taken out: readers get the same dates as from a list. Added
 * dates that the rule gives as well are left out, because some programs have them twice. `rule.count` is 1 if there are added dates alone:
 * the first date is one of them then, because ical.js and dateutil take no other.
 */
function repetition({ series, dates }: WholeSeries): string {
  const recurrence = limited(repetitionOf(series), series)
  const { until, exdate, rdate, next_utc, since } = series.series
  const held = new Set(dates.map(({ recurrence_id }) => recurrence_id))
  const ruled = expand({ ...recurrence, rdate: [], exdate: [] }, { from: since || undefined, to: until })
  const given = new Set(ruled)
  const isComing = (id: RecurrenceId) => id > until && next_utc !== null
  const added = rdate.filter((id) => (held.has(id) && !given.has(id)) || isComing(id))
  const isAlone = recurrence.rule.count === 1
  const absent = new Set([...exdate, ...ruled.filter((id) => !held.has(id))])
  return [
    isAlone ? '' : line('RRULE', rruleValue(recurrence)),
    dateLines('RDATE', series, isAlone ? [...ruled.filter((id) => held.has(id)), ...added] : added),
    dateLines('EXDATE', series, [...absent].sort()),
  ].join('')
}

/** A series as VEVENT: its first date, and how it repeats. It changes with each of its events. */
export function vseries(whole: WholeSeries, feed: Feed): string {
  const { series, dates } = whole
  const modified_utc = dates.reduce(
    (last, { modified_utc: at }) => (at > last ? at : last),
    series.modified_utc,
  )
  const shown = Object.assign({}, series, { modified_utc })
  return vevent(shown, feed, { uid: uidOf(series, feed), repetition: repetition(whole) })
}
