import { DAY, datesOf, isOf, type Minutes, ONCE, type Rule } from './series-rules.ts'

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
