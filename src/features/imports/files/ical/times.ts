import { expand, given, idOf, ruleDates, secondsOf } from '../../../../calendar/recurrence/expansion.ts'
import { readDateValues } from '../../../../calendar/recurrence/recurrence.ts'
import { type Recurrence, readDate, readRule } from '../../../../calendar/recurrence/rule.ts'
import { addDays, toEpoch, toWall } from '../../../../kernel/time/dates.ts'
import { type Component, type Property, propertiesOf, propertyOf, textOf } from './components.ts'

/** Finds a zone by its TZID; undefined if nobody knows it. */
type FindZone = (tzid: string) => string | undefined
/** When an event takes place, as a request sends it. */
export type Times = { start_date: string; end_date: string; timezone: string; all_day: boolean }

/** A problem with an event, which is then not imported. */
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
function after(start: string, duration: string, zone: string): string {
  const { days, seconds } = lengthOf(duration)
  return toWall(toEpoch(addDays(start, days), zone) + seconds * 1_000, zone)
}

function zoneOf({ parameters: { TZID } }: Property, fallback: string, find: FindZone): string {
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

/** How an event repeats, as a request sends it. */
export type Repeat = { rrule?: string; rdate: string[]; exdate: string[] }
/** An event as it repeats: its times, which are those of the first date of its rule, and dates that end otherwise than the others. */
type Repeated = { times: Times; repeat: Repeat; periods: { id: string; end: string }[] }

const patternOf = ({ start_date, timezone: zone, all_day: allDay }: Times) => ({
  start: allDay ? `${start_date} 00:00:00` : start_date,
  zone,
  allDay,
})
const unlimited = { toWall, bound: Number.POSITIVE_INFINITY }

/** The dates of all properties of a name, by the clock of the event that repeats, and the ends that those of RDATE may have. */
export function datesOf(component: Component, name: string, times: Times, find: FindZone) {
  const pattern = patternOf(times)
  return propertiesOf(component, name).flatMap((property) => {
    const zone = zoneOf(property, times.timezone, find)
    const local = (text: string) => {
      const { dates, unread } = readDateValues(text, pattern, zone)
      if (unread.length > 0)
        throw unreadable(`${name} has "${unread[0]}", which is no date such as 20270514T200000`)
      return dates[0]!
    }
    return property.value.split(',').map((text) => {
      const [from, end] = text.replace(/^(\d{8})Z$/i, '$1').split('/') as [string, string | undefined]
      const id = local(from)
      if (end === undefined || times.all_day) return { id }
      return { id, end: readDate(end) ? local(end) : after(id, end, times.timezone) }
    })
  })
}

/** Times that begin at another date and are as long. */
function movedTo(id: string, { start_date, end_date, ...times }: Times): Times {
  const length =
    toEpoch(`${end_date} 00:00:00`.slice(0, 19), 'UTC') -
    toEpoch(`${start_date} 00:00:00`.slice(0, 19), 'UTC')
  const end = toWall(toEpoch(`${id} 00:00:00`.slice(0, 19), 'UTC') + length, 'UTC')
  return { start_date: id, end_date: end.slice(0, id.length), ...times }
}

/** A recurrence with some dates: those that it does not give are added, and none of them is excluded. */
export function withDates({ rdate, exdate, ...own }: Repeat, times: Times, ids: string[]): Repeat {
  const pattern = patternOf(times)
  const rule = readRule(own.rrule ?? ONCE, { pattern, ...unlimited, refusals: [] })
  const asked = new Set(ids)
  const known = given({ ...pattern, rule, rrule: '', rdate, exdate }, [...asked].sort())
  return {
    ...own,
    rdate: [...rdate, ...[...asked].filter((id) => !known.has(id))],
    exdate: exdate.filter((id) => !asked.has(id)),
  }
}

const ONCE = 'FREQ=DAILY;COUNT=1'
const COUNT = /;?COUNT=\d+/i
const UNTIL = /UNTIL=([^;]+)/i

/** Until when a rule gives dates, by the clock of its event; undefined if it does not say so. */
function untilOf(rrule: string, { timezone, all_day }: Times): string | undefined {
  const { date, time, instant } = readDate(UNTIL.exec(rrule)?.[1] ?? '') ?? {}
  if (all_day || date === undefined) return date
  return instant === undefined ? `${date} ${time ?? '23:59:59'}` : toWall(instant, timezone)
}

/**
 * How an event repeats: undefined if it does not, `none` if no date of it is left, as Google leaves what was divided. A DTSTART that its rule
 * does not give is a date as well and counts (RFC 5545 §3.8.5.3): the rule begins at its own first date then. A rule that can
 * not be read is given as it is written.
 */
export function repeatOf(component: Component, times: Times, find: FindZone): Repeated | 'none' | undefined {
  const [property, ...more] = propertiesOf(component, 'RRULE')
  if (more.length > 0) throw unreadable('has several RRULE; one can be taken')
  const pattern = patternOf(times)
  const own = idOf(secondsOf(pattern.start), times.all_day)
  const added = datesOf(component, 'RDATE', times, find).filter(({ id }) => id !== own)
  if (!property && added.length === 0) return undefined
  const periods = added.flatMap(({ id, end }) => (end === undefined ? [] : [{ id, end }]))
  const rdate = added.map(({ id }) => id)
  const exdate = datesOf(component, 'EXDATE', times, find).map(({ id }) => id)
  const rrule = property?.value.replace(/\s/g, '')
  const alone = () => (exdate.includes(own) ? 'none' : undefined)
  const until = untilOf(rrule ?? '', times)
  if (until !== undefined && until < times.start_date) {
    if (rdate.length > 0) return { times, repeat: { rdate, exdate }, periods }
    return until.slice(0, 10) < times.start_date.slice(0, 10) ? 'none' : alone()
  }
  const refusals: never[] = []
  const rule = readRule(rrule ?? ONCE, { pattern, ...unlimited, refusals })
  const repeat: Repeat = { ...(rrule !== undefined && { rrule }), rdate, exdate }
  if (refusals.length > 0) return { times, repeat, periods }
  const isEmpty = (one: Omit<Recurrence, 'rrule'>) => expand({ ...one, rrule: '' }, { limit: 1 }).length === 0
  const start = secondsOf(pattern.start)
  const endless = { ...rule, count: undefined, until: undefined }
  const first = ruleDates({ start: pattern.start, rule: endless }, start).next().value
  if (first === start)
    return isEmpty({ ...pattern, rule, rdate, exdate }) ? 'none' : { times, repeat, periods }
  const left = rule.count === undefined ? undefined : rule.count - 1
  if (first === undefined || left === 0 || (rule.until !== undefined && first > secondsOf(rule.until))) {
    // its start is its only date, beside those that are added
    if (rdate.length === 0) return alone()
    return { times, repeat: { rdate, exdate }, periods }
  }
  return {
    times: movedTo(idOf(first, times.all_day), times),
    repeat: {
      rrule: rrule!.replace(COUNT, left === undefined ? '' : `;COUNT=${left}`),
      rdate: [own, ...rdate],
      exdate,
    },
    periods,
  }
}
