/** A local time as a number: seconds since 1970-01-01 00:00:00 of that clock, without a zone. */
export type Seconds = number
/** A day as a number: days since 1970-01-01. */
export type Day = number
export type Month = { year: number; month: number }
type CalendarDate = Month & { day: number }

export const DAY_SECONDS = 86_400
/** The last day of the calendar, 9999-12-31. */
export const LAST_DAY: Day = 2_932_896

const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** How many days a month has; `month` is 1 to 12. */
export const lengthOfMonth = ({ year, month }: Month): number =>
  month === 2 && isLeap(year) ? 29 : LENGTHS[month - 1]!

/** How many days a year has. */
export const lengthOfYear = (year: number): number => (isLeap(year) ? 366 : 365)

/** The day of a date of the Gregorian calendar. */
export function dayOf({ year, month, day }: CalendarDate): Day {
  const from = month > 2 ? year : year - 1 // a year from March on, so that its last day is the leap day
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    from * 365 + Math.floor(from / 4) - Math.floor(from / 100) + Math.floor(from / 400) + ofYear - 719_468
  )
}

/** The date of a day. */
export function dateOf(day: Day): CalendarDate {
  const shifted = day + 719_468
  const era = Math.floor(shifted / 146_097)
  const ofEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1_460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) / 365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shiftedMonth = Math.floor((5 * ofYear + 2) / 153)
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: ofYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
  }
}

/** The weekday of a day: 0 is Monday, 6 is Sunday. */
export const weekdayOf = (day: Day): number => (((day + 3) % 7) + 7) % 7

/** The first day of the week that holds a day, for weeks that begin on a weekday. */
export const startOfWeek = (day: Day, weekStart: number): Day => day - ((weekdayOf(day) - weekStart + 7) % 7)

/** The first day of week 1 of a year: the first week with four days of the year (RFC 5545 §3.3.10). */
export const firstWeekOf = (year: number, weekStart: number): Day =>
  startOfWeek(dayOf({ year, month: 1, day: 4 }), weekStart)

/** The year that the week of a day is counted in. */
export function weekYearOf(day: Day, weekStart: number): number {
  const { year } = dateOf(day)
  if (day < firstWeekOf(year, weekStart)) return year - 1
  return day < firstWeekOf(year + 1, weekStart) ? year : year + 1
}

const two = (value: number) => String(value).padStart(2, '0')

/** `YYYY-MM-DD`. */
export function printDay(at: Day): string {
  const { year, month, day } = dateOf(at)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** `HH:MM:SS` of seconds since midnight. */
export const printTime = (seconds: number): string =>
  `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
