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
