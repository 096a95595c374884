const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

/** Days that come every year: these days of a month (1 to 12), as far as they are this day of the week (0 is Sunday). */
export type Yearly = { month: number; weekday: number; days: number[] }

/** The year, month, day and day of the week of a local time, given as milliseconds of UTC. */
export function partsOf(local: number) {
  const at = new Date(local)
  return {
    year: at.getUTCFullYear(),
    month: at.getUTCMonth() + 1,
    day: at.getUTCDate(),
    weekday: at.getUTCDay(),
  }
}

/** The days of a year, each as milliseconds of its midnight in UTC. */
export function daysOf({ month, weekday, days }: Yearly, year: number): number[] {
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
