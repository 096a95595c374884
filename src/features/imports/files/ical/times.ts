import { readDate } from '../../../../calendar/recurrence/rule.ts'
import { addDays, toEpoch, toWall } from '../../../../kernel/time/dates.ts'
import { type Component, type Property, propertyOf, textOf } from './components.ts'

/** Finds a zone by its TZID; undefined if nobody knows it. */
export type FindZone = (tzid: string) => string | undefined
/** When an event takes place, as a request sends it. */
export type Times = { start_date: string; end_date: string; timezone: string; all_day: boolean }

/** A problem with an event, which is then not taken. */
export const unreadable = (message: string) => new Error(message)

const DURATION = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
/** Days of a DURATION, which are those of the calendar, and the seconds beside them (RFC 5545 §3.3.6). */
type Length = { days: number; seconds: number }
function lengthOf(value: string): Length {
  const parts = DURATION.exec(value.trim())
  if (!parts) throw unreadable(`DURATION is "${value}", which is no length of time such as PT1H`)
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0))
  return { days: weeks * 7 + days, seconds: (hours * 60 + minutes) * 60 + seconds }
}

/** The local time after a DURATION from another one. */
export function after(start: string, duration: string, zone: string): string {
  const { days, seconds } = lengthOf(duration)
  return toWall(toEpoch(addDays(start, days), zone) + seconds * 1_000, zone)
}

export function zoneOf({ parameters: { TZID } }: Property, fallback: string, find: FindZone): string {
  if (TZID === undefined) return fallback
  const zone = find(TZID)
  if (zone === undefined)
    throw unreadable(
      `the time zone "${TZID}" is not known, and the file does not explain it; a name such as Europe/Madrid is`,
    )
  return zone
}

/** Reads a DATE-TIME or DATE: a time after what says it is a date is none. */
function momentOf({ name, parameters, value }: Property) {
  const written = readDate(value)
  if (!written) throw unreadable(`${name} is "${value}", which is no date such as 20270514T200000`)
  return parameters.VALUE?.toUpperCase() === 'DATE' ? { date: written.date } : written
}

/** What is said of an event that ends before it begins. */
const TURNED = 'ends before it begins; its end is left out'
const MIDNIGHT = '00:00:00'
const isMidnight = (property: Property | undefined) =>
  property === undefined || [MIDNIGHT, undefined].includes(readDate(property.value)?.time)
/** Whether an event with times is one of whole days: Outlook says so, or writes it beside midnights. */
const isWholeDays = (component: Component) =>
  /^true$/i.test(textOf(propertyOf(component, 'X-MICROSOFT-CDO-ALLDAYEVENT'))) &&
  isMidnight(propertyOf(component, 'DTSTART')) &&
  isMidnight(propertyOf(component, 'DTEND'))

/**
 * The times of an event. Times in UTC are those of the zone `fallback`, unless the event repeats: its rule counts in UTC then. Times without
 * a zone are of `fallback` too. The end of whole days is exclusive in the file.
 */
export function timesOf(
  component: Component,
  fallback: string,
  find: FindZone,
  remarks: string[] = [],
): Times {
  const from = propertyOf(component, 'DTSTART')
  if (!from) throw unreadable('has no DTSTART')
  const start = momentOf(from)
  const until = propertyOf(component, 'DTEND')
  const lasts = propertyOf(component, 'DURATION')?.value
  if (start.time === undefined || isWholeDays(component)) {
    for (const property of [from, ...(until ? [until] : [])])
      if (property.parameters.VALUE?.toUpperCase() === 'DATE' && readDate(property.value)?.time !== undefined)
        remarks.push(`${property.name} has a time after its date, which is left out`)
    const first = `${start.date} ${MIDNIGHT}`
    const end = until ? `${momentOf(until).date} ${MIDNIGHT}` : after(first, lasts ?? 'P1D', 'UTC')
    // some hours make a day, too
    const last = end <= first ? first : addDays(end, end.endsWith(MIDNIGHT) ? -1 : 0)
    if (end < first) remarks.push(TURNED)
    return { start_date: first.slice(0, 10), end_date: last.slice(0, 10), timezone: fallback, all_day: true }
  }
  const repeats = propertyOf(component, 'RRULE') ?? propertyOf(component, 'RDATE')
  const isUtc = start.instant !== undefined
  const timezone = isUtc ? (repeats ? 'UTC' : fallback) : zoneOf(from, fallback, find)
  const wallOf = (property: Property) => {
    const { date, time = MIDNIGHT, instant } = momentOf(property)
    const zone = zoneOf(property, fallback, find)
    const at = instant ?? (zone === timezone ? undefined : toEpoch(`${date} ${time}`, zone))
    return at === undefined ? `${date} ${time}` : toWall(at, timezone)
  }
  const start_date = wallOf(from)
  const end_date = until ? wallOf(until) : after(start_date, lasts ?? 'PT0S', timezone)
  if (end_date >= start_date) return { start_date, end_date, timezone, all_day: false }
  remarks.push(TURNED)
  return { start_date, end_date: start_date, timezone, all_day: false }
}
