import { even, openRandom, type Random } from '../../bench/seed/random.ts'
import { idOf, ruleDates, secondsOf } from '../../src/calendar/recurrence/expansion.ts'
import { readRecurrence } from '../../src/calendar/recurrence/recurrence.ts'
import { type Recurrence, readRule, WEEKDAYS } from '../../src/calendar/recurrence/rule.ts'
import { toWall } from '../../src/kernel/time/dates.ts'

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
export function randomRecurrence(random: Random): Recurrence | undefined {
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
