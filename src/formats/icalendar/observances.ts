import { type ClockChange, clockChanges } from '../../rules/time/clock-changes.ts'
import { offsetAt, type Zone } from '../../rules/time/zones.ts'
import { daysOf, partsOf, ruleOf, type Yearly } from './yearly.ts'

/** A change of the clocks as VTIMEZONE has it: offsets in milliseconds, and the local time before the change as milliseconds of UTC. */
type Onset = { local: number; from: number; to: number; name: string; isDaylight: boolean }
/** Changes of one kind: those of a rule from the first on, or these local times. */
export type Observance = Onset & { rule?: string; others: number[] }

const DAY = 86_400_000
/** Components describe a zone from here on, in epoch milliseconds. */
export const FIRST = Date.UTC(1970, 0, 1)
/** The days of the week fall on the same dates again after 28 years: what held for so long is a rule. */
const CYCLE = { from: 2033, to: 2060 }
/** Where there is no rule, the changes until then: no zone of the tz database has others later. */
const LAST = Date.UTC(2100, 0, 1)
/** Daylight saving time lasts no longer. */
const LONGEST_SUMMER = 300 * DAY

function onsetsOf(zone: Zone, changes: ClockChange[]): Onset[] {
  return changes.map(({ at, from, to }, i) => ({
    ...{ local: at + from, from, to, name: zone.abbreviate(at, to) },
    isDaylight: to > from && (changes[i + 1]?.at ?? Number.POSITIVE_INFINITY) - at < LONGEST_SUMMER,
  }))
}

/** What the changes of one observance share, as text. */
const kindOf = ({ from, to, name, isDaylight }: Onset) => `${from} ${to} ${name} ${isDaylight}`

/** Items by what they share, in the order of the first. */
function grouped<T>(items: T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return [...groups.values()]
}

/** A rule for changes of one kind, at a time of day. */
type Rule = { like: Onset; yearly: Yearly }

/** The local times that a rule gives in a year. */
const expand = ({ like, yearly }: Rule, year: number) =>
  daysOf(yearly, year).map((day) => day + (like.local % DAY))

/** The rules that give these changes of whole years, and no others; undefined if there are none. */
function findRules(onsets: Onset[]): Rule[] | undefined {
  const keyOf = (onset: Onset) => {
    const { month, weekday } = partsOf(onset.local)
    return `${kindOf(onset)} ${onset.local % DAY} ${month} ${weekday}`
  }
  const rules = grouped(onsets, keyOf).map((group): Rule => {
    const days = new Set(group.map(({ local }) => partsOf(local).day))
    const { month, weekday } = partsOf(group[0]!.local)
    return { like: group[0]!, yearly: { month, weekday, days: [...days].sort((a, b) => a - b) } }
  })
  let expanded = 0
  for (let year = CYCLE.from; year <= CYCLE.to; year++)
    for (const rule of rules) expanded += expand(rule, year).length
  // each change is among those that its rule gives
  return expanded === onsets.length ? rules : undefined
}

/** The changes that follow a rule without a gap until today, from the first on. */
function followers(rule: Rule, onsets: Onset[]): Onset[] {
  const alike = new Map(
    onsets.filter((onset) => kindOf(onset) === kindOf(rule.like)).map((onset) => [onset.local, onset]),
  )
  const found: Onset[] = []
  for (let year = CYCLE.to; ; year--) {
    const onsets = expand(rule, year).map((local) => alike.get(local))
    if (year < 1970 || onsets.includes(undefined)) return found.reverse()
    found.push(...(onsets as Onset[]))
  }
}

/** The observances of a zone since 1970, by their first change; the first one begins then. */
export function observancesOf(zone: Zone): Observance[] {
  // two years more, to see how long the last summer is
  const ahead = onsetsOf(zone, clockChanges(zone, FIRST, Date.UTC(CYCLE.to + 2, 0, 1)))
  const known = ahead.filter(({ local }) => partsOf(local).year <= CYCLE.to)
  const rules = findRules(known.filter(({ local }) => partsOf(local).year >= CYCLE.from))
  const ruled = (rules ?? []).map((rule) => ({ rule, onsets: followers(rule, known) }))
  const settled = new Set(ruled.flatMap(({ onsets }) => onsets))
  const rest = rules
    ? known.filter((onset) => !settled.has(onset))
    : onsetsOf(zone, clockChanges(zone, FIRST, LAST))
  const offset = offsetAt(FIRST, zone)
  const base = { from: offset, to: offset, name: zone.abbreviate(FIRST, offset), isDaylight: false }
  return [
    { ...base, local: FIRST + offset, others: [] },
    ...grouped(rest, kindOf).map(([first, ...others]) => ({
      ...first!,
      others: others.map(({ local }) => local),
    })),
    ...ruled.map(({ rule, onsets }) => ({ ...onsets[0]!, rule: ruleOf(rule.yearly), others: [] })),
  ].sort((a, b) => a.local - b.local)
}
