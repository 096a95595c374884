import { secondsOf } from './expansion.ts'

/** The frequencies of rules: those of RFC 5545 §3.3.10 but for sub-daily ones. */
export const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'] as const
export type Frequency = (typeof FREQUENCIES)[number]

/** The weekdays as iCalendar writes them. A weekday is its place in this list. */
export const WEEKDAYS: readonly string[] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

/** The identity of an occurrence: the local time that the rule gives it, `YYYY-MM-DD HH:MM:SS`; all-day `YYYY-MM-DD`. It sorts as text. */
export type RecurrenceId = string

/** An entry of BYDAY: a weekday, 0 is Monday; `nth` of the month or year, negative from its end, 0 for each. */
export type WeekdayOf = { weekday: number; nth: number }

/** A rule as read. Lists are sorted, without doubles, and empty for parts that are not written. */
export type Rule = {
  freq: Frequency
  interval: number
  byMonth: number[]
  byWeekNo: number[]
  byYearDay: number[]
  byMonthDay: number[]
  byDay: WeekdayOf[]
  byHour: number[]
  byMinute: number[]
  bySecond: number[]
  bySetPos: number[]
  /** The first day of a week. */
  wkst: number
  count?: number
  /** The last date that the rule may give, in the form of its dates. */
  until?: RecurrenceId
}

/** What repeats: local time of its first date, all-day at 00:00:00, in a zone. */
export type Pattern = { start: string; zone: string; allDay: boolean }

/** A pattern with its rule, the dates added to it and those taken out of it. */
export type Recurrence = Pattern & {
  rule: Rule
  /** The rule in one way of writing; the same dates are not always the same text. Its UNTIL is local time, as the start is. */
  rrule: string
  rdate: RecurrenceId[]
  exdate: RecurrenceId[]
  /** The first date that there is an event of, where a calendar from elsewhere has more dates than one has here. */
  since?: RecurrenceId
}

/** A date in the way iCalendar writes it: `20270514T180000`, `20270514`. */
export const compact = (id: RecurrenceId): string => id.replaceAll(/[-:]/g, '').replace(' ', 'T')

/** An entry of BYDAY as text: `TU`, `-1FR`. */
export const printWeekday = ({ weekday, nth }: WeekdayOf): string =>
  `${nth === 0 ? '' : nth}${WEEKDAYS[weekday]}`

/** A rule as text: its parts in one order, without those that say nothing. `until` is printed as it is given here. */
export function printRule(rule: Rule, until = rule.until && compact(rule.until)): string {
  const parts: [string, string | number][] = [
    ['FREQ', rule.freq],
    ['INTERVAL', rule.interval === 1 ? '' : rule.interval],
    ['BYMONTH', rule.byMonth.join()],
    ['BYWEEKNO', rule.byWeekNo.join()],
    ['BYYEARDAY', rule.byYearDay.join()],
    ['BYMONTHDAY', rule.byMonthDay.join()],
    ['BYDAY', rule.byDay.map(printWeekday).join()],
    ['BYHOUR', rule.byHour.join()],
    ['BYMINUTE', rule.byMinute.join()],
    ['BYSECOND', rule.bySecond.join()],
    ['BYSETPOS', rule.bySetPos.join()],
    ['WKST', rule.wkst === 0 ? '' : WEEKDAYS[rule.wkst]!],
    ['COUNT', rule.count ?? ''],
    ['UNTIL', until ?? ''],
  ]
  return parts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join(';')
}

/** What is wrong with a part of a recurrence, such as `rrule.FREQ` or `rdate[2]`, and what would be right. */
export type Refusal = { part: string; message: string }

/** A date as written, of which `instant` is in UTC or has an offset from it, in epoch milliseconds. */
type Written = { date: string; time?: string; instant?: number }

const FORM = /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d):?(\d\d):?(\d\d)(Z|[+-]\d\d:?\d\d)?)?$/i

/** Reads `2027-05-14`, `2027-05-14 18:00:00` and the forms of iCalendar, `20270514`, `20270514T180000`, `20270514T160000Z`. */
export function readDate(text: string): Written | undefined {
  const [all, year, month, day, hour, minute, second, offset] = FORM.exec(text.trim()) ?? []
  if (all === undefined || year === '0000') return undefined
  const date = `${year}-${month}-${day}`
  const time = hour === undefined ? undefined : `${hour}:${minute}:${second}`
  const at = Date.parse(`${date}T${time ?? '00:00:00'}Z`)
  // Date takes 30 February for a day in March, and 24:00:00 for the next day
  if (Number.isNaN(at) || new Date(at).getUTCDate() !== Number(day)) return undefined
  if (time === undefined || offset === undefined) return { date, time }
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):?(\d\d)/.exec(offset) ?? []
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
  return { date, time, instant: at - ahead }
}

/** The local time of an instant in a zone. */
export type ToWall = (epochMs: number, zone: string) => string

function readOne(
  text: string,
  { allDay, zone, start }: Pattern,
  toWall: ToWall,
): RecurrenceId | { message: string } {
  const written = readDate(text)
  if (!written)
    return {
      message: allDay
        ? 'must be a date such as 2027-05-14.'
        : `must be a local time such as 2027-05-14 ${start.slice(11)}.`,
    }
  const { date, time, instant } = written
  if (allDay)
    return time === undefined || (time === '00:00:00' && instant === undefined)
      ? date
      : { message: `must be a date without a time, as the event is all-day: ${date}.` }
  if (time === undefined)
    return { message: `must have a time, as the event has one: ${date} ${start.slice(11)}.` }
  if (instant !== undefined)
    return { message: `must be local time of ${zone}, without a zone of its own: ${toWall(instant, zone)}.` }
  return `${date} ${time}`
}

/** Reads a list of RDATE or EXDATE: sorted, without doubles. Adds to `refusals`, under `part[2]`. */
export function readDates(
  part: string,
  texts: readonly string[],
  pattern: Pattern,
  { toWall, bound, refusals }: { toWall: ToWall; bound: number; refusals: Refusal[] },
): RecurrenceId[] {
  if (texts.length > bound) {
    refusals.push({ part, message: `must have at most ${bound} dates; it has ${texts.length}.` })
    return []
  }
  const ids = new Set<RecurrenceId>()
  texts.forEach((text, at) => {
    const read = readOne(text, pattern, toWall)
    if (typeof read === 'string') ids.add(read)
    else refusals.push({ part: `${part}[${at}]`, message: read.message })
  })
  return [...ids].sort()
}

type Range = { least: number; most: number; isSigned?: boolean }
/** The parts that are lists of numbers, in the order of RFC 5545 §3.3.10. */
const RANGES = {
  BYMONTH: { least: 1, most: 12 },
  BYWEEKNO: { least: 1, most: 53, isSigned: true },
  BYYEARDAY: { least: 1, most: 366, isSigned: true },
  BYMONTHDAY: { least: 1, most: 31, isSigned: true },
  BYHOUR: { least: 0, most: 23 },
  BYMINUTE: { least: 0, most: 59 },
  BYSECOND: { least: 0, most: 59 },
  BYSETPOS: { least: 1, most: 366, isSigned: true },
} satisfies Record<string, Range>
type Numbers = keyof typeof RANGES
const NAMES = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'WKST', 'BYDAY', ...Object.keys(RANGES)]
const SUB_DAILY = ['HOURLY', 'MINUTELY', 'SECONDLY']
/** How several times a day are written. */
const SEVERAL = ' Several times a day are FREQ=DAILY with BYHOUR and BYMINUTE.'
const LONGEST = 4_000
const MOST_INTERVAL = 9_999
const MOST_TIMES = 1_440

type Parts = Map<string, string>
type Refuse = (name: string, message: string) => void
/** What reading a rule needs to know. */
type RuleContext = { pattern: Pattern; toWall: ToWall; bound: number; refusals: Refusal[] }

/** The parts of a rule by name, in capitals. */
function splitParts(text: string, refuse: Refuse): Parts {
  const parts: Parts = new Map()
  if (text.length > LONGEST) {
    refuse('', `must have at most ${LONGEST} characters.`)
    return parts
  }
  for (const piece of text
    .trim()
    .replace(/^RRULE:/i, '')
    .replace(/;$/, '')
    .split(';')) {
    const [name = '', value = '', ...more] = piece
      .toUpperCase()
      .split('=')
      .map((side) => side.trim())
    if (value === '' || more.length > 0)
      refuse(
        '',
        `must consist of parts such as FREQ=WEEKLY;BYDAY=TU, divided by semicolons; "${piece.slice(0, 40)}" is none.`,
      )
    else if (!NAMES.includes(name))
      refuse(name.slice(0, 40), `is not a part of a rule; parts are ${NAMES.join(', ')}.`)
    else if (parts.has(name)) refuse(name, 'must be written once; several values are one list.')
    else parts.set(name, value)
  }
  return parts
}

/** Least first, those from the end after them. */
const inOrder = (a: number, b: number) => Number(a < 0) - Number(b < 0) || a - b

function numbers(name: Numbers, parts: Parts, refuse: Refuse): number[] {
  const value = parts.get(name)
  if (value === undefined) return []
  const { least, most, isSigned = false }: Range = RANGES[name]
  const read = value.split(',').map((item) => (/^[+-]?\d{1,3}$/.test(item) ? Number(item) : Number.NaN))
  if (read.every((n) => (isSigned ? Math.abs(n) : n) >= least && Math.abs(n) <= most))
    return [...new Set(read)].sort(inOrder)
  const range = isSigned ? `${least} to ${most} or -${most} to -${least}` : `${least} to ${most}`
  refuse(name, `must be numbers from ${range}, divided by commas; it is "${value.slice(0, 40)}".`)
  return []
}

function number(name: string, most: number, parts: Parts, refuse: Refuse): number | undefined {
  const value = parts.get(name)
  if (value === undefined) return undefined
  if (/^\+?\d{1,9}$/.test(value) && Number(value) >= 1 && Number(value) <= most) return Number(value)
  refuse(name, `must be a number from 1 to ${most}; it is "${value.slice(0, 40)}".`)
  return undefined
}

function frequency(parts: Parts, refuse: Refuse): Frequency {
  const value = parts.get('FREQ')
  const found = FREQUENCIES.find((freq) => freq === value)
  if (found) return found
  const accepted = 'DAILY, WEEKLY, MONTHLY or YEARLY'
  if (value === undefined) refuse('FREQ', `is missing; it must be ${accepted}.`)
  else if (SUB_DAILY.includes(value))
    refuse('FREQ', `must be ${accepted}; it is "${value}".${value === 'SECONDLY' ? '' : SEVERAL}`)
  else refuse('FREQ', `must be ${accepted}; it is "${value.slice(0, 40)}".`)
  return 'DAILY'
}

function weekdays(parts: Parts, refuse: Refuse): WeekdayOf[] {
  const value = parts.get('BYDAY')
  if (value === undefined) return []
  const found = new Map<string, WeekdayOf>()
  for (const item of value.split(',')) {
    const [, nth = '0', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(item) ?? []
    const weekday = WEEKDAYS.indexOf(name)
    const isNumber = item.length === 2 || (Math.abs(Number(nth)) >= 1 && Math.abs(Number(nth)) <= 53)
    if (weekday < 0 || !isNumber) {
      refuse(
        'BYDAY',
        `must be weekdays such as TU, 2FR or -1SU, of ${WEEKDAYS.join()}; "${item.slice(0, 40)}" is none.`,
      )
      return []
    }
    found.set(`${weekday} ${Number(nth)}`, { weekday, nth: Number(nth) })
  }
  return [...found.values()].sort((a, b) => inOrder(a.nth, b.nth) || a.weekday - b.weekday)
}

function weekStart(parts: Parts, refuse: Refuse): number {
  const value = parts.get('WKST') ?? 'MO'
  const found = WEEKDAYS.indexOf(value)
  if (found < 0) refuse('WKST', `must be a weekday of ${WEEKDAYS.join()}; it is "${value.slice(0, 40)}".`)
  return Math.max(found, 0)
}

/**
 * The last date that a rule may give, as local time. A date stands for all of its day, and a time in UTC is brought to the event's
 * zone. Unless the rule names times itself, it has the time of the start, so that it reads as the last possible date.
 */
function until(parts: Parts, { pattern, toWall }: RuleContext, refuse: Refuse): RecurrenceId | undefined {
  const value = parts.get('UNTIL')
  if (value === undefined) return undefined
  const { start, zone, allDay } = pattern
  const written = readDate(value)
  if (!written) {
    refuse(
      'UNTIL',
      `must be a date or a time such as 20270514 or 20270514T180000; it is "${value.slice(0, 40)}".`,
    )
    return undefined
  }
  const { date, time = '23:59:59', instant } = written
  const local = instant === undefined || allDay ? `${date} ${time}` : toWall(instant, zone)
  const last = allDay
    ? date
    : parts.has('BYHOUR') || parts.has('BYMINUTE') || parts.has('BYSECOND')
      ? local
      : lastAt(local, start)
  const first = allDay ? start.slice(0, 10) : start
  if (last >= first) return last
  refuse('UNTIL', `must not be before the start, ${first}; it is ${allDay ? date : local}.`)
  return undefined
}

/** The last time of day of the start that is not after a local time. */
function lastAt(local: string, start: string): string {
  const clock = start.slice(11)
  if (clock <= local.slice(11)) return `${local.slice(0, 10)} ${clock}`
  return `${new Date((secondsOf(local) - 86_400) * 1000).toISOString().slice(0, 10)} ${clock}`
}

/** What RFC 5545 §3.3.10 does not allow beside each other. */
function contradictions(rule: Rule, allDay: boolean, refuse: Refuse) {
  const { freq, byDay } = rule
  const isNumbered = byDay.some(({ nth }) => nth !== 0)
  const inMonth = freq === 'MONTHLY' || (freq === 'YEARLY' && rule.byMonth.length > 0)
  const others = [
    rule.byMonth,
    rule.byWeekNo,
    rule.byYearDay,
    rule.byMonthDay,
    byDay,
    rule.byHour,
    rule.byMinute,
    rule.bySecond,
  ]
  if (rule.count !== undefined && rule.until !== undefined)
    refuse('COUNT', 'must not be beside UNTIL; a rule has one of the two.')
  if (rule.byWeekNo.length > 0 && freq !== 'YEARLY')
    refuse('BYWEEKNO', `must be with FREQ=YEARLY; it is ${freq}.`)
  if (rule.byYearDay.length > 0 && freq !== 'YEARLY')
    refuse('BYYEARDAY', `must be with FREQ=YEARLY; it is ${freq}.`)
  if (rule.byMonthDay.length > 0 && freq === 'WEEKLY')
    refuse('BYMONTHDAY', 'must be with FREQ=DAILY, MONTHLY or YEARLY; it is WEEKLY.')
  if (isNumbered && freq !== 'MONTHLY' && freq !== 'YEARLY')
    refuse(
      'BYDAY',
      `must be weekdays without numbers with FREQ=${freq}, such as TU; numbers count in a month or a year.`,
    )
  else if (isNumbered && rule.byWeekNo.length > 0)
    refuse('BYDAY', 'must be weekdays without numbers beside BYWEEKNO, such as TU.')
  else if (inMonth && byDay.some(({ nth }) => Math.abs(nth) > 5))
    refuse('BYDAY', 'must have numbers from 1 to 5 or -5 to -1, as they count in a month.')
  if (rule.bySetPos.length > 0 && others.every((list) => list.length === 0))
    refuse(
      'BYSETPOS',
      'must be beside another BY part, of whose dates it takes some, such as BYDAY=MO,TU,WE,TH,FR.',
    )
  if (allDay)
    for (const [name, list] of [
      ['BYHOUR', rule.byHour],
      ['BYMINUTE', rule.byMinute],
      ['BYSECOND', rule.bySecond],
    ] as const)
      if (list.length > 0) refuse(name, 'must not be in the rule of an all-day event.')
  if (rule.byHour.length * rule.byMinute.length * rule.bySecond.length > MOST_TIMES)
    refuse('BYSECOND', `must not give more than ${MOST_TIMES} times a day with BYHOUR and BYMINUTE.`)
}

/** Reads the text of a rule. Adds what is wrong with it to `refusals`, under the names of its parts; then the rule is not to be used. */
export function readRule(text: string, context: RuleContext): Rule {
  const refuse: Refuse = (name, message) =>
    void context.refusals.push({ part: name === '' ? 'rrule' : `rrule.${name}`, message })
  const before = context.refusals.length
  const parts = splitParts(text, refuse)
  const isReadable = context.refusals.length === before
  const list = (name: Numbers) => numbers(name, parts, refuse)
  const rule: Rule = {
    freq: isReadable || parts.has('FREQ') ? frequency(parts, refuse) : 'DAILY',
    interval: number('INTERVAL', MOST_INTERVAL, parts, refuse) ?? 1,
    byMonth: list('BYMONTH'),
    byWeekNo: list('BYWEEKNO'),
    byYearDay: list('BYYEARDAY'),
    byMonthDay: list('BYMONTHDAY'),
    byDay: weekdays(parts, refuse),
    byHour: list('BYHOUR'),
    byMinute: list('BYMINUTE'),
    bySecond: list('BYSECOND'),
    bySetPos: list('BYSETPOS'),
    wkst: weekStart(parts, refuse),
    count: number('COUNT', context.bound, parts, refuse),
    until: until(parts, context, refuse),
  }
  if (context.refusals.length === before) contradictions(rule, context.pattern.allDay, refuse)
  return rule
}
