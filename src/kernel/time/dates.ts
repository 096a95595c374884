import { Temporal } from 'temporal-polyfill'
import { findZone, instantOf, mustFindZone, offsetAt } from './zones.ts'

/** A local time without a zone, `YYYY-MM-DD HH:MM:SS`, years 0001 to 9999. It sorts as text. */
export type Wall = string

/** The wall clock of what never happened. */
export const NEVER: Wall = '0000-00-00 00:00:00'

const FIRST = Date.parse('0001-01-01T00:00:00Z')
const LAST = Date.parse('9999-12-31T23:59:59Z')
const DAY = 86_400_000

const WALL = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/
const parse = (wall: Wall) => Date.parse(`${wall.replace(' ', 'T')}Z`)
const two = (value: number) => String(value).padStart(2, '0')
/** Whether a date was parsed to itself. Date accepts 30 February and turns it into a day in March. */
const isDate = (text: string, epochMs: number) => new Date(epochMs).getUTCDate() === Number(text.slice(8, 10))
/** Whether epoch milliseconds are within the years 0001 to 9999 in UTC. */
export const isInCalendar = (epochMs: number) => epochMs >= FIRST && epochMs <= LAST

function mustParse(wall: Wall): number {
  const at = parse(wall)
  if (!WALL.test(wall) || !isDate(wall, at)) throw new RangeError(`No wall clock: ${wall}`)
  return at
}

// A zone can move the first and last hours of the calendar outside it; they are clamped to its edge (D14).
function print(epochMs: number): Wall {
  const clamped = Math.min(Math.max(epochMs, FIRST), LAST)
  const day = Math.floor(clamped / DAY)
  const seconds = Math.floor((clamped - day * DAY) / 1000)
  const minutes = Math.floor(seconds / 60)
  const [hour, minute, second] = [Math.floor(minutes / 60), minutes % 60, seconds % 60]
  return `${dayOf(day)} ${PAIRS[hour]}:${PAIRS[minute]}:${PAIRS[second]}`
}

/** The numbers below 60 with two digits. */
const PAIRS = Array.from({ length: 60 }, (_, value) => two(value))
/** Days that were printed last, each at the place of its number modulo their count: a request prints the same few over and over. */
const printed = Array.from({ length: 64 }, () => ({ day: Number.NaN, text: '' }))

/** A day as `YYYY-MM-DD`, by its number since 1970-01-01. */
function dayOf(day: number): string {
  const place = printed[day & 63]!
  if (place.day !== day) Object.assign(place, { day, text: new Date(day * DAY).toISOString().slice(0, 10) })
  return place.text
}

/**
 * The zone as stored, or `undefined` if the text (or an empty text) is not accepted. Accepted are a tz database name, returned
 * in its own case with aliases kept, `UTC`, `Z`, `UTC+5.5`, `UTC+5:30`, `+05:30`, `-0500` (D16).
 */
export function readZone(text: string): string | undefined {
  return findZone(text)?.stored
}

/**
 * Epoch milliseconds of a local time in a zone. A time in a DST gap moves forward by the gap; of two ambiguous times it is the
 * first (D16). Throws a RangeError for a text that is not a local time, or a zone that `readZone` refuses.
 */
export function toEpoch(wall: Wall, zone: string): number {
  return instantOf(mustParse(wall), mustFindZone(zone))
}

/** The local time in a zone at epoch milliseconds, without fractions of a second. Throws like `toEpoch`. */
export function toWall(epochMs: number, zone: string): Wall {
  const at = Math.floor(epochMs)
  return print(at + offsetAt(at, mustFindZone(zone)))
}

/** The local time that exists in the zone: 02:30 in a DST gap becomes 03:30 (D16). Throws like `toEpoch`. */
export function normalize(wall: Wall, zone: string): Wall {
  return toWall(toEpoch(wall, zone), zone)
}

/** The UTC time of a local time in a zone (D5). Throws like `toEpoch`. */
export function toUtc(wall: Wall, zone: string): Wall {
  return print(toEpoch(wall, zone))
}

/**
 * The abbreviation of a zone at epoch milliseconds: that of the tz database (`CEST`, `-03`), for `UTC+5.5`
 * and `Z` the zone itself, for `+02:00` `GMT+0200` (reference §1.2). Throws a RangeError for an unknown zone.
 */
export function abbreviation(epochMs: number, zone: string): string {
  const found = mustFindZone(zone)
  return found.abbreviate(epochMs, offsetAt(epochMs, found))
}

/** `2027-05-14T18:00:00+02:00`, settled in the zone, as DateTime of schema.org requires. Throws like `toEpoch`. */
export function toOffsetDateTime(wall: Wall, zone: string): string {
  const found = mustFindZone(zone)
  const at = instantOf(mustParse(wall), found)
  return printOffset(at, offsetAt(at, found))
}

/** Two local times of the same instant, in a zone and in UTC, as `2027-05-14T18:00:00+02:00`. Both were settled before. */
export const withOffset = (wall: Wall, utc: Wall): string => printOffset(parse(utc), parse(wall) - parse(utc))

function printOffset(at: number, offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const sign = offset < 0 ? '-' : '+'
  return `${print(at + offset).replace(' ', 'T')}${sign}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** 00:00:00 of the day of a local time. */
export function startOfDay(wall: Wall): Wall {
  return `${wall.slice(0, 10)} 00:00:00`
}

/** 23:59:59 of the day of a local time. */
export function endOfDay(wall: Wall): Wall {
  return `${wall.slice(0, 10)} 23:59:59`
}

/** A local time as seconds since 1970-01-01 00:00:00 local time. */
export function secondsOf(wall: Wall): number {
  return parse(wall) / 1000
}

/** A local time some days later (earlier if negative), within the years 0001 to 9999. */
export function addDays(wall: Wall, days: number): Wall {
  return print(parse(wall) + days * DAY)
}

/** A local time some months later (earlier if negative), clamped to the end of a shorter month. */
export function addMonths(wall: Wall, months: number): Wall {
  return print(Temporal.PlainDateTime.from(wall).add({ months }).toZonedDateTime('UTC').epochMilliseconds)
}

/** When the next day begins in a zone, in Unix milliseconds. */
export function nextDay(now: number, zone: string): number {
  return toEpoch(addDays(startOfDay(toWall(now, zone)), 1), zone)
}

/** The zero-padded members of the `*_details` objects in responses. */
export function dateDetails(wall: Wall) {
  return {
    year: wall.slice(0, 4),
    month: wall.slice(5, 7),
    day: wall.slice(8, 10),
    hour: wall.slice(11, 13),
    minutes: wall.slice(14, 16),
    seconds: wall.slice(17, 19),
  }
}
