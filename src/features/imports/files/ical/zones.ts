import { ruleDates, secondsOf } from '../../../../calendar/recurrence/expansion.ts'
import { type Refusal, readDate, readRule } from '../../../../calendar/recurrence/rule.ts'
import { readZone, toWall } from '../../../../kernel/time/dates.ts'
import { clockChanges, mustFindZone, offsetAt, WORLD_ZONES } from '../../../../kernel/time/zones.ts'
import { type Component, propertiesOf, propertyOf } from './components.ts'

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
