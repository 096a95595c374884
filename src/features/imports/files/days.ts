import type { DateOrder } from '../../../../schemas/imports.ts'
import type { Task } from '../../../kernel/tasks/scheduler.ts'
import { addDays } from '../../../kernel/time/dates.ts'
import type { Cells } from './columns.ts'

const NUMBERS = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?:[ ,T]+(.+))?$/
const TIME = /^(\d{1,2})(?::(\d\d))?(?::(\d\d))?(?:[ \u202f]?([ap])\.?m\.?)?$/i

const two = (value: number | string) => String(value).padStart(2, '0')

/** A time of day as `20:00:00`, from `20:00`, `8:00 PM` or `8 pm`; undefined if it is none. */
export function timeOf(text: string): string | undefined {
  const [all, hour, minute = '00', second = '00', half] = TIME.exec(text.trim()) ?? []
  if (all === undefined || (half === undefined && !all.includes(':'))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0)
  return hours > 23 || Number(minute) > 59 ? undefined : `${two(hours)}:${minute}:${second}`
}

/** How the dates of a table are read. */
export type Days = {
  isGuessed: boolean
  /** A date, perhaps with a time, in the form of the API; any other text as it is. */
  read(text: string): string
}

/**
 * Finds how the dates of a table are written: as `order` says, or as those tell in which one of both numbers is no month. With dots or
 * hyphens the day comes first, with slashes the month. `isGuessed` says that no date told.
 */
export function* openDays(texts: Iterable<string>, order?: DateOrder): Task<Days> {
  const told = { dmy: 0, mdy: 0 }
  let hasSlashes = false
  for (const text of texts) {
    const [, one, sign, other] = NUMBERS.exec(text) ?? []
    if (Number(one) > 12) told.dmy++
    if (Number(other) > 12) told.mdy++
    hasSlashes ||= sign === '/'
    yield
  }
  const isTold = told.dmy > 0 || told.mdy > 0
  const known = order ?? (isTold ? (told.dmy >= told.mdy ? 'dmy' : 'mdy') : undefined)
  return {
    isGuessed: known === undefined && hasSlashes,
    read(text) {
      const [all, one, sign, other, year, rest] = NUMBERS.exec(text) ?? []
      if (all === undefined) return text
      const isMonthFirst =
        Number(one) <= 12 && (Number(other) > 12 || (known ?? (sign === '/' ? 'mdy' : 'dmy')) === 'mdy')
      const [day, month] = isMonthFirst ? [other!, one!] : [one!, other!]
      const time = rest === undefined ? '' : ` ${timeOf(rest) ?? rest}`
      return `${year}-${two(month)}-${two(day)}${time}`
    },
  }
}
const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)
const MIDNIGHT = '00:00:00'

/**
 * When an event takes place: a start without a time is a whole day, an end that lacks is its start, and one without a day is on that of the
 * start or, if it is earlier then, on the next. Outlook ends whole days at the midnight after them.
 */
export function timesOf({ start_date = '', end_date, start_time, end_time, all_day }: Cells, days: Days) {
  const isWhole = all_day === 'true'
  const at = (day: string, time: string | undefined) =>
    time === undefined || isWhole || !isDay(day) ? day : `${day} ${timeOf(time) ?? time}`
  const first = days.read(start_date)
  const start = at(first, start_time)
  const last = end_date === undefined ? first : days.read(end_date)
  const end = end_date === undefined && end_time === undefined ? start : at(last, end_time)
  const isNext = end_date === undefined && end < start && isDay(last)
  const isAfter =
    isWhole &&
    isDay(last) &&
    last > first &&
    [start_time, end_time].every((time) => timeOf(time ?? '') === MIDNIGHT)
  const moved = (by: number) => addDays(`${last} ${MIDNIGHT}`, by).slice(0, 10)
  return {
    ...(start !== '' && { start_date: start }),
    ...(end !== '' && { end_date: isNext ? at(moved(1), end_time) : isAfter ? moved(-1) : end }),
    all_day: all_day ?? isDay(start),
  }
}
