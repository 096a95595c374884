import moment from 'moment-timezone'
import { Temporal } from 'temporal-polyfill'

/** A time zone: as it is stored, and as Temporal calls it. */
export type Zone = {
  stored: string
  id: string
  abbreviate: (epochMs: number) => string
  /** Milliseconds by which its clock is ahead of UTC, by day of UTC: of days on which that did not change. */
  days: Map<number, number>
}

const DAY = 86_400_000
const UTC_OFFSET = /^UTC([+-])(\d{1,2})(?::([0-5]\d)|\.(\d{1,4}))?$/i
const ISO_OFFSET = /^([+-])(\d\d):?([0-5]\d)$/

const ZONE_NAMES = new Map(moment.tz.names().map((name) => [name.toLowerCase(), name]))
const ZONES_KEPT = 1000
const DAYS_KEPT = 1000
const zones = new Map<string, Zone>()

const two = (value: number) => String(value).padStart(2, '0')

/** Temporal's view of an instant in a zone. */
export const zoned = (epochMs: number, { id }: Pick<Zone, 'id'>) =>
  Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(id)

const ask = (epochMs: number, zone: Pick<Zone, 'id'>) => zoned(epochMs, zone).offsetNanoseconds / 1e6

/** Milliseconds by which a zone's clock is ahead of UTC at epoch milliseconds. */
export function offsetAt(epochMs: number, zone: Zone): number {
  const day = Math.floor(epochMs / DAY)
  const known = zone.days.get(day)
  if (known !== undefined) return known
  const offset = ask(epochMs, zone)
  // no zone has ever changed twice on a day
  if (ask(day * DAY, zone) === offset && ask((day + 1) * DAY - 1, zone) === offset) {
    if (zone.days.size >= DAYS_KEPT) zone.days.clear()
    zone.days.set(day, offset)
  }
  return offset
}

/** Epoch milliseconds at which a zone's clock shows what UTC's shows at `local`: of two the first; where a gap leaves none, moved on by the gap. */
export function instantOf(local: number, zone: Zone): number {
  const before = offsetAt(local - DAY, zone)
  const after = offsetAt(local + DAY, zone)
  const isLater =
    before !== after && offsetAt(local - before, zone) !== before && offsetAt(local - after, zone) === after
  return local - (isLater ? after : before)
}

// The tz data of moment-timezone can be newer than the runtime's, which then knows fewer names.
function runtimeKnows(id: string): boolean {
  try {
    zoned(0, { id })
    return true
  } catch {
    return false
  }
}

function namedZone(text: string): Omit<Zone, 'days'> | undefined {
  const name = ZONE_NAMES.get(text.toLowerCase())
  if (!name || !runtimeKnows(name)) return undefined
  const rules = moment.tz.zone(name)!
  return { stored: name, id: name, abbreviate: (epochMs) => rules.abbr(epochMs) }
}

function offsetZone(text: string): Omit<Zone, 'days'> | undefined {
  const utc = UTC_OFFSET.exec(text)
  const [, sign, hours, sixtieths, decimals] = utc ?? ISO_OFFSET.exec(text) ?? []
  if (sign === undefined) return undefined
  const size =
    Number(hours) * 60 + (decimals ? Math.round(Number(`0.${decimals}`) * 60) : Number(sixtieths ?? 0))
  if (size > (sign === '-' ? 12 : 14) * 60) return undefined
  const id = `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`
  const stored = text.toUpperCase()
  const label = utc ? stored : `GMT${id.replace(':', '')}`
  return { stored, id, abbreviate: () => label }
}

/**
 * The zone that a text names: a tz database name in any case, aliases kept, `UTC`, `Z`, `UTC+5.5`, `UTC+5:30`, `+05:30`,
 * `-0500` (D16); undefined for anything else.
 */
export function findZone(text: string): Zone | undefined {
  const known = zones.get(text)
  if (known) return known
  const found = /^z$/i.test(text)
    ? { stored: 'Z', id: 'UTC', abbreviate: () => 'Z' }
    : (offsetZone(text) ?? namedZone(text))
  if (!found) return undefined
  const zone = zones.get(found.stored) ?? { ...found, days: new Map() }
  if (zones.size >= ZONES_KEPT) zones.clear()
  zones.set(zone.stored, zone)
  return zone
}

/** The same; throws a RangeError for anything else. */
export function mustFindZone(text: string): Zone {
  const zone = findZone(text)
  if (!zone) throw new RangeError(`Unknown time zone: ${text}`)
  return zone
}
