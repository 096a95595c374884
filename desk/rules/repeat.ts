import { expand } from '../../src/calendar/recurrence/expansion.ts'
import { readRecurrence } from '../../src/calendar/recurrence/recurrence.ts'
import { FREQUENCIES, type Frequency, type Pattern, WEEKDAYS } from '../../src/calendar/recurrence/rule.ts'
import { textOf } from '../../src/calendar/recurrence/text.ts'
import { addDays, isDay, type Moment, wallAt, weekdayOf } from './wall.ts'
import { clockChangeAt } from './zones.ts'

/** How an event repeats, as the API has it. */
export type Repetition = { rrule: string; rdate: string[]; exdate: string[] }

/** A rule for which the form has fields. */
export type Simple = {
  freq: Frequency
  interval: number
  /** From 0 for Monday; of a rule by weeks. */
  weekdays: number[]
  /** On which day of the month, as a part of the rule; of a rule by months. */
  on: string
  end: 'never' | 'until' | 'count'
  /** The last day, and the number of dates, of a rule that ends so. */
  until: string
  count: number
}

const KNOWN = ['FREQ', 'INTERVAL', 'BYDAY', 'BYMONTHDAY', 'COUNT', 'UNTIL']
/** The part of a rule by months that is one day of the month. */
const ON = /^(BYDAY=(-1|[1-5])(MO|TU|WE|TH|FR|SA|SU)|BYMONTHDAY=(-1|\d{1,2}))$/

const dayIn = (compact: string) => `${compact.slice(0, 4)}-${compact.slice(4, 6)}-${compact.slice(6, 8)}`
const partsOf = (rrule: string) =>
  Object.fromEntries(rrule.split(';').map((part) => part.split('=') as [string, string]))

/** A rule as the fields of the form have it; undefined if it says more than they can. `day` is its first one. */
export function readSimple(rrule: string, day: string): Simple | undefined {
  const parts = partsOf(rrule)
  const { FREQ: freq, INTERVAL = '1', BYDAY, BYMONTHDAY, COUNT, UNTIL } = parts
  const isKnown = Object.keys(parts).every((name) => KNOWN.includes(name))
  if (!isKnown || !FREQUENCIES.includes(freq as Frequency)) return undefined
  const weekdays =
    BYDAY === undefined ? [weekdayOf(day)] : BYDAY.split(',').map((name) => WEEKDAYS.indexOf(name))
  const on = rrule.split(';').filter((part) => /^BY/.test(part))
  if (freq === 'WEEKLY' ? BYMONTHDAY !== undefined || weekdays.includes(-1) : false) return undefined
  if (freq === 'MONTHLY' && !(on.length === 0 || (on.length === 1 && ON.test(on[0]!)))) return undefined
  if ((freq === 'DAILY' || freq === 'YEARLY') && on.length > 0) return undefined
  return {
    ...{ freq: freq as Frequency, interval: Number(INTERVAL) },
    weekdays: freq === 'WEEKLY' ? weekdays : [],
    on: freq === 'MONTHLY' ? (on[0] ?? `BYMONTHDAY=${Number(day.slice(8))}`) : '',
    end: COUNT ? 'count' : UNTIL ? 'until' : 'never',
    ...{ until: UNTIL ? dayIn(UNTIL) : '', count: Number(COUNT ?? 0) },
  }
}

/** The rule of the fields of the form. */
export function printSimple(simple: Simple): string {
  const { freq, interval, weekdays, on, end, until, count } = simple
  const parts = [
    `FREQ=${freq}`,
    interval !== 1 && `INTERVAL=${interval}`,
    freq === 'WEEKLY' && `BYDAY=${[...weekdays].sort((a, b) => a - b).map((day) => WEEKDAYS[day])}`,
    freq === 'MONTHLY' && on,
    end === 'count' && `COUNT=${count}`,
    end === 'until' && isDay(until) && `UNTIL=${until.replaceAll('-', '')}`,
  ]
  return parts.filter(Boolean).join(';')
}

/** The days of the month that a day is, each as a part of a rule: the 13th, the second Friday, and the last one if it is. */
export function daysOfMonth(day: string): string[] {
  const number = Number(day.slice(8))
  const name = WEEKDAYS[weekdayOf(day)]
  const isIn = (other: string) => other.slice(0, 7) === day.slice(0, 7)
  return [
    `BYMONTHDAY=${number}`,
    ...(number < 29 ? [`BYDAY=${Math.ceil(number / 7)}${name}`] : []),
    ...(isIn(addDays(day, 7)) ? [] : [`BYDAY=-1${name}`]),
    ...(isIn(addDays(day, 1)) ? [] : ['BYMONTHDAY=-1']),
  ]
}

/** A new rule for an event that begins on a day: each week, or whatever the frequency is, without an end. */
export const firstRule = (freq: Frequency, day: string): Simple => ({
  ...{ freq, interval: 1, weekdays: [weekdayOf(day)], on: `BYMONTHDAY=${Number(day.slice(8))}` },
  ...{ end: 'never', until: '', count: 10 },
})

/** The rule after its first day has moved: the weekday, or the day of the month, moves with it. Other rules stay. */
export function movedRule(rrule: string, from: string, to: string): string {
  const simple = readSimple(rrule, from)
  if (!simple) return rrule
  const [was, is] = [weekdayOf(from), weekdayOf(to)]
  const weekdays = simple.weekdays.map((day) => (day === was ? is : day))
  const days = daysOfMonth(to)
  const like = ['BYMONTHDAY=-1', 'BYDAY=-1', 'BYDAY='].find((begin) => simple.on.startsWith(begin))
  const near = days.find((part) => like !== undefined && part.startsWith(like)) ?? days[0]!
  const on = simple.freq === 'MONTHLY' ? near : ''
  if (on === simple.on && `${weekdays}` === `${simple.weekdays}`) return rrule
  return printSimple({ ...simple, weekdays: [...new Set(weekdays)], on })
}

/**
 * What is sent: dates at the time of day of the event, or days if it lasts whole ones, and a rule that ends with its last day. Rules with
 * times of their own stay as they are.
 */
export function fitted({ rrule, rdate, exdate }: Repetition, { start, allDay }: Pattern): Repetition {
  if (/BY(HOUR|MINUTE|SECOND)=/.test(rrule)) return { rrule, rdate, exdate }
  const at = (date: string) => (allDay ? date.slice(0, 10) : date.slice(0, 10) + start.slice(10))
  const ends = rrule.replace(/UNTIL=(\d{8})(T\d{6}Z?)?/, (_, day) => `UNTIL=${day}${allDay ? '' : 'T235959'}`)
  return { rrule: ends, rdate: rdate.map(at), exdate: exdate.map(at) }
}

/** What a repetition means: in words, with its next dates from one on and those at which the clocks are changed; or what is wrong with it. */
export type Meaning =
  | { text: string; dates: string[]; isMore: boolean; changes: Moment[]; problem?: undefined }
  | { problem: string; text?: undefined; dates?: undefined; changes?: undefined }

/** The dates that the form shows. */
const SHOWN = 10
/** Clocks are changed before four in the morning: where dates begin so early, some hundred of them are looked at. */
const EARLY = '04:00'
const LOOKED_AT = 400

/** Says what a repetition means. Words are in a language. */
export function meaningOf(
  repetition: Repetition,
  pattern: Pattern,
  { from, language }: { from?: string; language: string },
): Meaning {
  const { recurrence, refusals } = readRecurrence(fitted(repetition, pattern), pattern, { toWall: wallAt })
  if (refusals) return { problem: refusals.map(({ part, message }) => `${part} ${message}`).join(' ') }
  const isEarly = !pattern.allDay && pattern.start.slice(11) < EARLY
  const dates = expand(recurrence, {
    ...(from !== undefined && { from }),
    limit: isEarly ? LOOKED_AT : SHOWN + 1,
  })
  const moments = isEarly ? dates.map((date) => ({ day: date.slice(0, 10), time: date.slice(11, 16) })) : []
  const text = textOf(recurrence, language)
  return {
    text: text.charAt(0).toLocaleUpperCase(language) + text.slice(1),
    dates: dates.slice(0, SHOWN),
    isMore: dates.length > SHOWN,
    changes: moments.filter((moment) => clockChangeAt(moment, pattern.zone)),
  }
}
