import rrule from 'rrule'
import { RRuleTemporal } from 'rrule-temporal'
import { even, openRandom, type Random } from '../../bench/seed/random.ts'
import { weekYearOf } from '../../src/rules/recurrence/calendar.ts'
import { idOf, ruleDates, secondsOf } from '../../src/rules/recurrence/expansion.ts'
import { type Occurrence, occurrenceOf, occurrences } from '../../src/rules/recurrence/occurrences.ts'
import { readRule } from '../../src/rules/recurrence/parts.ts'
import { readRecurrence } from '../../src/rules/recurrence/recurrence.ts'
import {
  compact,
  printRule,
  type Recurrence,
  type RecurrenceId,
  type Rule,
  WEEKDAYS,
} from '../../src/rules/recurrence/rule.ts'
import { toWall } from '../../src/rules/time/dates.ts'

/** Zones with clock changes at other times, by half an hour, at midnight, of both halves of the world, and without any. */
export const ZONES = [
  'Europe/Madrid',
  'America/New_York',
  'America/Sao_Paulo',
  'Australia/Lord_Howe',
  'Africa/Cairo',
  'Asia/Beirut',
  'Pacific/Apia',
  'America/St_Johns',
  'Asia/Kolkata',
  'UTC',
]

const one = <T>(random: Random, list: readonly T[]): T => list[even(random, list.length)]!
const some = (random: Random, most: number, from: number, to: number, isSigned = false) =>
  Array.from({ length: 1 + even(random, most) }, () => {
    const value = from + even(random, to - from + 1)
    return isSigned && random() < 0.3 ? -value : value
  }).join()

function weekdays(random: Random, most: number): string {
  return Array.from({ length: 1 + even(random, 4) }, () => {
    const nth = most > 0 && random() < 0.5 ? 1 + even(random, most) : 0
    return `${nth === 0 ? '' : random() < 0.3 ? -nth : nth}${one(random, WEEKDAYS)}`
  }).join()
}

/** The text of any rule: most parts that its frequency may have, each now and then. */
function randomRule(random: Random): string {
  const freq = one(random, ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'])
  const parts = [`FREQ=${freq}`]
  const maybe = (chance: number, part: () => string) => void (random() < chance && parts.push(part()))
  maybe(0.5, () => `INTERVAL=${1 + even(random, freq === 'DAILY' ? 40 : 5)}`)
  maybe(0.3, () => `BYMONTH=${some(random, 4, 1, 12)}`)
  const isYearly = freq === 'YEARLY'
  const weeks = isYearly && random() < 0.25
  if (weeks) parts.push(`BYWEEKNO=${some(random, 4, 1, 53, true)}`)
  maybe(isYearly ? 0.2 : 0, () => `BYYEARDAY=${some(random, 6, 1, 366, true)}`)
  maybe(freq === 'WEEKLY' ? 0 : 0.3, () => `BYMONTHDAY=${some(random, 5, 1, 31, true)}`)
  const isMonthly = freq === 'MONTHLY' || parts.some((part) => part.startsWith('BYMONTH='))
  const nths = weeks || freq === 'WEEKLY' || freq === 'DAILY' ? 0 : isMonthly ? 5 : 53
  maybe(0.5, () => `BYDAY=${weekdays(random, nths)}`)
  maybe(0.1, () => `BYHOUR=${some(random, 3, 0, 23)}`)
  maybe(0.1, () => `BYMINUTE=${some(random, 2, 0, 59)}`)
  maybe(
    parts.some((part) => part.startsWith('BY')) ? 0.2 : 0,
    () => `BYSETPOS=${some(random, 3, 1, 8, true)}`,
  )
  maybe(0.3, () => `WKST=${one(random, WEEKDAYS)}`)
  return parts.join(';')
}

/** The first local time from one on that a rule gives. */
export function firstOf(rrule: string, start: string): string {
  const anchor = { start, zone: 'UTC', allDay: false }
  const rule = readRule(rrule, { pattern: anchor, toWall, bound: 1_500, refusals: [] })
  return idOf(ruleDates({ start, rule }, secondsOf(start)).next().value as number, false)
}

/** A random rule with a start that is one of its dates, without an end; undefined if the rule never happens. */
function randomRecurrence(random: Random): Recurrence | undefined {
  const zone = one(random, ZONES)
  const allDay = random() < 0.2
  const day = idOf((even(random, 24_000) + 3_650) * 86_400, true)
  const time = allDay ? '00:00:00' : one(random, ['18:00:00', '09:30:00', '02:30:00', '00:15:00'])
  const text = randomRule(random)
  const rrule = allDay ? text.replaceAll(/;BY(HOUR|MINUTE)=[\d,]+/g, '') : text
  const anchor = { start: `${day} ${time}`, zone, allDay }
  const rule = readRule(rrule, { pattern: anchor, toWall, bound: 1_500, refusals: [] })
  const first = ruleDates({ ...anchor, rule }, secondsOf(anchor.start)).next().value
  if (first === undefined) return undefined
  return readRecurrence({ rrule }, { ...anchor, start: idOf(first, false) }, { toWall }).recurrence
}

/** Random rules, each with a start that is one of its dates. */
export function randomRecurrences(seed: number, count: number): Recurrence[] {
  const random = openRandom(seed)
  const found: Recurrence[] = []
  while (found.length < count) {
    const recurrence = randomRecurrence(random)
    if (recurrence) found.push(recurrence)
  }
  return found
}

const wallOf = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

/** The first dates of a rule by `rrule`, whose times of UTC are taken for local ones. */
export function byRrule({ start, rule }: Recurrence, limit: number): string[] {
  const found: string[] = []
  const options = rrule.RRule.parseString(printRule(rule))
  new rrule.RRule({ ...options, dtstart: new Date(`${start.replace(' ', 'T')}Z`) }).all((date, at) => {
    if (at < limit) found.push(wallOf(date))
    return at < limit - 1
  })
  return found
}

/** The first dates of a rule by `rrule-temporal` in its zone: local time and UTC of each. */
export function byTemporal({ start, rule, zone }: Recurrence, limit: number): string[] {
  const text = `DTSTART;TZID=${zone}:${compact(start)}\nRRULE:${printRule(rule)}`
  const found: string[] = []
  try {
    new RRuleTemporal({ rruleString: text }).all((date, at) => {
      const local = date.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ')
      if (at < limit) found.push(`${local} ${wallOf(new Date(date.epochMilliseconds))}`)
      return at < limit - 1
    })
  } catch (error) {
    found.push(String(error))
  }
  return found
}

/** What another implementation gives for a rule, and of which rules it gives what RFC 5545 does not say. */
type Other = {
  dates: (recurrence: Recurrence, limit: number) => string[]
  print: (occurrence: Occurrence) => string
  isWrong: (recurrence: Recurrence) => boolean
}

const asWall = (id: RecurrenceId) => id.padEnd(19, ' 00:00:00')
/** Zones that never set their clocks in these years. */
const STEADY = ['Asia/Kolkata', 'UTC']
/** Whether a start is in a week that is counted in another year. */
const isOfOtherYear = ({ wkst }: Rule, start: string) =>
  weekYearOf(secondsOf(start.slice(0, 10)) / 86_400, wkst) !== Number(start.slice(0, 4))
const isMixed = ({ byDay }: Rule) => byDay.some(({ nth }) => nth === 0) && byDay.some(({ nth }) => nth !== 0)

const OTHERS: Record<'rrule' | 'rrule-temporal', Other> = {
  rrule: {
    dates: byRrule,
    print: ({ recurrenceId }) => asWall(recurrenceId),
    isWrong({ rule }) {
      const { freq, byWeekNo, byDay, byMonthDay, byYearDay, bySetPos } = rule
      const isWholeWeek =
        byWeekNo.length > 0 && [byDay, byMonthDay, byYearDay].every((list) => list.length === 0)
      return (
        isMixed(rule) || // only days that have the weekday with a number and the one without
        isWholeWeek || // all days of a week, where the start says which
        byWeekNo.some((week) => Math.abs(week) === 1 || Math.abs(week) > 51) || // weeks in two years are counted in both, or in none
        bySetPos.some((at) => at < 0) || // the first date for a position from the end that there is not
        (bySetPos.length > 0 && freq === 'WEEKLY') // positions in the first week count from the start
      )
    },
  },
  'rrule-temporal': {
    dates: byTemporal,
    print: ({ start, utc }) => `${start} ${utc}`,
    isWrong({ rule, zone, allDay, start }) {
      const { freq, byWeekNo, byDay, byMonthDay, byYearDay, bySetPos } = rule
      const isNumbered = byDay.some(({ nth }) => nth !== 0)
      const byDate = byMonthDay.length > 0 || byYearDay.length > 0
      const isYear =
        isMixed(rule) || // only those with a number
        byDay.some(({ nth }) => Math.abs(nth) === 53) || // days of the next year, where a year has 52
        (byWeekNo.length > 0 && isOfOtherYear(rule, start)) || // not the start
        (isNumbered && byDate) || // all numbered weekdays, whatever the date
        (byWeekNo.length > 0 && byDate) || // only days of the start's weekday
        (byYearDay.length > 0 && (byDay.length > 0 || byMonthDay.length > 0)) // all days with these numbers
      const first = occurrenceOf({ zone, allDay }, allDay ? start.slice(0, 10) : start)
      return (
        (freq === 'YEARLY' && isYear) ||
        first.start !== start || // a start in a gap of the clocks moves all dates
        (bySetPos.length > 0 && !STEADY.includes(zone)) || // dates in a gap of the clocks are not counted
        zone === 'Africa/Cairo' // its copy of Temporal misses the month in 2010 and 2014 in which Egypt's clocks were set back
      )
    },
  },
}

/** How many dates are compared of each rule. */
const DATES = 25
/** Dates later than this are not compared: implementations search long for them. */
const SPAN_YEARS = 25

type Difference = { recurrence: Recurrence; own: string[]; others: string[] }
export type Comparison = { rules: number; left: number; dates: number; differences: Difference[] }

/**
 * Compares the dates of random rules with those of another implementation. `left` are rules of which it is known to be wrong. Dates in
 * gaps of the clocks are left out, of which RFC 5545 §3.3.10 says both that there are none and that they are later.
 */
export function compareRules(seed: number, rules: number, name: 'rrule' | 'rrule-temporal'): Comparison {
  const { dates, print, isWrong } = OTHERS[name]
  const random = openRandom(seed)
  const found: Comparison = { rules: 0, left: 0, dates: 0, differences: [] }
  while (found.rules < rules) {
    const recurrence = randomRecurrence(random)
    if (!recurrence) continue
    if (isWrong(recurrence)) {
      found.left++
      continue
    }
    const to = `${Number(recurrence.start.slice(0, 4)) + SPAN_YEARS}-12-31`
    const given = occurrences(recurrence, { to, limit: DATES })
    const isThere = ({ recurrenceId, start }: Occurrence) => start === asWall(recurrenceId)
    const own = (name === 'rrule' ? given : given.filter(isThere)).map(print)
    const others = dates(recurrence, own.length)
    found.rules++
    found.dates += own.length
    if (`${own}` !== `${others}`) found.differences.push({ recurrence, own, others })
  }
  return found
}
