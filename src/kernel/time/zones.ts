import { Temporal } from 'temporal-polyfill'
import { WINDOWS_ZONES } from './windows-zones.ts'
import { ZONE_RULES } from './zone-rules.ts'

/** A time zone: its stored name, and its name for Temporal. */
export type Zone = {
  stored: string
  id: string
  /** Its abbreviation at epoch milliseconds; `offset` is its offset from UTC then, in milliseconds. */
  abbreviate: (epochMs: number, offset: number) => string
  /** Asks the runtime for its offset from UTC at epoch milliseconds, in milliseconds. */
  ask: (epochMs: number) => number
  /** Whether it never had another offset. */
  isFixed: boolean
  /** Its offset from UTC in milliseconds, by UTC day; only days without a change. */
  days: Map<number, number>
}

const DAY = 86_400_000
const UTC_OFFSET = /^UTC([+-])(\d{1,2})(?::([0-5]\d)|\.(\d{1,4}))?$/i
const ISO_OFFSET = /^([+-])(\d\d):?([0-5]\d)$/

/** The zones of the tz database by name in lower case, with the spelling of their names and the rules for abbreviations. */
const NAMED = new Map(
  ZONE_RULES.trim()
    .split('\n')
    .flatMap((line) => {
      const [names, ...rules] = line.split('|') as [string, ...string[]]
      return names.split(' ').map((name) => [name.toLowerCase(), { name, rules }] as const)
    }),
)
const ZONES_KEPT = 1000
/** Days of all zones together. */
const DAYS_KEPT = 20_000
const zones = new Map<string, Zone>()
let daysKept = 0

const two = (value: number) => String(value).padStart(2, '0')

/** Temporal's view of an instant in a zone. */
export const zoned = (epochMs: number, { id }: Pick<Zone, 'id'>) =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(id)

/** `F, GMT+01:00`; seconds are in offsets of long ago. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/

/** Offsets from UTC as the runtime prints them: Temporal asks for all parts of a time and computes, which takes four times as long. */
function openOffsets(timeZone: string): Zone['ask'] {
  let format: Intl.DateTimeFormat | undefined
  return (epochMs) => {
    format ??= new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'narrow', timeZoneName: 'longOffset' })
    const [, sign, hours = 0, minutes = 0, seconds = 0] = OFFSET.exec(format.format(epochMs))!
    const size = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
    return (sign === '-' ? -size : size) * 1_000
  }
}

const fixed = (offset: number) => ({ ask: () => offset, isFixed: true })

/** The offset of a zone from UTC at epoch milliseconds, in milliseconds. */
export function offsetAt(epochMs: number, zone: Zone): number {
  if (zone.isFixed) return zone.ask(epochMs)
  const day = Math.floor(epochMs / DAY)
  const known = zone.days.get(day)
  if (known !== undefined) return known
  const offset = zone.ask(epochMs)
  // no zone has ever changed twice in a day
  if (zone.ask(day * DAY) === offset && zone.ask((day + 1) * DAY - 1) === offset) {
    if (daysKept >= DAYS_KEPT) forgetDays()
    daysKept++
    zone.days.set(day, offset)
  }
  return offset
}

function forgetDays() {
  for (const zone of zones.values()) zone.days.clear()
  daysKept = 0
}

/** Epoch milliseconds at which a zone shows the local time that UTC shows at `local`: the first of two, moved forward by a gap. */
export function instantOf(local: number, zone: Zone): number {
  const before = offsetAt(local - DAY, zone)
  const after = offsetAt(local + DAY, zone)
  const isLater =
    before !== after && offsetAt(local - before, zone) !== before && offsetAt(local - after, zone) === after
  return local - (isLater ? after : before)
}

/** Whether a zone shows this local time twice, because its clock is set back over it. `local` is as in `instantOf`. */
export function isRepeated(local: number, zone: Zone): boolean {
  const before = offsetAt(local - DAY, zone)
  const after = offsetAt(local + DAY, zone)
  return (
    before !== after && offsetAt(local - before, zone) === before && offsetAt(local - after, zone) === after
  )
}

// The list of names can be newer than the runtime's data.
function runtimeKnows(id: string): boolean {
  try {
    zoned(0, { id })
    return true
  } catch {
    return false
  }
}

function namedZone(text: string): Omit<Zone, 'days'> | undefined {
  const named = NAMED.get(text.toLowerCase())
  if (!named || !runtimeKnows(named.name)) return undefined
  const eras = named.rules.map(readEra)
  return {
    stored: named.name,
    id: named.name,
    ...(named.name === 'UTC' ? fixed(0) : { ask: openOffsets(named.name), isFixed: false }),
    abbreviate(epochMs, offset) {
      const { abbreviations } = eras.find(({ until }) => epochMs < until)!
      return abbreviations.get(offset) ?? numberOf(offset)
    },
  }
}

/** `3600 CET 7200 CEST`, and the second at which that ends, but for the last (src/kernel/time/zone-rules.ts). All times in milliseconds. */
function readEra(text: string) {
  const words = text.split(' ')
  const until = words.length % 2 === 1 ? Number(words.pop()) * 1_000 : Number.POSITIVE_INFINITY
  const abbreviations = new Map<number, string>()
  for (let at = 0; at < words.length; at += 2) abbreviations.set(Number(words[at]) * 1_000, words[at + 1]!)
  return { until, abbreviations }
}

/** The abbreviation in the tz database for an offset without a name: `-03`, `+0545`. */
function numberOf(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60_000)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${minutes % 60 === 0 ? '' : two(minutes % 60)}`
}

function offsetZone(text: string): Omit<Zone, 'days'> | undefined {
  const utc = UTC_OFFSET.exec(text)
  const [, sign, hours, sixtieths, decimals] = utc ?? ISO_OFFSET.exec(text) ?? []
  if (sign === undefined) return undefined
  const size =
    Number(hours) * 60 + (decimals ? Math.round(Number(`0.${decimals}`) * 60) : Number(sixtieths ?? 0))
  if (size > (sign === '-' ? 12 : 14) * 60) return undefined
  const id = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
  const offset = (sign === '-' ? -size : size) * 60_000
  const stored = text.toUpperCase()
  const label = utc ? stored : `GMT${id.replace(':', '')}`
  return { stored, id, ...fixed(offset), abbreviate: () => label }
}

/**
 * The zone with this name: a tz database name in any case, aliases kept, `UTC`, `Z`, `UTC+5.5`, `UTC+5:30`, `+05:30`,
 * `-0500` (D16), or a name of Windows (R24), which stands for one of the tz database; undefined for anything else.
 */
export function findZone(text: string): Zone | undefined {
  const known = zones.get(text)
  if (known) return known
  const found = /^z$/i.test(text)
    ? { stored: 'Z', id: 'UTC', ...fixed(0), abbreviate: () => 'Z' }
    : (offsetZone(text) ?? namedZone(text) ?? namedZone(zoneOfWindows(text) ?? ''))
  if (!found) return undefined
  const zone = zones.get(found.stored) ?? { ...found, days: new Map() }
  if (zones.size >= ZONES_KEPT) {
    forgetDays()
    zones.clear()
  }
  zones.set(zone.stored, zone)
  return zone
}

/** The zone with this name, in all forms that `findZone` reads. Throws a RangeError if there is none. */
export function mustFindZone(text: string): Zone {
  const zone = findZone(text)
  if (!zone) throw new RangeError(`Unknown time zone: ${text}`)
  return zone
}

/** A change of the clocks of a zone: the instant in epoch milliseconds, and the offsets from UTC before and after it in milliseconds. */
export type ClockChange = { at: number; from: number; to: number }

/** No zone has ever changed twice in so short a time, which is halved down to a whole hour. */
const STEP = 128 * 3_600_000

/** The changes of the clocks of a zone after `since` and before `until`, in epoch milliseconds, in order. */
export function clockChanges(zone: Zone, since: number, until: number): ClockChange[] {
  const changes: ClockChange[] = []
  let from = zone.ask(since)
  for (let start = since; start < until - 1; start += STEP) {
    const end = Math.min(start + STEP, until - 1)
    const to = zone.ask(end)
    if (to !== from) changes.push({ at: changeBetween(zone, start, end, to), from, to })
    from = to
  }
  return changes
}

/** When a zone gets the offset that it has at `late`: at a whole second. */
function changeBetween({ ask }: Zone, early: number, late: number, offset: number): number {
  let before = Math.floor(early / 1_000)
  let after = Math.floor(late / 1_000)
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (ask(middle * 1_000) === offset) after = middle
    else before = middle
    // nearly all changes are at a whole hour
    if (after - before <= 3_600 && ask((after - 1) * 1_000) !== offset) break
  }
  return after * 1_000
}

/** A name of Windows, and the zones of which it is the name somewhere: first the one that stands for it in all the world. */
type Named = { name: string; zones: string[] }
const NAMES: Named[] = WINDOWS_ZONES.trim()
  .split('\n')
  .map((line) => {
    const [name, zones] = line.split('|') as [string, string]
    return { name: name.toLowerCase(), zones: zones.split(' ') }
  })

/** The zones that stand for the names of Windows, those in which many people live first. */
export const WORLD_ZONES: readonly string[] = NAMES.map(({ zones }) => zones[0]!)

/** Names by places that Windows shows, and that neither a name nor a zone of the tz database is called by. */
const SHOWN: Record<string, string> = {
  ...{ alaska: 'alaskan', arizona: 'us mountain', 'baja california': 'pacific standard time (mexico)' },
  ...{ brasilia: 'e. south america', 'cabo verde': 'cape verde', chetumal: 'eastern standard time (mexico)' },
  ...{ chokurdakh: 'russia time zone 10', hawaii: 'hawaiian', 'indiana (east)': 'us eastern' },
  ...{
    'international date line west': 'dateline',
    kathmandu: 'nepal',
    kolkata: 'india',
    "nuku'alofa": 'tonga',
  },
  ...{
    'port louis': 'mauritius',
    salvador: 'bahia',
    saskatchewan: 'canada central',
    solomon: 'central pacific',
  },
  ...{
    'sri jayawardenepura': 'sri lanka',
    turks: 'turks and caicos',
    'west central africa': 'w. central africa',
  },
  'yangon (rangoon)': 'myanmar',
}

const BY_NAME = new Map(NAMES.map((one) => [one.name, one]))

const placeOf = (zone: string) => zone.split('/').at(-1)!.replace(/_/g, ' ').toLowerCase()

/** The names that a place has, which may be in several: `Eastern Time (US & Canada)`, `Amsterdam`, `Coordinated Universal Time-11`. */
function namesAt(place: string): Named[] {
  const plain = place
    .replace(/^coordinated universal time/, 'utc')
    .replace(/^city of | time \((?:us & canada|canada)\)$| islands?$| is\.$/g, '')
  const shown = SHOWN[plain] ?? plain
  const named = BY_NAME.get(shown) ?? BY_NAME.get(`${shown} standard time`)
  return named ? [named] : NAMES.filter(({ zones }) => zones.some((zone) => placeOf(zone) === plain))
}

/**
 * The zone of the tz database that the CLDR has for a name of Windows: `W. Europe Standard Time`, `W. Europe Daylight Time`, or as Windows
 * and Outlook show it, `(UTC+01:00) Amsterdam, Berlin, Bern`; undefined for anything else.
 */
export function zoneOfWindows(text: string): string | undefined {
  const name = text
    .trim()
    .toLowerCase()
    .replace(/ (?:daylight|summer) time$/, ' standard time')
  const named = BY_NAME.get(name)
  if (named) return named.zones[0]
  if (name === 'tzone://microsoft/utc') return 'UTC'
  const [, shown] = /^\((?:utc|gmt)(?:[+-]\d\d[:.]\d\d)?\) ?(.{1,200})$/.exec(name) ?? []
  const found = shown?.split(/, | and |\//).flatMap(namesAt) ?? []
  const timesOf = (one: Named) => found.filter((other) => other === one).length
  const [most] = found.toSorted((a, b) => timesOf(b) - timesOf(a) || NAMES.indexOf(a) - NAMES.indexOf(b))
  return most?.zones[0]
}
