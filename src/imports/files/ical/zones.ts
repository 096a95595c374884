import { readZone, toEpoch, toWall } from '../../../rules/time/dates.ts'
import { type Component, propertyOf } from './components.ts'

/** Offsets from UTC in minutes, in January and in July. */
type Offsets = { january: number; july: number }

function minutesOf(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([+-])(\d\d)(\d\d)/.exec(text.trim()) ?? []
  return sign === undefined ? undefined : Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
}

/** The last observance of a kind: from which month on, and with which offset. */
function lastOf({ components }: Component, kind: string) {
  const all = components
    .filter(({ name }) => name === kind)
    .map((observance) => ({
      start: propertyOf(observance, 'DTSTART')?.value ?? '',
      rule: propertyOf(observance, 'RRULE')?.value ?? '',
      offset: minutesOf(propertyOf(observance, 'TZOFFSETTO')?.value ?? ''),
    }))
    .sort((a, b) => a.start.localeCompare(b.start))
  const last = all.at(-1)
  if (last?.offset === undefined) return undefined
  return {
    offset: last.offset,
    month: Number(/BYMONTH=(\d+)/.exec(last.rule)?.[1] ?? last.start.slice(4, 6)),
  }
}

/** What a VTIMEZONE says of the clocks now. */
function offsetsOf(zone: Component): Offsets | undefined {
  const standard = lastOf(zone, 'STANDARD')
  const daylight = lastOf(zone, 'DAYLIGHT')
  if (!standard) return undefined
  if (!daylight) return { january: standard.offset, july: standard.offset }
  return daylight.month < standard.month
    ? { january: standard.offset, july: daylight.offset }
    : { january: daylight.offset, july: standard.offset }
}

const offsetIn = (zone: string, day: string) =>
  Math.round((toEpoch(toWall(toEpoch(day, 'UTC'), zone), 'UTC') - toEpoch(day, 'UTC')) / 60_000)
const hasOffsets = (zone: string, { january, july }: Offsets) =>
  offsetIn(zone, '2026-01-15 12:00:00') === january && offsetIn(zone, '2026-07-15 12:00:00') === july

/** The place at the end of a name such as `/freeassociation.sourceforge.net/Europe/Berlin`. */
const placeIn = (name: string) => readZone(/[^/]+\/[^/]+$/.exec(name)?.[0] ?? '')

/**
 * Finds the zones of a calendar by their TZID: those of the tz database by name, those of other programs by the place that they tell, or as one with
 * the same clocks, first of all that of the site.
 */
export function openZones(calendar: Component, site: string) {
  const known = new Map<string, string | undefined>()
  const find = (tzid: string): string | undefined => {
    const named = readZone(tzid) ?? placeIn(tzid)
    if (named !== undefined) return named
    const zone = calendar.components.find(
      (one) => one.name === 'VTIMEZONE' && propertyOf(one, 'TZID')?.value.trim() === tzid,
    )
    const told = zone && readZone(propertyOf(zone, 'X-LIC-LOCATION')?.value ?? '')
    if (told) return told
    const offsets = zone && offsetsOf(zone)
    return offsets && [site, ...Intl.supportedValuesOf('timeZone')].find((name) => hasOffsets(name, offsets))
  }
  return (tzid: string): string | undefined => {
    if (!known.has(tzid)) known.set(tzid, find(tzid))
    return known.get(tzid)
  }
}
