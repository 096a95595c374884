import { SITE } from '../api/site.ts'
import { lastDay } from '../rules/month.ts'
import { agoOf, asUtc, wallAt } from '../rules/wall.ts'
import { differOn } from '../rules/zones.ts'
import { locale } from './words.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
function formatOf(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = locale() + JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale(), { timeZone: 'UTC', ...options })
  formats.set(key, known)
  return known
}

const DAY = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const
/** Whether the language, in the country that the browser says, has AM and PM in place of 24 hours. */
const hasHalves = () => formatOf({ hour: 'numeric' }).resolvedOptions().hour12 === true
const clock = () => ({ hour: hasHalves() ? 'numeric' : '2-digit', minute: '2-digit' }) as const
const SECOND = { day: 'numeric', month: 'short', year: 'numeric', second: '2-digit' } as const

/** A day in words. */
export const dayText = (day: string): string => formatOf(DAY).format(asUtc(day))
/** The long form of a day. */
export const LONG_DAY = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
/** A long form of a day. */
export const longDay = (day: string): string => formatOf(LONG_DAY).format(asUtc(day))
/** Some days in a row, in words. */
export const daysText = (first: string, last: string): string =>
  first === last
    ? dayText(first)
    : formatOf({ day: 'numeric', month: 'short', year: 'numeric' }).formatRange(asUtc(first), asUtc(last))
/** A day without its year: `month` long or short. */
export const dayOfYear = (day: string, length: 'short' | 'long'): string =>
  formatOf({ weekday: length, day: 'numeric', month: length }).format(asUtc(day))
/** Some days in a row, in words: without the year where it is `year`. */
export function daysOfYear(first: string, last: string, year: string): string {
  const { year: _, ...short } = DAY
  const format = formatOf(first.startsWith(year) && last.startsWith(year) ? short : DAY)
  return first === last ? format.format(asUtc(first)) : format.formatRange(asUtc(first), asUtc(last))
}
/** The time of day of a wall-clock time. */
export const timeText = (wall: string): string => formatOf(clock()).format(asUtc(wall))
/** The times of day of a beginning and an end. */
export const hoursText = (start: string, end: string): string => {
  const [from, to] = [start, end].map((wall) => asUtc(`2026-01-01${wall.slice(10)}`)) as [number, number]
  if (from === to) return timeText(start)
  return from < to ? formatOf(clock()).formatRange(from, to) : `${timeText(start)} – ${timeText(end)}`
}
/** An hour of the day, from 0 to 23, in words. */
export const hourText = (hour: number): string =>
  formatOf(hasHalves() ? { hour: 'numeric' } : clock()).format(Date.UTC(2000, 0, 1, hour))
/** A time of day such as `20:00` in words. */
export const clockText = (time: string): string => timeText(`2026-01-01 ${time}:00`)
/** The time of day without minutes that are none, where the clock has halves: `7 PM`. */
export const shortTime = (wall: string): string =>
  hasHalves() && wall.slice(14, 16) === '00' ? hourText(Number(wall.slice(11, 13))) : timeText(wall)
/** A wall-clock time in words. */
export const momentText = (wall: string): string => formatOf({ ...DAY, ...clock() }).format(asUtc(wall))
/** A time of UTC by the clock of the site. Where the clock of the browser shows another time, the zone is named. */
function bySite(utc: string, options: Intl.DateTimeFormatOptions): string {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const isElsewhere = differOn(utc.slice(0, 10), SITE.zone, own)
  return formatOf({
    ...{ ...options, ...clock(), timeZone: SITE.zone },
    ...(isElsewhere && { timeZoneName: 'short' }),
  }).format(asUtc(utc))
}
/** A time of UTC in words, by the clock of the site. */
export const instantText = (utc: string): string => bySite(utc, DAY)
/** The same to the second. */
export const secondText = (utc: string): string => bySite(utc, SECOND)
/** A month in words. */
export const monthText = (month: string): string =>
  formatOf({ month: 'long', year: 'numeric' }).format(asUtc(`${month}-01`))
/** The name of the weekday of a day. */
export const weekdayText = (day: string, weekday: 'short' | 'long'): string =>
  formatOf({ weekday }).format(asUtc(day))

/** How long ago a moment was, in words; `since` is `YYYY-MM-DD HH:MM:SS` in UTC. */
export function agoText(since: string): string {
  const [count, unit] = agoOf(since, Date.now())
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(-count, unit)
}

/** The first day of a week in the language of the desk: 1 for Monday, 7 for Sunday. */
export function firstOfWeek(): number {
  const known = new Intl.Locale(locale()) as Intl.Locale & {
    getWeekInfo?(): { firstDay: number }
    weekInfo?: { firstDay: number }
  }
  return (known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1
}

/** When an event takes place, in words, by its own clock. A night belongs to the evening before. */
export function whenText(
  { start_date, end_date, all_day }: { start_date: string; end_date: string; all_day: boolean },
  day: Intl.DateTimeFormatOptions = DAY,
): string {
  const last = lastDay({ start_date, end_date })
  const isOneDay = start_date.slice(0, 10) === last
  const format = formatOf(all_day || isOneDay ? day : { ...day, ...clock() })
  if (!isOneDay) return format.formatRange(asUtc(start_date), asUtc(end_date))
  return format.format(asUtc(start_date)) + (all_day ? '' : `, ${hoursText(start_date, end_date)}`)
}

type Timed = { start_date: string; timezone: string; all_day: boolean }

/** The zone of an event in words, if its clock shows another time than that of the calendar. */
export function zoneText({ start_date, timezone, all_day }: Timed, timeZoneName: 'short' | 'long'): string {
  const day = start_date.slice(0, 10)
  if (all_day || timezone === SITE.zone) return ''
  try {
    const format = new Intl.DateTimeFormat(locale(), { timeZone: timezone, timeZoneName })
    if (!differOn(day, timezone, SITE.zone)) return ''
    const parts = format.formatToParts(asUtc(`${day} 12:00:00`))
    return parts.find(({ type }) => type === 'timeZoneName')!.value
  } catch {
    // an offset such as `UTC+5.5`, for which browsers have no name
    return timezone.replace(/\.\d+$/, (part) => `:${Number(`0${part}`) * 60}`)
  }
}

/** When an event of another zone begins by the clock of the calendar, with the day if that is another one. `utc` is `YYYY-MM-DD HH:MM:SS`. */
export function timeHere({ start_date }: Timed, utc: string): string {
  const here = wallAt(asUtc(utc), SITE.zone)
  return here.slice(0, 10) === start_date.slice(0, 10)
    ? timeText(here)
    : `${dayOfYear(here.slice(0, 10), 'short')}, ${timeText(here)}`
}
