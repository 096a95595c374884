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

/** An event on its own wall clock, in seconds since 1970-01-01 00:00:00 of that clock. */
export type Span = { id: number; starts: number; ends: number }

/** A part of an event of several days within one week, in the cell of a day. */
export type Piece = {
  id: number
  /** The days that it goes on in this week, from this one; 0 if it began on an earlier day of the week. */
  days: number
  /** Whether the event began before this week, and whether it goes on after it. */
  before: boolean
  after: boolean
}

/** A day of a month, with the events that are shown on it. */
export type Cell = {
  /** `YYYY-MM-DD`; empty outside the years 1 to 9999. */
  day: string
  /** Events of several days, one a lane; undefined where a lane is free. */
  lanes: (Piece | undefined)[]
  /** Events of this day alone, by start. */
  ids: number[]
  /** All events of the day, apart from those that last through the month. */
  total: number
  /** Events that are not shown. */
  rest: number
}

/** How much of a day is shown: lanes of events of several days, and lines in all. */
type Room = { lanes: number; lines: number }

const DAY = 86_400
/** An event that ends at night belongs to the evening before: until six. */
export const MORNING = 6 * 3_600
const FIRST = '0001-01-01'
const LAST = '9999-12-31'

/** Days from 1970-01-01 to a day. */
export const numberOf = (day: string): number => Date.parse(day) / 86_400_000

/** The day with a number; empty outside the years 1 to 9999. */
export const dayAt = (number: number): string =>
  number < numberOf(FIRST) || number > numberOf(LAST)
    ? ''
    : new Date(number * 86_400_000).toISOString().slice(0, 10)

/** A text as a day, `YYYY-MM-DD`; undefined if there is no such day. */
export function readDay(text: string): string | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < FIRST) return undefined
  const number = numberOf(text)
  return Number.isInteger(number) && dayAt(number) === text ? text : undefined
}

/** A text as a month, `YYYY-MM`; undefined if there is no such month. */
export const readMonth = (text: string): string | undefined => readDay(`${text}-01`)?.slice(0, 7)

/** A day or month some days or months later (earlier if negative); undefined outside the years 1 to 9999. */
export const later = (from: string, by: number): string | undefined =>
  from.length === 10 ? dayAt(numberOf(from) + by) || undefined : monthLater(from, by)

function monthLater(month: string, by: number): string | undefined {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 + by
  const two = String((months % 12) + 1).padStart(2, '0')
  return months < 12 ? undefined : readMonth(`${String(Math.floor(months / 12)).padStart(4, '0')}-${two}`)
}

/** The regions whose weeks begin on Sunday or Saturday; elsewhere they begin on Monday (CLDR 44, weekData). */
const SUNDAY =
  'AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN IS JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW'
const SATURDAY = 'AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY'

/** The weekday on which weeks begin for readers of a language, from 1 (Monday) to 7. `en` is that of the United States, `en-GB` is not. */
export function firstWeekday(locale: string): number {
  const region = new Intl.Locale(locale).maximize().region!
  return SUNDAY.includes(region) ? 7 : SATURDAY.includes(region) ? 6 : 1
}

/** The first and the last day of the weeks that a month touches, as numbers, and those of the month itself. */
export function gridOf(month: string, weekday: number) {
  const own = numberOf(`${month}-01`)
  const next = monthLater(month, 1)
  const ownLast = next === undefined ? numberOf(LAST) : numberOf(`${next}-01`) - 1
  // 1970-01-01, number 0, is a Thursday, weekday 4
  const first = own - ((((own + 4 - weekday) % 7) + 7) % 7)
  return { first, last: first + Math.ceil((ownLast + 1 - first) / 7) * 7 - 1, own, ownLast }
}
type Grid = ReturnType<typeof gridOf>

/** The first and the last day of an event, as numbers. A night counts as part of the evening before, and midnight is an end. */
export function daysOf({ starts, ends }: Pick<Span, 'starts' | 'ends'>): { first: number; last: number } {
  const first = Math.floor(starts / DAY)
  const end = Math.floor(ends / DAY)
  return { first, last: end > first && ends - end * DAY <= MORNING ? end - 1 : end }
}

type Long = { id: number; first: number; last: number }

/** The first lane that is free on all of some days. */
function freeLane(days: unknown[][]): number {
  let lane = 0
  while (days.some((day) => day[lane] !== undefined)) lane++
  return lane
}

/**
 * The pieces of one week, day by day. If there are more events of several days than lanes, those that last shorter are shown, since they
 * say more about these days. Whoever begins earlier stands higher.
 */
function lanesOf(longs: Long[], monday: number, lanes: number): (Piece | undefined)[][] {
  const week = <T>(): (T | undefined)[][] => Array.from({ length: 7 }, () => [])
  const during = <T>(days: T[], { first, last }: Long) =>
    days.slice(Math.max(first - monday, 0), last - monday + 1)
  const isHere = ({ first, last }: Long) => first <= monday + 6 && last >= monday
  const taken = week<true>()
  const chosen = longs.filter(isHere).filter((long) => {
    const days = during(taken, long)
    const lane = freeLane(days)
    if (lane >= lanes) return false
    for (const day of days) day[lane] = true
    return true
  })
  const pieces = week<Piece>()
  const start = ({ first }: Long) => Math.max(first, monday)
  for (const long of chosen.sort((a, b) => start(a) - start(b) || b.last - a.last || a.id - b.id)) {
    const days = during(pieces, long)
    const lane = freeLane(days)
    const sides = { before: long.first < monday, after: long.last > monday + 6 }
    for (const [at, day] of days.entries())
      day[lane] = { id: long.id, days: at === 0 ? days.length : 0, ...sides }
  }
  // free lanes become members, so that each is printed
  return pieces.map((day) => Array.from(day))
}

/**
 * Places events, which are in order, on the days of a month. A day shows as many as there is room for, and counts all; a last one is
 * shown in place of its count. Events that last through all of the month are not in its days.
 */
export function placeMonth(grid: Grid, spans: Span[], room: Room) {
  const { first, last, own, ownLast } = grid
  const length = last - first + 1
  const singles: number[][] = Array.from({ length }, () => [])
  const totals = new Array<number>(length).fill(0)
  const longs: Long[] = []
  const through: number[] = []
  let total = 0
  for (const span of spans) {
    const days = daysOf(span)
    if (days.last < first || days.first > last) continue
    if (days.last >= own && days.first <= ownLast) total++
    if (days.first <= own && days.last >= ownLast) through.push(span.id)
    else if (days.first === days.last) singles[days.first - first]!.push(span.id)
    else longs.push({ id: span.id, ...days })
  }
  longs.sort((a, b) => a.last - a.first - (b.last - b.first) || a.first - b.first || a.id - b.id)
  for (const long of longs)
    for (let day = Math.max(long.first, first); day <= Math.min(long.last, last); day++)
      totals[day - first]!++

  const weeks: Cell[][] = []
  for (let monday = first; monday <= last; monday += 7)
    weeks.push(
      lanesOf(longs, monday, room.lanes).map((lanes, at) => {
        const day = monday + at
        const alone = singles[day - first]!
        const left = room.lines - lanes.length
        const ids = alone.slice(0, alone.length === left + 1 ? left + 1 : left)
        const total = totals[day - first]! + alone.length
        const shown = ids.length + lanes.filter(Boolean).length
        return { day: dayAt(day), lanes, ids, total, rest: total - shown }
      }),
    )
  return { weeks, through, total }
}
export type Month = ReturnType<typeof placeMonth>

/** The events of a day: those that begin on it, by start, and those that began earlier, by end. */
export function placeDay(day: number, spans: Span[]): { starting: number[]; running: number[] } {
  const on = spans.map((span) => ({ ...span, ...daysOf(span) })).filter(({ last }) => last >= day)
  const ids = (found: Span[]) => found.map(({ id }) => id)
  return {
    starting: ids(on.filter(({ first }) => first === day)),
    running: ids(on.filter(({ first }) => first < day).sort((a, b) => a.ends - b.ends || a.id - b.id)),
  }
}
