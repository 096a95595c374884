import { createRequire } from 'node:module'
import moment from 'moment-timezone'

/** An era of a zone in which each offset, in seconds ahead of UTC, has one abbreviation; it ends at a time in seconds, the last one never. */
type Era = { until: number | undefined; abbreviations: Map<number, string> }

/** The zones of the tz database as lines: names of equal zones, and their eras. */
function rulesOf(): string {
  const lines = new Map<string, string[]>()
  for (const name of moment.tz.names()) {
    const eras = erasOf(name).map(textOf).join('|')
    lines.set(eras, [...(lines.get(eras) ?? []), name])
  }
  const rules = [...lines].map(([eras, names]) => `${names.join(' ')}|${eras}\n`)
  return `\n${rules.join('')}`
}

/** The module that holds these lines. */
export const sourceOf = () => `/**
 * Version ${moment.tz.dataVersion} of the tz database, as far as it is about names; made by \`npm run zones\`. A line holds the names of
 * zones that are equal, and the eras in which each of their offsets has one abbreviation: seconds ahead of UTC,
 * abbreviation, ..., and the Unix second at which the era ends, but for the last.
 */
export const ZONE_RULES = \`${rulesOf()}\`
`

function erasOf(name: string): Era[] {
  const { abbrs, offsets, untils } = moment.tz.zone(name)!
  const eras: Era[] = [{ until: undefined, abbreviations: new Map() }]
  for (const [at, abbreviation] of abbrs.entries()) {
    const seconds = Math.round(-offsets[at]! * 60)
    const last = eras.at(-1)!
    if ((last.abbreviations.get(seconds) ?? abbreviation) === abbreviation) {
      last.abbreviations.set(seconds, abbreviation)
      continue
    }
    last.until = untils[at - 1]! / 1_000
    eras.push({ until: undefined, abbreviations: new Map([[seconds, abbreviation]]) })
  }
  return eras
}

const textOf = ({ until, abbreviations }: Era) =>
  [...[...abbreviations].flat(), ...(until === undefined ? [] : [until])].join(' ')

const read = createRequire(import.meta.url)
const { windowsZones } = read('cldr-core/supplemental/windowsZones.json').supplemental
const { territoryInfo, version } = read('cldr-core/supplemental/territoryInfo.json').supplemental

type Zone = { _other: string; _type: string; _territory: string }
const ALL: Zone[] = windowsZones.mapTimezones.map(({ mapZone }: { mapZone: Zone }) => mapZone)
/** The mark of the zone that stands for a name in all the world. */
const WORLD = '001'

const world = ALL.filter(({ _territory }) => _territory === WORLD)
/** The territories that zones are in. */
const lands = new Map(
  ALL.filter(({ _territory }) => _territory !== WORLD).flatMap(({ _type, _territory }) =>
    _type.split(' ').map((zone) => [zone, _territory]),
  ),
)

/** How many people live in a zone, about: those of its land have its zones in equal parts. */
function peopleOf(zone: string): number {
  const land = lands.get(zone)!
  const people = Number(territoryInfo[land]!._population)
  return people / world.filter(({ _type }) => lands.get(_type) === land).length
}

/** The module that holds the names of Windows for zones. */
export function windowsSource(): string {
  const lines = world
    .toSorted((a, b) => peopleOf(b._type) - peopleOf(a._type))
    .map(({ _other, _type }) => {
      const others = ALL.filter((one) => one._other === _other).flatMap((one) => one._type.split(' '))
      return `${_other}|${[...new Set([_type, ...others])].join(' ')}\n`
    })
  return `/**
 * The names of Windows for time zones, by version ${version._cldrVersion} of the CLDR; made by \`npm run zones\`. A line holds a name, the zone of the
 * tz database that stands for it in all the world, and the others of which it is the name somewhere. Those in which many people live are first.
 */
export const WINDOWS_ZONES = \`
${lines.join('')}\`
`
}
