// Wall-clock times as the API writes them, `2026-12-05 19:30:00`, without a zone; days are `2026-12-05`.

const DAY = 86_400_000
const pad = (number: number, length = 2) => String(number).padStart(length, '0')

/** A day as the number of days since 1970. */
const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / DAY
const dayOf = (number: number): string => new Date(number * DAY).toISOString().slice(0, 10)

/** Whether a text is a day that exists. */
export const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(dayNumber(text)) && dayOf(dayNumber(text)) === text

/** A day some days later, or earlier with a negative number. */
export const addDays = (day: string, days: number): string => dayOf(dayNumber(day) + days)

/** How many days later the second is. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from)

/** A wall-clock time some days later, at the same time of day. */
export const moveWall = (wall: string, days: number): string =>
  addDays(wall.slice(0, 10), days) + wall.slice(10)

/** Minutes since 1970 of a day with a time such as `19:30`. */
const minuteNumber = (day: string, time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return dayNumber(day) * 1440 + hours * 60 + minutes
}

/** A day with a time of day. */
export type Moment = { day: string; time: string }

/** The moment some minutes later. */
export function addMinutes({ day, time }: Moment, minutes: number): Moment {
  const total = minuteNumber(day, time) + minutes
  const rest = total - Math.floor(total / 1440) * 1440
  return { day: dayOf(Math.floor(total / 1440)), time: `${pad(Math.floor(rest / 60))}:${pad(rest % 60)}` }
}

/** How many minutes later the second is, by the clock on the wall. */
export const minutesBetween = (from: Moment, to: Moment): number =>
  minuteNumber(to.day, to.time) - minuteNumber(from.day, from.time)

/** The wall-clock day of an instant in a zone. */
export const today = (now: number, zone: string): string =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).format(now)

/** A wall-clock time as an instant that says the same in UTC, for `Intl` with that zone. */
export const asUtc = (wall: string): number =>
  Date.parse(`${wall.slice(0, 10)}T${wall.slice(11) || '00:00:00'}Z`)

/** The month of a day, `2026-12`, some months later. */
export function addMonths(month: string, months: number): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  const total = year * 12 + number - 1 + months
  return `${pad(Math.floor(total / 12), 4)}-${pad((total % 12) + 1)}`
}

/** The days that the weeks of a month have, from a Monday to a Sunday. `first` is the first day of a week: 1 for Monday, 7 for Sunday. */
export function weeksOf(month: string, first: number): string[][] {
  const start = dayNumber(`${month}-01`)
  const end = dayNumber(`${addMonths(month, 1)}-01`)
  const weekday = (number: number) => ((number + 3) % 7) + 1
  const before = (weekday(start) - first + 7) % 7
  const weeks: string[][] = []
  for (let monday = start - before; monday < end; monday += 7)
    weeks.push(Array.from({ length: 7 }, (_, at) => dayOf(monday + at)))
  return weeks
}

/** The weekday of a day, from 0 for Monday. */
export const weekdayOf = (day: string): number => (((dayNumber(day) + 3) % 7) + 7) % 7

/** The wall-clock time of an instant in a zone. */
export const wallAt = (epochMs: number, zone: string): string =>
  new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone: zone }).format(
    epochMs,
  )

const TYPED = /^(\d{1,2}?)(?:\s*[:.h]\s*)?(\d{2})?\s*h?\s*(?:([ap])\.?\s*m\.?)?$/i

/** A time of day as people type it (`20:00`, `8.30 pm`, `20h`, `2030`) as `20:00`; undefined if it is none. */
export function readTime(text: string): string | undefined {
  const [, typed, minutes = '0', half] = TYPED.exec(text.trim()) ?? []
  if (typed === undefined || Number(minutes) > 59) return undefined
  const hours = Number(typed)
  if (half === undefined) return hours > 23 ? undefined : `${pad(hours)}:${pad(Number(minutes))}`
  if (hours < 1 || hours > 12) return undefined
  return `${pad((hours % 12) + (half.toLowerCase() === 'p' ? 12 : 0))}:${pad(Number(minutes))}`
}

/** Whether somebody who types a time has come to its end: there are minutes, after a sign. */
export const isWhole = (text: string): boolean => /\d[:.]\d\d(\s*[ap]\.?\s*m\.?)?\s*$/i.test(text)

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** How long ago a moment was, in the largest unit of which it is at least one; `since` is `YYYY-MM-DD HH:MM:SS` in UTC, `now` in milliseconds. */
export function agoOf(since: string, now: number): [count: number, unit: 'day' | 'hour' | 'minute'] {
  const seconds = Math.max(0, (now - Date.parse(`${since.replace(' ', 'T')}Z`)) / 1000)
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? UNITS[2]
  return [Math.floor(seconds / length), unit]
}
