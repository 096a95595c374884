/**
 * Rules as RFC 5545 defines them, in the plainest words: a rule is asked for each day whether the day is one of its dates. Local times are
 * whole minutes since 1970, as a clock on the wall counts them.
 */
export type Minutes = number
export const DAY = 1_440
/** Longer than any rule of the tests goes on. */
const MOST_DAYS = 2_500

/** A rule whose dates all have the time of day of the first one. */
export type Rule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  /** Weekdays of WEEKLY, from 0 for Monday. */
  days: number[]
  /** Weekdays of a month or a year with their numbers in it, from its end below 0. None: the day of the start. */
  nths: [weekday: number, nth: number][]
  count?: number
  /** The last time that may be a date. */
  until?: Minutes
}

/** The rule of what has added dates alone. */
export const ONCE: Rule = { freq: 'DAILY', interval: 1, days: [], nths: [], count: 1 }

const wallOf = (at: Minutes) => new Date(at * 60_000).toISOString()
/** `2027-03-23 18:00:00` */
export const printed = (at: Minutes) => wallOf(at).slice(0, 19).replace('T', ' ')
/** The identity of a date. */
export const printedId = (at: Minutes, allDay: boolean) => printed(at).slice(0, allDay ? 10 : 19)
export const minutesOf = (text: string) =>
  Date.parse(`${text.replace(' ', 'T').padEnd(19, 'T00:00:00')}Z`) / 60_000

type Parts = { year: number; month: number; day: number; days: number; yearDay: number; yearDays: number }
const known = new Map<number, Parts>()
/** Which day of its month and of its year a day is, and how many these have. */
export function partsOf(day: number): Parts {
  const found = known.get(day)
  if (found) return found
  const date = new Date(day * 86_400_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = Date.UTC(year, 0) / 86_400_000
  const parts = {
    ...{ year, month: year * 12 + month, day: date.getUTCDate() },
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    ...{ yearDay: day - first + 1, yearDays: Date.UTC(year + 1, 0) / 86_400_000 - first },
  }
  known.set(day, parts)
  return parts
}
export const weekdayOf = (day: number) => (day + 3) % 7
const weekOf = (day: number) => Math.floor((day + 3) / 7)

/** Whether a day is one of numbered weekdays, as number `at` of `length` days. */
const isNumbered = ({ nths }: Rule, day: number, at: number, length: number) =>
  nths.some(
    ([weekday, nth]) =>
      weekday === weekdayOf(day) && (nth > 0 ? Math.ceil(at / 7) : -Math.ceil((length - at + 1) / 7)) === nth,
  )

/** Whether a day is one of a rule that begins on another. */
export function isOf(rule: Rule, first: number, day: number): boolean {
  const { freq, interval, days, nths } = rule
  if (freq === 'DAILY') return (day - first) % interval === 0
  if (freq === 'WEEKLY')
    return (weekOf(day) - weekOf(first)) % interval === 0 && days.includes(weekdayOf(day))
  const [from, on] = [partsOf(first), partsOf(day)]
  if (freq === 'MONTHLY')
    return (
      (on.month - from.month) % interval === 0 &&
      (nths.length > 0 ? isNumbered(rule, day, on.day, on.days) : on.day === from.day)
    )
  if ((on.year - from.year) % interval !== 0) return false
  if (nths.length > 0) return isNumbered(rule, day, on.yearDay, on.yearDays)
  return on.day === from.day && on.month % 12 === from.month % 12
}

/** The dates that a rule gives from a start on. */
export function datesOf(rule: Rule, start: Minutes): Minutes[] {
  const first = Math.floor(start / DAY)
  const found: Minutes[] = []
  for (let day = first; day < first + MOST_DAYS; day++) {
    const at = day * DAY + (start % DAY)
    if (found.length === rule.count || (rule.until !== undefined && at > rule.until)) break
    if (isOf(rule, first, day)) found.push(at)
  }
  return found
}

const nameOf = (weekday: number) => 'MOTUWETHFRSASU'.slice(2 * weekday, 2 * weekday + 2)

/** A rule as RFC 5545 writes it. */
export function written({ freq, interval, days, nths, count, until }: Rule, allDay: boolean): string {
  const byDay = [...days.map(nameOf), ...nths.map(([weekday, nth]) => `${nth}${nameOf(weekday)}`)]
  return [
    `FREQ=${freq};INTERVAL=${interval}`,
    ...(byDay.length > 0 ? [`BYDAY=${byDay}`] : []),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined
      ? []
      : [`UNTIL=${printedId(until, allDay).replaceAll(/[-:]/g, '').replace(' ', 'T')}`]),
  ].join(';')
}
