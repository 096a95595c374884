import { ca } from './ca.ts'
import { en } from './en.ts'
import { es } from './es.ts'

/** What a rule counts in. */
export type Unit = 'day' | 'week' | 'month' | 'year'
/** A day in a sentence; one of each year has no year. */
export type Day = { day: number; month: number; year?: number }
/** What positions count: days, times of one day, or the times of several days. */
export type Counted = 'date' | 'timeOfDay' | 'time'
/** Joins what is said one after the other: `a, b and c`. */
export type Join = (items: string[]) => string

/**
 * How a language says the parts of a rule. Weekdays are numbered from 0 for Monday, months from 1; numbers below 0 count from the end.
 * What follows another part begins with its space or comma.
 */
export type RuleWords = {
  /** The language whose lists these are. */
  locale: string
  weekdays: readonly string[]
  manyWeekdays: readonly string[]
  /** `every day`, `every three weeks`. */
  every: (unit: Unit, interval: number) => string
  /** `every Tuesday and Thursday`. */
  everyWeekday: (weekdays: string) => string
  /** `every second Tuesday`, where a language says so. */
  everySecond?: (weekday: string) => string
  /** `every day` and `every Tuesday and Thursday`, after `every second month`. */
  allDays: string
  allWeekdays: (weekdays: number[], join: Join) => string
  /** `on Tuesday and Thursday`, after `every second week`. */
  onWeekdays: (weekdays: number[], join: Join) => string
  /** ` from Monday to Friday`. */
  fromTo: (first: string, last: string) => string
  /** `Monday and Tuesday`, of a certain week. */
  theWeekdays: (weekdays: number[], join: Join) => string
  /** The days after `every second month`, with what joins them. */
  afterEvery: (days: string) => string
  /** What is before days that are told one by one. */
  on: string
  /** `the second Friday`. */
  nthWeekday: (nth: number, weekday: string) => string
  /** `the third of all Tuesdays and Thursdays`. */
  nthOfAll: (nth: number, weekdays: string) => string
  /** `the last working day`, and after the last of them, which days that are. */
  nthWorkingDay: (nth: number) => string
  mondayToFriday: string
  /** `the 13th`, `the last day`. */
  dayOfMonth: (day: number) => string
  /** `from the 7th to the 13th`; after `that falls`, `between the 7th and the 13th`. */
  daysOfMonth: (first: number, last: number) => string
  betweenDays: (first: number, last: number) => string
  /** `day 100`. */
  dayOfYear: (day: number) => string
  /** `on days 100 to 102`. */
  daysOfYear: (first: number, last: number) => string
  /** `of week 20`, `of the last week`. */
  ofWeek: (week: number) => string
  /** `14 May`. */
  date: (day: Day) => string
  ofEveryMonth: string
  ofTheMonth: string
  everyYear: string
  ofEveryYear: string
  ofTheYear: string
  /** `of May and June`, of days; `in May and June`, of weekdays. */
  ofMonths: (months: number[], join: Join) => string
  inMonths: (months: number[], join: Join) => string
  /** `that falls on the 13th`, of every weekday and of all of them. */
  thatFalls: (days: string) => string
  thatFall: (days: string) => string
  onlyWeekdays: (weekdays: string) => string
  onlyDays: (days: string) => string
  onlyInMonths: (months: number[], join: Join) => string
  /** `only the first date and the last date of each month`, `only the first time of each day`. */
  onlyPositions: (positions: number[], counted: Counted, unit: Unit, join: Join) => string
  /** `at 9:00 and 15:00`. */
  atTimes: (times: { hour: number; text: string }[], join: Join) => string
  timesADay: (count: number) => string
  /** A single date as a whole sentence. */
  once: (day: Day) => string
  until: (day: Day) => string
  times: (count: number) => string
  moreDates: (count: number) => string
  exceptDates: (count: number) => string
}

const WORDS: Record<string, RuleWords> = { en, ca, es }

const ownOf = (language: string): RuleWords | undefined => WORDS[language.split('-')[0]!]
/** Whether a language has words for rules of its own. */
export const hasRuleWords = (language: string): boolean => ownOf(language) !== undefined
/** The words of a language; English for a language without own words. A regional form has those of its language. */
export const ruleWordsOf = (language: string): RuleWords => ownOf(language) ?? en
