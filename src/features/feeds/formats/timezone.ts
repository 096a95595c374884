import { grouped } from '../../../kernel/sorting.ts'
import {
  type ClockChange,
  clockChanges,
  mustFindZone,
  offsetAt,
  type Zone,
} from '../../../kernel/time/zones.ts'
import { dateTime, line } from './content-lines.ts'

/** The observances of each zone: all, and the last ones with the time from which on they are enough, if there are such. */
const observed = new Map<
  string,
  { whole: Observance[]; recent?: { observances: Observance[]; from: number } }
>()

/** Zones that are a distance from UTC, and no place. Their names mean the opposite to some programs, and nothing to others. */
const DISTANCE = /^(?:Etc\/.*|GMT.*|UTC|UCT|Zulu|Universal|Greenwich)$/

/** The zone that local times of a stored zone are written in; undefined if they are written in UTC. */
export function tzidOf(stored: string): string | undefined {
  const { id } = mustFindZone(stored)
  return /^[+-]/.test(id) || DISTANCE.test(id) ? undefined : id
}

/** Whether the component of a zone covers an instant, in epoch milliseconds. */
export const isCovered = (at: number) => at >= FIRST

const two = (value: number) => String(value).padStart(2, '0')

/** An offset in milliseconds as UTC-OFFSET, with seconds if it has any (RFC 5545 §3.3.14). */
function utcOffset(offset: number): string {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const rest = seconds % 60 === 0 ? '' : two(seconds % 60)
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(seconds / 3600))}${two(Math.floor(seconds / 60) % 60)}${rest}`
}

const print = (local: number) => dateTime(new Date(local).toISOString().slice(0, 19).replace('T', ' '))

function observance({ local, from, to, name, isDaylight, rule, others }: Observance): string {
  const component = isDaylight ? 'DAYLIGHT' : 'STANDARD'
  return [
    line('BEGIN', component),
    line('DTSTART', print(local)),
    line('TZOFFSETFROM', utcOffset(from)),
    line('TZOFFSETTO', utcOffset(to)),
    line('TZNAME', name),
    rule ? line('RRULE', rule) : '',
    // one a line, and the first as well: libraries exist that read no others
    ...(others.length > 0 ? [local, ...others].map((at) => line('RDATE', print(at))) : []),
    line('END', component),
  ].join('')
}

const componentOf = (tzid: string, observances: Observance[]) =>
  [
    line('BEGIN', 'VTIMEZONE'),
    line('TZID', tzid),
    ...observances.map(observance),
    line('END', 'VTIMEZONE'),
  ].join('')

/**
 * The VTIMEZONE of a zone of the tz database (RFC 5545 §3.6.5) for times from an instant on, in epoch milliseconds. It has all changes of the clocks
 * since 1970, or for times after all but the last rules just these: Outlook reads one STANDARD and one DAYLIGHT (MS-STANOICAL 2.2.47).
 */
export function vtimezone(tzid: string, from?: number): string {
  let zone = observed.get(tzid)
  if (!zone) {
    const whole = observancesOf(mustFindZone(tzid))
    const last = lastOf(whole)
    zone = { whole }
    if (last) zone.recent = { observances: last, from: Math.max(...last.map(beginOf)) }
    observed.set(tzid, zone)
  }
  const { whole, recent } = zone
  return componentOf(tzid, recent && from !== undefined && from >= recent.from ? recent.observances : whole)
}

/** The instant of the first change of an observance. */
const beginOf = ({ local, from }: Observance) => local - from

/** The observances that are in force when all others are over: a pair of rules, or the only one that is left; undefined if there are no such. */
function lastOf(observances: Observance[]): Observance[] | undefined {
  const rules = observances.filter(({ rule }) => rule !== undefined)
  const changes = observances.flatMap((one) =>
    [one.local, ...one.others].map((local) => ({ ...one, local, others: [] })),
  )
  const last = changes.reduce((one, other) => (beginOf(other) > beginOf(one) ? other : one))
  if (rules.length === 0) return beginOf(last) < NOW ? [last] : undefined
  const isPair = rules.length === 2 && rules[0]!.isDaylight !== rules[1]!.isDaylight
  const others = changes.filter(({ rule }) => rule === undefined).map(beginOf)
  return isPair && Math.max(...others) <= Math.max(...rules.map(beginOf)) ? rules : undefined
}

/** A change of the clocks as VTIMEZONE has it: offsets in milliseconds, and the local time before the change as milliseconds of UTC. */
type Onset = { local: number; from: number; to: number; name: string; isDaylight: boolean }
/** Changes of one kind: those of a rule from the first on, or these local times. */
type Observance = Onset & { rule?: string; others: number[] }

const DAY = 86_400_000
/** Components describe a zone from here on, in epoch milliseconds. */
const FIRST = Date.UTC(1970, 0, 1)
/** The days of the week fall on the same dates again after 28 years: what held for so long is a rule. */
const CYCLE = { from: 2033, to: 2060 }
/** Zones whose clocks change later without a rule have no last observance. */
const NOW = Date.UTC(CYCLE.from, 0, 1)
/** Where there is no rule, the changes until then: no zone of the tz database has others later. */
const LAST = Date.UTC(2100, 0, 1)
/** Daylight saving time lasts no longer. */
const LONGEST_SUMMER = 300 * DAY

function onsetsOf(zone: Zone, changes: ClockChange[]): Onset[] {
  return changes.map(({ at, from, to }, i) => ({
    local: at + from,
    from,
    to,
    name: zone.abbreviate(at, to),
    isDaylight: to > from && (changes[i + 1]?.at ?? Number.POSITIVE_INFINITY) - at < LONGEST_SUMMER,
  }))
}

/** What the changes of one observance share, as text. */
const kindOf = ({ from, to, name, isDaylight }: Onset) => `${from} ${to} ${name} ${isDaylight}`

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
  const rules = [...grouped(onsets, keyOf).values()].map((group): Rule => {
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
function observancesOf(zone: Zone): Observance[] {
  // two years more, to see how long the last summer is
  const ahead = onsetsOf(zone, clockChanges(zone, FIRST, Date.UTC(CYCLE.to + 2, 0, 1)))
  const known = ahead.filter(({ local }) => partsOf(local).year <= CYCLE.to)
  const rules = findRules(known.filter(({ local }) => partsOf(local).year >= CYCLE.from))
  const ruled = (rules ?? []).map((rule) => ({ rule, onsets: followers(rule, known) }))
  const covered = new Set(ruled.flatMap(({ onsets }) => onsets))
  const rest = rules
    ? known.filter((onset) => !covered.has(onset))
    : onsetsOf(zone, clockChanges(zone, FIRST, LAST))
  const offset = offsetAt(FIRST, zone)
  const base = { from: offset, to: offset, name: zone.abbreviate(FIRST, offset), isDaylight: false }
  return [
    { ...base, local: FIRST + offset, others: [] },
    ...[...grouped(rest, kindOf).values()].map(([first, ...others]) => ({
      ...first!,
      others: others.map(({ local }) => local),
    })),
    ...ruled.map(({ rule, onsets }) => ({ ...onsets[0]!, rule: ruleOf(rule.yearly), others: [] })),
  ].sort((a, b) => a.local - b.local)
}

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Days that come every year: these days of a month (1 to 12), as far as they are this day of the week (0 is Sunday). */
type Yearly = { month: number; weekday: number; days: number[] }

/** The year, month, day and day of the week of a local time, given as milliseconds of UTC. */
function partsOf(local: number) {
  const at = new Date(local)
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: at.getUTCDay(),
  }
}

/** The days of a year, each as milliseconds of its midnight in UTC. */
function daysOf({ month, weekday, days }: Yearly, year: number): number[] {
  return days
    .map((day) => Date.UTC(year, month - 1, day))
    .filter((at) => partsOf(at).month === month && partsOf(at).weekday === weekday)
}

/** The days as a recurrence rule (RFC 5545 §3.3.10): the second Sunday, the last Friday, or a Saturday from the 24th to the 30th. */
export function ruleOf({ month, weekday, days }: Yearly): string {
  const day = WEEKDAYS[weekday]!
  const first = days[0]!
  const rule = `FREQ=YEARLY;BYMONTH=${month}`
  if (days.length === 7 && days[6] === lengthOf(month)) return `${rule};BYDAY=-1${day}`
  if (days.length === 7 && first % 7 === 1) return `${rule};BYDAY=${Math.ceil(first / 7)}${day}`
  return `${rule};BYMONTHDAY=${days.join(',')};BYDAY=${day}`
}

/** The days of a month. A last week of February has no fixed days, so its days are listed. */
const lengthOf = (month: number) => new Date(Date.UTC(2000, month, 0)).getUTCDate()
