import { toWall } from '../../../kernel/time/dates.ts'
import type { Body } from '../files/item.ts'

/** A moment as a feed tells it: a day, or a time by the clock of a zone. */
type Moment = { wall: string; isDay: boolean }

const WRITTEN =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:\.\d+)?)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i

/** Reads a date of ISO 8601, iCalendar or RFC 822 by the clock of a zone, which those without an offset are of. Undefined if it is none. */
export function readMoment(text: string, zone: string): Moment | undefined {
  const [, year, month, day, hour, minute, second = '00', offset] = WRITTEN.exec(text.trim()) ?? []
  if (year === undefined) {
    const at = /\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN
    return Number.isNaN(at) ? undefined : { wall: toWall(at, zone), isDay: false }
  }
  const date = `${year}-${month}-${day}`
  const time = `${hour ?? '00'}:${minute ?? '00'}:${second}`
  const sign = offset?.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')
  const at = Date.parse(`${date}T${time}${sign ?? 'Z'}`)
  if (Number.isNaN(at) || !new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)) return undefined
  if (hour === undefined) return { wall: date, isDay: true }
  return { wall: sign === undefined ? `${date} ${time}` : toWall(at, zone), isDay: false }
}

/**
 * When an event takes place that is written to begin and end so; why that is not known. An end before its start, or that is no time as
 * this is, says nothing, as an empty one does.
 */
export function timesBetween(first: string, last: string, zone: string): Body | string {
  if (first === '') return 'does not tell when it starts'
  const start = readMoment(first, zone)
  if (start === undefined) return `starts at "${first}", which is no date`
  const told = last === '' ? start : readMoment(last, zone)
  if (told === undefined) return `ends at "${last}", which is no date`
  const end = told.isDay === start.isDay && told.wall > start.wall ? told : start
  return { start_date: start.wall, end_date: end.wall, timezone: zone, all_day: start.isDay }
}
