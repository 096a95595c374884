/**
 * Rules as RFC 5545 defines them, in the plainest words: a rule is asked for each day whether the day is one of its dates. Local times are
 * whole minutes since 1970, as a clock on the wall counts them.
 */
export type Minutes = number
export const DAY = 1_440
/** Longer than any rule of the tests goes on. */
const MOST_DAYS = 2_500

/** A rule whose dates all have the time of day of the first one. */
export type Rule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY'
  interval: number
  /** Weekdays of WEEKLY, from 0 for Monday. */
  days: number[]
  /** Weekdays of a month or a year with their numbers in it, from its end below 0. None: the day of the start. */
  nths: [weekday: number, nth: number][]
  count?: number
  /** The last time that may be a date. */
  until?: Minutes
}

/** The rule of what has added dates alone. */
export const ONCE: Rule = { freq: 'DAILY', interval: 1, days: [], nths: [], count: 1 }

const wallOf = (at: Minutes) => new Date(at * 60_000).toISOString()
/** `2027-03-23 18:00:00` */
export const printed = (at: Minutes) => wallOf(at).slice(0, 19).replace('T', ' ')
/** The identity of a date. */
export const printedId = (at: Minutes, allDay: boolean) => printed(at).slice(0, allDay ? 10 : 19)
export const minutesOf = (text: string) =>
  Date.parse(`${text.replace(' ', 'T').padEnd(19, 'T00:00:00')}Z`) / 60_000

type Parts = { year: number; month: number; day: number; days: number; yearDay: number; yearDays: number }
const known = new Map<number, Parts>()
/** Which day of its month and of its year a day is, and how many these have. */
export function partsOf(day: number): Parts {
  const found = known.get(day)
  if (found) return found
  const date = new Date(day * 86_400_000)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const first = Date.UTC(year, 0) / 86_400_000
  const parts = {
    ...{ year, month: year * 12 + month, day: date.getUTCDate() },
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    ...{ yearDay: day - first + 1, yearDays: Date.UTC(year + 1, 0) / 86_400_000 - first },
  }
  known.set(day, parts)
  return parts
}
export const weekdayOf = (day: number) => (day + 3) % 7
const weekOf = (day: number) => Math.floor((day + 3) / 7)

/** Whether a day is one of numbered weekdays, as number `at` of `length` days. */
const isNumbered = ({ nths }: Rule, day: number, at: number, length: number) =>
  nths.some(
    ([weekday, nth]) =>
      weekday === weekdayOf(day) && (nth > 0 ? Math.ceil(at / 7) : -Math.ceil((length - at + 1) / 7)) === nth,
  )

/** Whether a day is one of a rule that begins on another. */
export function isOf(rule: Rule, first: number, day: number): boolean {
  const { freq, interval, days, nths } = rule
  if (freq === 'DAILY') return (day - first) % interval === 0
  if (freq === 'WEEKLY')
    return (weekOf(day) - weekOf(first)) % interval === 0 && days.includes(weekdayOf(day))
  const [from, on] = [partsOf(first), partsOf(day)]
  if (freq === 'MONTHLY')
    return (
      (on.month - from.month) % interval === 0 &&
      (nths.length > 0 ? isNumbered(rule, day, on.day, on.days) : on.day === from.day)
    )
  if ((on.year - from.year) % interval !== 0) return false
  if (nths.length > 0) return isNumbered(rule, day, on.yearDay, on.yearDays)
  return on.day === from.day && on.month % 12 === from.month % 12
}

/** The dates that a rule gives from a start on. */
export function datesOf(rule: Rule, start: Minutes): Minutes[] {
  const first = Math.floor(start / DAY)
  const found: Minutes[] = []
  for (let day = first; day < first + MOST_DAYS; day++) {
    const at = day * DAY + (start % DAY)
    if (found.length === rule.count || (rule.until !== undefined && at > rule.until)) break
    if (isOf(rule, first, day)) found.push(at)
  }
  return found
}

const nameOf = (weekday: number) => 'MOTUWETHFRSASU'.slice(2 * weekday, 2 * weekday + 2)

/** A rule as RFC 5545 writes it. */
export function written({ freq, interval, days, nths, count, until }: Rule, allDay: boolean): string {
  const byDay = [...days.map(nameOf), ...nths.map(([weekday, nth]) => `${nth}${nameOf(weekday)}`)]
  return [
    `FREQ=${freq};INTERVAL=${interval}`,
    ...(byDay.length > 0 ? [`BYDAY=${byDay}`] : []),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined
      ? []
      : [`UNTIL=${printedId(until, allDay).replaceAll(/[-:]/g, '').replace(' ', 'T')}`]),
  ].join(';')
}

/** What a series and its dates have in common, unless a date has its own. `length` is in minutes, of all-day events in whole days. */
export type Values = { title: string; website: string; featured: boolean; length: number; zone: string }
/** The members that a date overrides: its zone goes with its start. */
export type Member = Exclude<keyof Values, 'zone'> | 'start'

/** What is not a date of a series. */
export type Single = Values & { start: Minutes; allDay: boolean }
export type Series = Single & {
  rule: Rule
  rdate: Set<Minutes>
  exdate: Set<Minutes>
  isTrash: boolean
}
export type Edit = Partial<Values & { start: Minutes }>
export type Date_ = { series: number; id: Minutes; own: Edit; isTrash: boolean }
/** How a series repeats, as it is sent. */
export type Repeat = { rule: Rule; rdate: Minutes[]; exdate: Minutes[] }

/** All dates of a series. */
export function given({ rule, start, rdate, exdate, isTrash }: Series): Set<Minutes> {
  if (isTrash) return new Set()
  return new Set([...datesOf(rule, start), ...rdate].filter((id) => !exdate.has(id)))
}

/** Whether a series takes place before one of its dates. */
export const hasBefore = (series: Series, id: Minutes) => [...given(series)].some((other) => other < id)

/** Whether a series may begin at another time: its rule gives it, or it is taken out and nothing is counted. */
export function mayBegin({ rule, start, exdate }: Series, at: Minutes): boolean {
  const day = Math.floor(at / DAY)
  return isOf(rule, day, day) || (rule.count === undefined && exdate.has(start))
}

const move = (ids: Set<Minutes>, by: number) => new Set([...ids].map((id) => id + by))
const split = (ids: Set<Minutes>, at: Minutes) => [
  new Set([...ids].filter((id) => id < at)),
  new Set([...ids].filter((id) => id >= at)),
]

/** Added dates alone: the first of them is the start. */
function begin(one: Series) {
  one.start = Math.min(...one.rdate)
  one.rule = ONCE
  one.rdate.delete(one.start)
}

/** Ends a series before a time: its rule has a last date, or counts those that it had. */
function endBefore(one: Series, at: Minutes) {
  const had = datesOf(one.rule, one.start).filter((id) => id < at)
  one.rdate = split(one.rdate, at)[0]!
  one.exdate = split(one.exdate, at)[0]!
  if (had.length === 0) begin(one)
  else if (one.rule.count === undefined) one.rule = { ...one.rule, until: had.at(-1)! }
  else one.rule = { ...one.rule, count: had.length }
}

/** What a series is from one of its times on. */
export function restOf(one: Series, at: Minutes): Series {
  const all = datesOf(one.rule, one.start)
  const later = all.filter((id) => id >= at)
  const next = { ...one, rdate: split(one.rdate, at)[1]!, exdate: split(one.exdate, at)[1]! }
  if (later.length === 0) begin(next)
  else {
    next.start = later[0]!
    if (one.rule.count !== undefined)
      next.rule = { ...one.rule, count: one.rule.count - (all.length - later.length) }
  }
  return next
}

/** Series, their dates, and events that are none, by IDs. */
export function openModel() {
  const series = new Map<number, Series>()
  const dates = new Map<number, Date_>()
  const singles = new Map<number, Single>()
  const of = (id: number) => [...dates].filter(([, date]) => date.series === id)

  /** Puts the dates of a series where it has them; returns those that have no event yet. */
  function settle(id: number): Minutes[] {
    const wanted = given(series.get(id)!)
    for (const [, date] of of(id)) date.isTrash = !wanted.delete(date.id)
    return [...wanted]
  }
  /** Changes a series, and moves its dates with it. */
  function change(
    id: number,
    { start, ...values }: Edit,
    by = start === undefined ? 0 : start - series.get(id)!.start,
  ) {
    const one = series.get(id)!
    Object.assign(one, values)
    one.start += by
    if (one.rule.until !== undefined) one.rule = { ...one.rule, until: one.rule.until + by }
    one.rdate = move(one.rdate, by)
    one.exdate = move(one.exdate, by)
    for (const [, date] of of(id)) date.id += by
  }
  /** What a date shows. */
  function shown({ series: id, id: at, own }: Date_): Single {
    const { title, website, featured, length, zone, allDay } = series.get(id)!
    return { title, website, featured, length, zone, allDay, start: at, ...own }
  }

  return {
    series,
    dates,
    singles,
    settle,
    change,
    shown,
    /** Changes one date: what is as its series says is none of its own. A start and its zone are one member. */
    changeThis(id: number, edit: Edit) {
      const date = dates.get(id)!
      const base: Edit = { ...series.get(date.series)!, start: date.id }
      const { start, zone, ...others } = { ...shown(date), ...edit }
      for (const name of Object.keys(edit).filter((name) => name in others) as never[])
        if (base[name] === others[name]) delete date.own[name]
        else date.own[name] = others[name]
      if (edit.start === undefined && edit.zone === undefined) return
      delete date.own.start
      delete date.own.zone
      if (start !== date.id || zone !== base.zone) Object.assign(date.own, { start, zone })
    },
    /** Changes all dates by what is sent for one. A start and its zone are one member, as DTSTART is one property. */
    changeAll(id: number, edit: Edit) {
      const { own, id: at, series } = dates.get(id)!
      const { start, ...values } = edit
      change(series, values, start === undefined ? 0 : start - at)
      for (const name of Object.keys(edit) as never[]) delete own[name]
      if (edit.zone === undefined && edit.start === undefined) return
      delete own.start
      delete own.zone
    },
    /** Ends a series before a date, from which another one goes on. */
    fork(id: number, as: number) {
      const { series: from, id: at } = dates.get(id)!
      const one = series.get(from)!
      series.set(as, restOf(one, at))
      for (const [, other] of of(from)) if (other.id >= at) other.series = as
      endBefore(one, at)
    },
    deleteFollowing(id: number) {
      const date = dates.get(id)!
      const one = series.get(date.series)!
      if (hasBefore(one, date.id)) endBefore(one, date.id)
      else one.isTrash = true
    },
    /** Deletes dates for good. */
    erase(ids: number[]) {
      for (const id of ids) dates.delete(id)
    },
    /** Makes a date the last one. */
    endAfter(id: number) {
      const date = dates.get(id)!
      const one = series.get(date.series)!
      const later = [...given(one)].filter((other) => other > date.id)
      if (later.length > 0) endBefore(one, Math.min(...later))
    },
    /** Makes a date a single event, which its series has no more. */
    leave(id: number) {
      const date = dates.get(id)!
      singles.set(id, shown(date))
      dates.delete(id)
      series.get(date.series)!.exdate.add(date.id)
    },
    /** Makes a single event the first date of a series. */
    join(id: number, as: number, { rule, rdate, exdate }: Repeat) {
      const single = singles.get(id)!
      const lists = { rdate: new Set(rdate), exdate: new Set(exdate), isTrash: false }
      series.set(as, { ...single, rule, ...lists })
      dates.set(id, { series: as, id: single.start, own: {}, isTrash: false })
      singles.delete(id)
    },
    /** Gives a date back, also one that the rule does not have any more. */
    restore(id: number) {
      const { series: of, id: at } = dates.get(id)!
      const one = series.get(of)!
      one.exdate.delete(at)
      if (!given(one).has(at)) one.rdate.add(at)
    },
    /** Another rule, with other added dates and other ones that are taken out. */
    repeat(id: number, { rule, rdate, exdate }: Repeat) {
      Object.assign(series.get(id)!, { rule, rdate: new Set(rdate), exdate: new Set(exdate) })
    },
  }
}
export type Model = ReturnType<typeof openModel>
