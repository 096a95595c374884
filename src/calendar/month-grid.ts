import { dayAt, daysOf, LAST, monthLater, numberOf, type Span } from './days.ts'

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
