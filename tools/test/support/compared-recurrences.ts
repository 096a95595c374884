import rrule from 'rrule'
import { RRuleTemporal } from 'rrule-temporal'
import { openRandom } from '../../../bench/seed/random.ts'
import { weekYearOf } from '../../../src/calendar/recurrence/calendar.ts'
import { secondsOf } from '../../../src/calendar/recurrence/expansion.ts'
import { type Occurrence, occurrenceOf, occurrences } from '../../../src/calendar/recurrence/recurrence.ts'
import {
  compact,
  printRule,
  type Recurrence,
  type RecurrenceId,
  type Rule,
} from '../../../src/calendar/recurrence/rule.ts'
import { randomRecurrence } from '../../../test/support/recurrences.ts'

const wallOf = (date: Date) => date.toISOString().slice(0, 19).replace('T', ' ')

/** The first dates of a rule by `rrule`, whose times of UTC are taken for local ones. */
function byRrule({ start, rule }: Recurrence, limit: number): string[] {
  const found: string[] = []
  const options = rrule.RRule.parseString(printRule(rule))
  new rrule.RRule({ ...options, dtstart: new Date(`${start.replace(' ', 'T')}Z`) }).all((date, at) => {
    if (at < limit) found.push(wallOf(date))
    return at < limit - 1
  })
  return found
}

/** The first dates of a rule by `rrule-temporal` in its zone: local time and UTC of each. */
function byTemporal({ start, rule, zone }: Recurrence, limit: number): string[] {
  const text = `DTSTART;TZID=${zone}:${compact(start)}\nRRULE:${printRule(rule)}`
  const found: string[] = []
  try {
    new RRuleTemporal({ rruleString: text }).all((date, at) => {
      const local = date.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ')
      if (at < limit) found.push(`${local} ${wallOf(new Date(date.epochMilliseconds))}`)
      return at < limit - 1
    })
  } catch (error) {
    found.push(String(error))
  }
  return found
}

/** What another implementation gives for a rule, and of which rules it gives what RFC 5545 does not say. */
type Other = {
  dates: (recurrence: Recurrence, limit: number) => string[]
  print: (occurrence: Occurrence) => string
  isWrong: (recurrence: Recurrence) => boolean
}

const asWall = (id: RecurrenceId) => id.padEnd(19, ' 00:00:00')
/** Zones that never set their clocks in these years. */
const STEADY = ['Asia/Kolkata', 'UTC']
/** Whether a start is in a week that is counted in another year. */
const isOfOtherYear = ({ wkst }: Rule, start: string) =>
  weekYearOf(secondsOf(start.slice(0, 10)) / 86_400, wkst) !== Number(start.slice(0, 4))
const isMixed = ({ byDay }: Rule) => byDay.some(({ nth }) => nth === 0) && byDay.some(({ nth }) => nth !== 0)

const OTHERS: Record<'rrule' | 'rrule-temporal', Other> = {
  rrule: {
    dates: byRrule,
    print: ({ recurrenceId }) => asWall(recurrenceId),
    isWrong({ rule }) {
      const { freq, byWeekNo, byDay, byMonthDay, byYearDay, bySetPos } = rule
      const isWholeWeek =
        byWeekNo.length > 0 && [byDay, byMonthDay, byYearDay].every((list) => list.length === 0)
      return (
        isMixed(rule) || // only days that have the weekday with a number and the one without
        isWholeWeek || // all days of a week, where the start says which
        byWeekNo.some((week) => Math.abs(week) === 1 || Math.abs(week) > 51) || // weeks in two years are counted in both, or in none
        bySetPos.some((at) => at < 0) || // the first date for a position from the end that there is not
        (bySetPos.length > 0 && freq === 'WEEKLY') // positions in the first week count from the start
      )
    },
  },
  'rrule-temporal': {
    dates: byTemporal,
    print: ({ start, utc }) => `${start} ${utc}`,
    isWrong({ rule, zone, allDay, start }) {
      const { freq, byWeekNo, byDay, byMonthDay, byYearDay, bySetPos } = rule
      const isNumbered = byDay.some(({ nth }) => nth !== 0)
      const byDate = byMonthDay.length > 0 || byYearDay.length > 0
      const isYear =
        isMixed(rule) || // only those with a number
        byDay.some(({ nth }) => Math.abs(nth) === 53) || // days of the next year, where a year has 52
        (byWeekNo.length > 0 && isOfOtherYear(rule, start)) || // not the start
        (isNumbered && byDate) || // all numbered weekdays, whatever the date
        (byWeekNo.length > 0 && byDate) || // only days of the start's weekday
        (byYearDay.length > 0 && (byDay.length > 0 || byMonthDay.length > 0)) // all days with these numbers
      const first = occurrenceOf({ zone, allDay }, allDay ? start.slice(0, 10) : start)
      return (
        (freq === 'YEARLY' && isYear) ||
        first.start !== start || // a start in a gap of the clocks moves all dates
        (bySetPos.length > 0 && !STEADY.includes(zone)) || // dates in a gap of the clocks are not counted
        zone === 'Africa/Cairo' // its copy of Temporal misses the month in 2010 and 2014 in which Egypt's clocks were set back
      )
    },
  },
}

/** How many dates are compared of each rule. */
const DATES = 25
/** Dates later than this are not compared: implementations search long for them. */
const SPAN_YEARS = 25

type Difference = { recurrence: Recurrence; own: string[]; others: string[] }
export type Comparison = { rules: number; left: number; dates: number; differences: Difference[] }

/**
 * Compares the dates of random rules with those of another implementation. `left` are rules of which it is known to be wrong. Dates in
 * gaps of the clocks are left out, of which RFC 5545 §3.3.10 says both that there are none and that they are later.
 */
export function compareRules(seed: number, rules: number, name: 'rrule' | 'rrule-temporal'): Comparison {
  const { dates, print, isWrong } = OTHERS[name]
  const random = openRandom(seed)
  const found: Comparison = { rules: 0, left: 0, dates: 0, differences: [] }
  while (found.rules < rules) {
    const recurrence = randomRecurrence(random)
    if (!recurrence) continue
    if (isWrong(recurrence)) {
      found.left++
      continue
    }
    const to = `${Number(recurrence.start.slice(0, 4)) + SPAN_YEARS}-12-31`
    const given = occurrences(recurrence, { to, limit: DATES })
    const isThere = ({ recurrenceId, start }: Occurrence) => start === asWall(recurrenceId)
    const own = (name === 'rrule' ? given : given.filter(isThere)).map(print)
    const others = dates(recurrence, own.length)
    found.rules++
    found.dates += own.length
    if (`${own}` !== `${others}`) found.differences.push({ recurrence, own, others })
  }
  return found
}
