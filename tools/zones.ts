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
