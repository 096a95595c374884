import { dayAt, numberOf } from './month.ts'

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
