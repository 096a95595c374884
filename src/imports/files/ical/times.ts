import { readDate } from '../../../rules/recurrence/dates.ts'
import { readDateValues } from '../../../rules/recurrence/icalendar.ts'
import { addDays, toEpoch, toWall } from '../../../rules/time/dates.ts'
import { type Component, type Property, propertiesOf, propertyOf } from './components.ts'

/** Finds a zone by its TZID; undefined if nobody knows it. */
type FindZone = (tzid: string) => string | undefined
/** When an event takes place, as a request sends it. */
export type Times = { start_date: string; end_date: string; timezone: string; all_day: boolean }

/** A problem with an event, which is then not taken. */
const unreadable = (message: string) => new Error(message)

const DURATION = /^\+?P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/
/** Seconds of a DURATION. */
function secondsOfDuration({ value }: Property): number {
  const parts = DURATION.exec(value.trim())
  if (!parts) throw unreadable(`DURATION is "${value}", which is no duration`)
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0))
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds
}

function zoneOf({ parameters: { TZID } }: Property, fallback: string, find: FindZone): string {
  if (TZID === undefined) return fallback
  const zone = find(TZID)
  if (zone === undefined)
    throw unreadable(`the time zone "${TZID}" is not known, and the file does not explain it`)
  return zone
}

function momentOf(property: Property) {
  const written = readDate(property.value)
  if (!written) throw unreadable(`${property.name} is "${property.value}", which is no date`)
  return written
}

/**
 * The times of an event. Times in UTC are those of the zone `fallback`, unless the event repeats: its rule counts in UTC then. Times without
 * a zone are of `fallback` too. The end of whole days is exclusive in the file.
 */
export function timesOf(component: Component, fallback: string, find: FindZone): Times {
  const from = propertyOf(component, 'DTSTART')
  if (!from) throw unreadable('has no DTSTART')
  const start = momentOf(from)
  const until = propertyOf(component, 'DTEND')
  const lasts = propertyOf(component, 'DURATION')
  if (start.time === undefined) {
    const first = `${start.date} 00:00:00`
    const days = lasts ? Math.max(1, Math.ceil(secondsOfDuration(lasts) / 86_400)) : 1
    const after = until ? `${momentOf(until).date} 00:00:00` : addDays(first, days)
    const last = after > first ? addDays(after, -1) : first
    return { start_date: first.slice(0, 10), end_date: last.slice(0, 10), timezone: fallback, all_day: true }
  }
  const repeats = propertyOf(component, 'RRULE') ?? propertyOf(component, 'RDATE')
  const isUtc = start.instant !== undefined
  const timezone = isUtc ? (repeats ? 'UTC' : fallback) : zoneOf(from, fallback, find)
  const wallOf = (property: Property) => {
    const { date, time = '00:00:00', instant } = momentOf(property)
    const zone = zoneOf(property, fallback, find)
    const at = instant ?? (zone === timezone ? undefined : toEpoch(`${date} ${time}`, zone))
    return at === undefined ? `${date} ${time}` : toWall(at, timezone)
  }
  const start_date = wallOf(from)
  const end_date = until
    ? wallOf(until)
    : toWall(toEpoch(start_date, timezone) + (lasts ? secondsOfDuration(lasts) * 1000 : 0), timezone)
  return { start_date, end_date: end_date < start_date ? start_date : end_date, timezone, all_day: false }
}

const patternOf = ({ start_date, timezone: zone, all_day: allDay }: Times) => ({
  ...{ start: allDay ? `${start_date} 00:00:00` : start_date, zone, allDay },
})

/** The dates of all properties of a name, by the clock of the event that repeats. */
export function datesOf(component: Component, name: string, times: Times, find: FindZone): string[] {
  return propertiesOf(component, name).flatMap((property) => {
    const { dates, unread } = readDateValues(
      property.value,
      patternOf(times),
      zoneOf(property, times.timezone, find),
    )
    if (unread.length > 0) throw unreadable(`${name} has "${unread[0]}", which is no date`)
    return dates
  })
}

/** How an event repeats, as a request sends it; undefined if it does not. */
export function recurrenceOf(component: Component, times: Times, find: FindZone): object | undefined {
  const [rule, ...more] = propertiesOf(component, 'RRULE')
  if (more.length > 0) throw unreadable('has several RRULE; one can be taken')
  const rdate = datesOf(component, 'RDATE', times, find)
  if (!rule && rdate.length === 0) return undefined
  const exdate = datesOf(component, 'EXDATE', times, find)
  return { ...(rule && { rrule: rule.value.trim() }), rdate, exdate }
}
