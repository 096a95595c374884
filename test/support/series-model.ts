/**
 * Series as series and RFC 5545 define them, in the plainest words: a rule is asked for each day whether the day is one of its dates. Local
 * times are whole minutes since 1970, as a clock on the wall counts them.
 */
export type Minutes = number
const DAY = 1_440

/** A rule whose dates all have the time of day of the first one. */
export type Rule = {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY'
  interval: number
  /** Weekdays of WEEKLY, from 0 for Monday. */
  days: number[]
  count?: number
  /** The last day that may be a date. */
  until?: number
}

/** What a series and its dates have in common, unless a date has its own. `length` is in minutes. */
export type Values = { title: string; website: string; featured: boolean; length: number }
export type Member = keyof Values | 'start'

export type Series = Values & {
  start: Minutes
  rule: Rule
  /** The rule gives nothing from here on. */
  cut?: Minutes
  rdate: Set<Minutes>
  exdate: Set<Minutes>
  isTrash: boolean
}
export type Date_ = {
  series: number
  id: Minutes
  own: Partial<Values & { start: Minutes }>
  isTrash: boolean
}
export type Edit = Partial<Values & { start: Minutes }>

const wallOf = (at: Minutes) => new Date(at * 60_000).toISOString()
/** `2027-03-23 18:00:00` */
export const printed = (at: Minutes) => wallOf(at).slice(0, 19).replace('T', ' ')
export const minutesOf = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`) / 60_000

const weekdayOf = (day: number) => (day + 3) % 7
const weekOf = (day: number) => Math.floor((day + 3) / 7)
const dayOfMonth = (day: number) => Number(wallOf(day * DAY).slice(8, 10))
const monthOf = (day: number) =>
  Number(wallOf(day * DAY).slice(0, 4)) * 12 + Number(wallOf(day * DAY).slice(5, 7))

/** Whether a day is one of a rule that begins on another. */
function isOf({ freq, interval, days }: Rule, first: number, day: number): boolean {
  if (freq === 'DAILY') return (day - first) % interval === 0
  if (freq === 'WEEKLY')
    return (weekOf(day) - weekOf(first)) % interval === 0 && days.includes(weekdayOf(day))
  return (monthOf(day) - monthOf(first)) % interval === 0 && dayOfMonth(day) === dayOfMonth(first)
}

/** The dates that a rule gives from a start on. */
function datesOf(rule: Rule, start: Minutes): Minutes[] {
  const first = Math.floor(start / DAY)
  const found: Minutes[] = []
  for (let day = first; day < first + 800 && (rule.until === undefined || day <= rule.until); day++) {
    if (found.length === (rule.count ?? Number.POSITIVE_INFINITY)) break
    if (isOf(rule, first, day)) found.push(day * DAY + (start % DAY))
  }
  return found
}

/** A rule as RFC 5545 writes it. */
export const written = ({ freq, interval, days, count, until }: Rule): string =>
  [
    `FREQ=${freq};INTERVAL=${interval}`,
    ...(freq === 'WEEKLY'
      ? [`BYDAY=${days.map((day) => 'MOTUWETHFRSASU'.slice(2 * day, 2 * day + 2))}`]
      : []),
    ...(count === undefined ? [] : [`COUNT=${count}`]),
    ...(until === undefined
      ? []
      : [
          `UNTIL=${wallOf(until * DAY)
            .slice(0, 10)
            .replaceAll('-', '')}T235959`,
        ]),
  ].join(';')

/** All dates of a series. */
export function given({ rule, start, cut, rdate, exdate, isTrash }: Series): Set<Minutes> {
  if (isTrash) return new Set()
  const ruled = datesOf(rule, start).filter((id) => cut === undefined || id < cut)
  return new Set([...ruled, ...rdate].filter((id) => !exdate.has(id)))
}

/** The first date of a series, also one that was taken out of it. */
export const hasBefore = (series: Series, id: Minutes) => [...given(series)].some((other) => other < id)

const move = (ids: Set<Minutes>, by: number) => new Set([...ids].map((id) => id + by))
const split = (ids: Set<Minutes>, at: Minutes) => [
  new Set([...ids].filter((id) => id < at)),
  new Set([...ids].filter((id) => id >= at)),
]

/** Series and their dates, by IDs. */
export function openModel() {
  const series = new Map<number, Series>()
  const dates = new Map<number, Date_>()
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
    if (one.cut !== undefined) one.cut += by
    one.rdate = move(one.rdate, by)
    one.exdate = move(one.exdate, by)
    for (const [, date] of of(id)) date.id += by
  }
  function endBefore(one: Series, at: Minutes) {
    one.cut = Math.min(at, one.cut ?? at)
    one.rdate = split(one.rdate, at)[0]!
    one.exdate = split(one.exdate, at)[0]!
  }

  return {
    series,
    dates,
    settle,
    change,
    /** What a date shows. */
    shown({ series: id, id: at, own }: Date_) {
      const { title, website, featured, length } = series.get(id)!
      return { title, website, featured, length, start: at, ...own }
    },
    /** Changes one date: what is as its series says is none of its own. */
    changeThis(id: number, edit: Edit) {
      const date = dates.get(id)!
      const base: Edit = { ...series.get(date.series)!, start: date.id }
      for (const [name, value] of Object.entries(edit) as [Member, never][])
        if (base[name] === value) delete date.own[name]
        else date.own[name] = value
    },
    /** Changes all dates by what is sent for one. */
    changeAll(id: number, { start, ...edit }: Edit) {
      const date = dates.get(id)!
      change(date.series, edit, start === undefined ? 0 : start - date.id)
      for (const name of Object.keys({ start, ...edit }) as Member[])
        if (name !== 'start' || start !== undefined) delete date.own[name]
    },
    /** Ends a series before a date, from which another one goes on. */
    fork(id: number, as: number) {
      const date = dates.get(id)!
      const at = date.id
      const one = series.get(date.series)!
      const all = datesOf(one.rule, one.start).filter((other) => one.cut === undefined || other < one.cut)
      const later = all.filter((other) => other >= at)
      const rdate = split(one.rdate, at)[1]!
      const next: Series = { ...one, rdate, exdate: split(one.exdate, at)[1]! }
      if (later.length > 0) {
        next.start = later[0]!
        next.rule = { ...one.rule }
        if (one.rule.count !== undefined)
          next.rule.count = one.rule.count - datesOf(one.rule, one.start).filter((other) => other < at).length
      } else {
        next.start = Math.min(...rdate)
        next.rule = { freq: 'DAILY', interval: 1, days: [], count: 1 }
        delete next.cut
        rdate.delete(next.start)
      }
      for (const [, other] of of(date.series)) if (other.id >= at) other.series = as
      endBefore(one, at)
      series.set(as, next)
    },
    deleteFollowing(id: number) {
      const date = dates.get(id)!
      const one = series.get(date.series)!
      if (hasBefore(one, date.id)) endBefore(one, date.id)
      else one.isTrash = true
    },
    /** Gives a date back, also one that the rule does not have any more. */
    restore(id: number) {
      const { series: of, id: at } = dates.get(id)!
      const one = series.get(of)!
      one.exdate.delete(at)
      if (!given(one).has(at)) one.rdate.add(at)
    },
    /** Another rule, without added dates and those taken out. */
    repeat(id: number, rule: Rule) {
      const one = series.get(id)!
      Object.assign(one, { rule, rdate: new Set(), exdate: new Set() })
      delete one.cut
    },
  }
}
export type Model = ReturnType<typeof openModel>
