import ICAL from 'ical.js'
import type { EventRecord, SeriesRecord } from '../../src/calendar/formats/records.ts'
import { expand } from '../../src/calendar/recurrence/expansion.ts'
import {
  type RecurrenceInput,
  readDateValues,
  readRecurrence,
} from '../../src/calendar/recurrence/recurrence.ts'
import type { Pattern, Recurrence } from '../../src/calendar/recurrence/rule.ts'
import type { Feed } from '../../src/features/feeds/formats/format.ts'
import { icalendar } from '../../src/features/feeds/formats/icalendar.ts'
import { vtimezone } from '../../src/features/feeds/formats/timezone.ts'
import {
  addDays,
  endOfDay,
  normalize,
  readZone,
  secondsOf,
  toUtc,
  toWall,
} from '../../src/kernel/time/dates.ts'
import { ZONE_RULES } from '../../src/kernel/time/zone-rules.ts'
import { clockChanges, mustFindZone } from '../../src/kernel/time/zones.ts'
import { dateRecord, FEED, seriesDate, seriesRecord } from './records.ts'

/** The calendar of some events. */
export function calendarOf(events: EventRecord[], feed: Partial<Feed> = {}): string {
  const writer = icalendar.open({ ...FEED, ...feed })
  return writer.head() + events.map(writer.event).join('') + writer.foot()
}

/** A calendar as another program reads it. */
export const parse = (calendar: string) => new ICAL.Component(ICAL.parse(calendar))

/** The lines of a calendar as they were before they were folded. */
export const unfold = (calendar: string) => calendar.replace(/\r\n /g, '').split('\r\n').slice(0, -1)

/** Why a calendar breaks the rules for lines (RFC 5545 §3.1); empty if it does not. */
export function faults(calendar: string): string[] {
  const lines = calendar.split('\r\n')
  return [
    ...(lines.pop() === '' ? [] : ['the last line has no end']),
    ...lines.filter((line) => Buffer.byteLength(line) > 75).map((line) => `too long: ${line}`),
    ...lines
      .filter((line) => /[^\P{Cc}\t]|\ufffd/u.test(line))
      .map((line) => `a control or half a character: ${line}`),
    ...unfold(calendar)
      .filter((line) => !/^[A-Z-]+(?:;[A-Z-]+=(?:[\w/-]+|"[^"]*"))*:/.test(line))
      .map((line) => `no property: ${line}`),
  ]
}

/** The local times of a component's zone as an independent reader understands them. */
function openZone(vtimezone: string) {
  const component = parse(vtimezone)
  const zone = new ICAL.Timezone({ component, tzid: String(component.getFirstPropertyValue('tzid')) })
  /** Epoch milliseconds of a local time. */
  return (wall: string): number => {
    const time = ICAL.Time.fromDateTimeString(wall.replace(' ', 'T'))
    time.zone = zone
    return time.toUnixTime() * 1000
  }
}

/** The zones of the tz database that events may have. */
export const ZONES = ZONE_RULES.trim()
  .split('\n')
  .flatMap((line) => line.split('|', 1)[0]!.split(' '))
  .filter((name) => readZone(name) !== undefined)

/** Seconds from a change of the clocks. */
const AROUND = [-86_400, -7_200, -3_601, -1_800, -1, 0, 1, 1_800, 3_601, 86_400]

/**
 * Local times around every change of the clocks, and in the middle of summers and winters, that an independent reader of the
 * component of a zone takes for other instants. Times that occur twice are left out, because readers disagree about them, and
 * differences of less than a minute, because this one reads no seconds of offsets.
 */
export function differences(
  name: string,
  { from, to }: { from: number; to: number },
  component = vtimezone(name),
): string[] {
  const zone = mustFindZone(name)
  const [since, until] = [Date.UTC(from, 0, 1), Date.UTC(to, 0, 1)]
  const changes = clockChanges(zone, since, until)
  const instants = changes.flatMap(({ at }) => AROUND.map((seconds) => at + seconds * 1000))
  for (let year = from; year < to; year++) instants.push(Date.UTC(year, 0, 15, 12), Date.UTC(year, 6, 15, 12))
  const isTwice = (at: number) =>
    changes.some((change) => Math.abs(at - change.at) <= change.from - change.to)
  const read = openZone(component)
  return instants
    .filter((at) => at >= since && !isTwice(at))
    .filter((at) => Math.abs(read(toWall(at, name)) - at) >= 60_000)
    .map((at) => toWall(at, name))
}

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
