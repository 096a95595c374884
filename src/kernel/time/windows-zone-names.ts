import { WINDOWS_ZONES } from './windows-zones.ts'

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
