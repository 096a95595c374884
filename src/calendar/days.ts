/** Days that people ask for by their names, by the last part of the address of their page. */
export const NAMED_DAYS = ['today', 'tomorrow', 'weekend', 'next-7-days'] as const
export type NamedDays = (typeof NAMED_DAYS)[number]

/** Some days in a row, `YYYY-MM-DD`; without an end if it is not known. */
export type Days = { from?: string | undefined; to?: string | undefined }

const WEEK = 7
/** 1 January 1970 was a Thursday. */
const weekdayOf = (number: number) => (((number + 4) % WEEK) + WEEK) % WEEK
const SATURDAY_NUMBER = 6

/** The days of a name as of a day. A weekend is Saturday and Sunday, and on Sunday what is left of it. */
export function daysNamed(name: NamedDays, today: string): Required<Days> {
  const number = numberOf(today)
  const days = (first: number, last: number) => ({ from: dayAt(number + first), to: dayAt(number + last) })
  if (name === 'today') return days(0, 0)
  if (name === 'tomorrow') return days(1, 1)
  if (name === 'next-7-days') return days(0, WEEK - 1)
  const weekday = weekdayOf(number)
  return weekday === 0 ? days(0, 0) : days(SATURDAY_NUMBER - weekday, WEEK - weekday)
}

/** An event on its own wall clock, in seconds since 1970-01-01 00:00:00 of that clock. */
export type Span = { id: number; starts: number; ends: number }

const DAY = 86_400
/** An event that ends at night belongs to the evening before: until six. */
export const MORNING = 6 * 3_600
const FIRST = '0001-01-01'
export const LAST = '9999-12-31'

/** Days from 1970-01-01 to a day. */
export const numberOf = (day: string): number => Date.parse(day) / 86_400_000

/** The day with a number; empty outside the years 1 to 9999. */
export const dayAt = (number: number): string =>
  number < numberOf(FIRST) || number > numberOf(LAST)
    ? ''
    : new Date(number * 86_400_000).toISOString().slice(0, 10)

/** A text as a day, `YYYY-MM-DD`; undefined if there is no such day. */
export function readDay(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < FIRST) return undefined
  const number = numberOf(text)
  return Number.isInteger(number) && dayAt(number) === text ? text : undefined
}

/** A text as a month, `YYYY-MM`; undefined if there is no such month. */
export const readMonth = (text: string): string | undefined => readDay(`${text}-01`)?.slice(0, 7)

/** A day or month some days or months later (earlier if negative); undefined outside the years 1 to 9999. */
export const later = (from: string, by: number): string | undefined =>
  from.length === 10 ? dayAt(numberOf(from) + by) || undefined : monthLater(from, by)

export function monthLater(month: string, by: number): string | undefined {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + by
  const two = String((months % 12) + 1).padStart(2, '0')
  return months < 12 ? undefined : readMonth(`${String(Math.floor(months / 12)).padStart(4, '0')}-${two}`)
}

/** The first and the last day of an event, as numbers. A night counts as part of the evening before, and midnight is an end. */
export function daysOf({ starts, ends }: Pick<Span, 'starts' | 'ends'>): { first: number; last: number } {
  const first = Math.floor(starts / DAY)
  const end = Math.floor(ends / DAY)
  return { first, last: end > first && ends - end * DAY <= MORNING ? end - 1 : end }
}
