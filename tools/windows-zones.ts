import { createRequire } from 'node:module'

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
