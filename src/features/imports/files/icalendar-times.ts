import { expand, given, idOf, ruleDates, secondsOf } from '../../../calendar/recurrence/expansion.ts'
import { readDateValues } from '../../../calendar/recurrence/recurrence.ts'
import { type Recurrence, type Refusal, readDate, readRule } from '../../../calendar/recurrence/rule.ts'
import { addDays, readZone, toEpoch, toWall } from '../../../kernel/time/dates.ts'
import { clockChanges, mustFindZone, offsetAt, WORLD_ZONES } from '../../../kernel/time/zones.ts'
import { type Component, type Property, propertiesOf, propertyOf, textOf } from './icalendar-components.ts'

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

const DAY = 86_400_000
const YEAR = 365.25 * DAY
/** Years in which clocks are compared at most: the last ones of a file. */
const MOST_YEARS = 30
/** Observances that a zone may have, and changes of its clock in all these years: what has more is no zone that people live in. */
const MOST_OBSERVANCES = 500

/** The time in which clocks are compared, in epoch milliseconds. */
type Span = { since: number; until: number }
/** What a clock shows: how far it is ahead of UTC at first and from each change on, all in milliseconds. */
type Clock = { first: number; changes: { at: number; to: number }[] }

function offsetOf(observance: Component, name: string): number | undefined {
  const [, sign, hours, minutes, seconds = '0'] =
    /^([+-])(\d\d):?(\d\d):?(\d\d)?$/.exec(propertyOf(observance, name)?.value.trim() ?? '') ?? []
  const size = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000
  return sign === undefined ? undefined : Number(`${sign}1`) * size
}

const localOf = (text: string): string | undefined => {
  const written = readDate(text)
  return written && `${written.date} ${written.time ?? '00:00:00'}`
}

function* take<T>(all: Iterable<T>, most: number) {
  let left = most
  for (const one of all) {
    if (left-- === 0) return
    yield one
  }
}

/** The local times at which an observance begins, in seconds: those of its rule within a time alone. */
function beginnings(observance: Component, { since, until }: Span): number[] {
  const start = localOf(propertyOf(observance, 'DTSTART')?.value ?? '')
  if (start === undefined) return []
  const added = propertiesOf(observance, 'RDATE').flatMap(({ value }) => value.split(',').map(localOf))
  const zone = readZone(propertyOf(observance, 'TZOFFSETFROM')!.value.trim()) ?? 'UTC'
  const refusals: Refusal[] = []
  const context = {
    pattern: { start, zone, allDay: false },
    toWall,
    bound: Number.POSITIVE_INFINITY,
    refusals,
  }
  const repeated = propertiesOf(observance, 'RRULE').flatMap(({ value }) => {
    const rule = readRule(value, context)
    const dates = refusals.length > 0 ? [] : ruleDates({ start, rule }, (since - YEAR) / 1_000, until / 1_000)
    return [...take(dates, MOST_OBSERVANCES)]
  })
  return [...[start, ...added].filter((local) => local !== undefined).map(secondsOf), ...repeated]
}

/** The clock that a VTIMEZONE tells of (RFC 5545 §3.6.5); undefined if it tells of none. */
function clockIn(zone: Component, span: Span): Clock | undefined {
  if (zone.components.length > MOST_OBSERVANCES) return undefined
  const all = zone.components.flatMap((observance) => {
    const from = offsetOf(observance, 'TZOFFSETFROM')
    const to = offsetOf(observance, 'TZOFFSETTO')
    if (from === undefined || to === undefined) return []
    return beginnings(observance, span).map((seconds) => ({ at: seconds * 1_000 - from, from, to }))
  })
  const changes = all.sort((a, b) => a.at - b.at)
  const before = changes.findLast(({ at }) => at <= span.since)
  const first = before ? before.to : changes[0]?.from
  return first === undefined
    ? undefined
    : { first, changes: changes.filter(({ at }) => at > span.since && at < span.until) }
}

const clockOf = (name: string, { since, until }: Span): Clock => {
  const zone = mustFindZone(name)
  return { first: offsetAt(since, zone), changes: clockChanges(zone, since, until) }
}

/** For how many milliseconds two clocks show different times. */
function apart(one: Clock, other: Clock, { since, until }: Span): number {
  const steps = [
    ...one.changes.map(({ at, to }) => ({ at, one: to })),
    ...other.changes.map(({ at, to }) => ({ at, other: to })),
    { at: until },
  ].sort((a, b) => a.at - b.at)
  let now = { at: since, one: one.first, other: other.first }
  let sum = 0
  for (const step of steps) {
    if (now.one !== now.other) sum += step.at - now.at
    now = { ...now, ...step }
  }
  return sum
}

/** The zone whose clocks are those of a VTIMEZONE, or differ least and less than a day a year: `site` first, then those that many people live in. */
function alike(told: Component, site: string, span: Span): string | undefined {
  const clock = clockIn(told, span)
  if (!clock || clock.changes.length > MOST_OBSERVANCES) return undefined
  let best: { name: string; off: number } | undefined
  for (const name of new Set([site, ...WORLD_ZONES, ...Intl.supportedValuesOf('timeZone')])) {
    if (offsetAt(span.since, mustFindZone(name)) !== clock.first) continue
    const off = apart(clock, clockOf(name, span), span)
    if (off < (best?.off ?? (span.until - span.since) / 365)) best = { name, off }
    if (off === 0) break
  }
  return best?.name
}

/** The place in a name such as `/freeassociation.sourceforge.net/Europe/Berlin`, `/Mozilla.org/BasicTimezones/GMT` or `US-Eastern`. */
function placeIn(name: string): string | undefined {
  const parts = name.split('/')
  return readZone(parts.slice(-2).join('/')) ?? readZone(parts.at(-1)!) ?? readZone(name.replace('-', '/'))
}

/** The years of the events of a calendar, as far as clocks are compared in them. */
function spanOf({ components }: Component): Span {
  const years = components
    .filter(({ name }) => name === 'VEVENT')
    .map((event) => Number(readDate(propertyOf(event, 'DTSTART')?.value ?? '')?.date.slice(0, 4)))
    .filter((year) => year > 0 && year < 2_100)
  const last = years.reduce((a, b) => Math.max(a, b), 0)
  const first = Math.max(
    last - MOST_YEARS,
    years.reduce((a, b) => Math.min(a, b), last),
  )
  return { since: Date.UTC(first, 0, 1), until: Date.UTC(last + 1, 0, 1) }
}

export type Zones = {
  /** The zone of a TZID: undefined if nobody knows it. */
  find(tzid: string): string | undefined
  /** Whether it was found by its clocks alone. */
  isGuessed(tzid: string): boolean
}

/**
 * Finds the zones of a calendar by their TZID: those of the tz database and of Windows by name, those of other programs by the place that they
 * tell, or as one with the same clocks in the years of the file's events.
 */
export function openZones(calendar: Component, site: string): Zones {
  const known = new Map<string, { zone: string | undefined; isGuessed: boolean }>()
  const find = (tzid: string) => {
    const named = readZone(tzid) ?? placeIn(tzid)
    const told = calendar.components.find(
      (one) => one.name === 'VTIMEZONE' && propertyOf(one, 'TZID')?.value.trim() === tzid,
    )
    const zone = named ?? (told && readZone(propertyOf(told, 'X-LIC-LOCATION')?.value ?? ''))
    if (zone !== undefined || !told) return { zone, isGuessed: false }
    const guessed = alike(told, site, spanOf(calendar))
    return { zone: guessed, isGuessed: guessed !== undefined }
  }
  const lookUp = (tzid: string) => {
    const found = known.get(tzid) ?? find(tzid)
    known.set(tzid, found)
    return found
  }
  return { find: (tzid) => lookUp(tzid).zone, isGuessed: (tzid) => lookUp(tzid).isGuessed }
}
