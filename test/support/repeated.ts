import ICAL from 'ical.js'
import type { EventRecord, SeriesRecord } from '../../src/calendar/formats/records.ts'
import { expand } from '../../src/calendar/recurrence/expansion.ts'
import { readDateValues } from '../../src/calendar/recurrence/occurrences.ts'
import { type RecurrenceInput, readRecurrence } from '../../src/calendar/recurrence/recurrence.ts'
import type { Pattern, Recurrence } from '../../src/calendar/recurrence/rule.ts'
import { icalendar } from '../../src/features/feeds/formats/icalendar.ts'
import { addDays, endOfDay, normalize, secondsOf, toUtc, toWall } from '../../src/kernel/time/dates.ts'
import { parse } from './calendar.ts'
import { dateRecord, FEED, seriesDate, seriesRecord } from './records.ts'

/** When an event takes place, in Unix seconds; one that lasts all day in those of its days in UTC. */
export type Span = { start: number; end: number }

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16)
/** Spans as text, in order, for comparison. */
export const printSpans = (spans: Span[]) =>
  spans.map(({ start, end }) => `${isoOf(start)} ${isoOf(end)}`).sort()

/** When an event takes place, as readers of iCalendar understand it: an end of days is the day after the last. */
export const spanOf = ({ all_day, ...event }: EventRecord): Span =>
  all_day
    ? {
        start: secondsOf(`${event.start_date.slice(0, 10)} 00:00:00`),
        end: secondsOf(`${addDays(event.end_date, 1).slice(0, 10)} 00:00:00`),
      }
    : { start: secondsOf(event.utc_start_date), end: secondsOf(event.utc_end_date) }

const dayOf = ({ year, month, day }: ICAL.Time) => Date.UTC(year, month - 1, day) / 1000
const secondsIn = (time: ICAL.Time) => (time.isDate ? dayOf(time) : time.toUnixTime())

const idOf = (time: ICAL.Time) => time.toString().replace('T', ' ').replace('Z', '')

/** The spans of an event with its exceptions, of its dates up to one on its own clock. */
function spansOf(component: ICAL.Component, exceptions: ICAL.Component[], until: string): Span[] {
  const event = new ICAL.Event(component, { exceptions, strictExceptions: true })
  const spanOf = (start: ICAL.Time, end: ICAL.Time) => ({ start: secondsIn(start), end: secondsIn(end) })
  if (!event.isRecurring()) return [spanOf(event.startDate, event.endDate)]
  const spans: Span[] = []
  const length = secondsIn(event.endDate) - secondsIn(event.startDate)
  const dates = event.iterator()
  for (let date = dates.next(); date && idOf(date) <= until; date = dates.next()) {
    const { item, startDate, endDate } = event.getOccurrenceDetails(date)
    // RFC 5545 §3.8.5.3: the duration of the first date, exactly
    const start = secondsIn(startDate)
    spans.push(item === event ? { start, end: start + length } : spanOf(startDate, endDate))
  }
  return spans
}

/** When the events of a calendar take place, as ical.js reads it: of those that repeat up to a date of theirs. */
export function datesIn(calendar: string, until = '9999'): Span[] {
  const events = parse(calendar).getAllSubcomponents('vevent')
  const byUid = new Map<string, ICAL.Component[]>()
  for (const event of events) {
    const uid = String(event.getFirstPropertyValue('uid'))
    byUid.set(uid, [...(byUid.get(uid) ?? []), event])
  }
  return [...byUid.values()].flatMap((same) => {
    const [series, ...exceptions] = same.sort(
      (a, b) => Number(a.hasProperty('recurrence-id')) - Number(b.hasProperty('recurrence-id')),
    )
    return spansOf(series!, exceptions, until)
  })
}

/** The pattern and recurrence of the only series of a calendar, read by the rules of this project. */
export function recurrenceIn(calendar: string): Recurrence {
  const series = parse(calendar)
    .getAllSubcomponents('vevent')
    .find((event) => !event.hasProperty('recurrence-id'))!
  const start = series.getFirstProperty('dtstart')!
  const at = start.getFirstValue() as ICAL.Time
  const pattern: Pattern = {
    start: idOf(at).padEnd(19, ' 00:00:00'),
    zone: (start.getFirstParameter('tzid') as string | undefined) ?? 'UTC',
    allDay: at.isDate,
  }
  const datesOf = (name: string) =>
    series.getAllProperties(name).flatMap((one) => {
      const value = one.toICALString().split(':').at(-1)!
      return readDateValues(value, pattern, one.getFirstParameter('tzid') as string | undefined).dates
    })
  const rrule = series.getFirstPropertyValue('rrule')?.toString()
  const input: RecurrenceInput = { rrule, rdate: datesOf('rdate'), exdate: datesOf('exdate') }
  const { recurrence, refusals } = readRecurrence(input, pattern, { toWall })
  if (!recurrence) throw new Error(JSON.stringify(refusals))
  return recurrence
}

const print = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')

/** The spans of an event that begins at a local time, as those of series are: so long on the clock. */
export function localSpan(start: string, length: number, { zone, allDay }: Pick<Pattern, 'zone' | 'allDay'>) {
  const start_date = normalize(start, zone)
  const last = print(secondsOf(start_date) + length)
  const end = normalize(allDay ? endOfDay(last) : last, zone)
  return { start_date, end_date: end < start_date ? start_date : end }
}

/** A series with the events of its dates up to one, of which some have members of their own. */
export function madeSeries(
  recurrence: Recurrence,
  { length, until, own = {} }: { length: number; until: string; own?: Record<string, Partial<EventRecord>> },
): { series: SeriesRecord; events: EventRecord[] } {
  const { zone, allDay, start, rrule, rdate, exdate } = recurrence
  const more = expand(recurrence, { after: until, limit: 1 }).length > 0
  const series = seriesRecord(
    { timezone: zone, all_day: allDay, ...localSpan(start, length, recurrence) },
    { rrule, rdate, exdate, until, next_utc: more ? toUtc('2199-01-01 00:00:00', 'UTC') : null },
  )
  const events = expand(recurrence, { to: until }).map((id, at) =>
    dateRecord(series, id, {
      id: 100 + at,
      ...localSpan(id.padEnd(19, ' 00:00:00'), length, recurrence),
      ...own[id],
    }),
  )
  return { series, events }
}

/** The calendar of some events of a series as a feed writes them that holds no others. */
export function calendarOfSeries(series: SeriesRecord, events: EventRecord[]): string {
  const writer = icalendar.open(FEED)
  const whole = { series, dates: events.map(seriesDate) }
  const written = icalendar.withSeries!(whole)
  return [
    writer.head(),
    written ? writer.series!(whole) : '',
    ...events.filter(({ id }) => !written?.includes(id)).map(writer.event),
    writer.foot(),
  ].join('')
}
