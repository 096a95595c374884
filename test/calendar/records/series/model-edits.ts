import type { Dice } from '../../../../bench/seed/random.ts'
import {
  DAY,
  datesOf,
  type Edit,
  given,
  hasBefore,
  type Member,
  type Minutes,
  type Model,
  mayBegin,
  minutesOf,
  partsOf,
  printedId,
  type Repeat,
  type Rule,
  restOf,
  type Series,
  type Single,
  weekdayOf,
  written,
} from './model.ts'

/** The members as overrides name them. */
export const MEMBER: Record<Member, string> = {
  ...{ title: 'title', website: 'website', featured: 'featured', length: 'end_date', start: 'start_date' },
}
export const MEMBERS = Object.keys(MEMBER) as Member[]
/** What is sent for an edit of what is so. */
export const bodyOf = (
  edit: Edit,
  { start, length, allDay }: Pick<Single, 'start' | 'length' | 'allDay'>,
) => {
  const { start: to, length: lasts, zone, ...rest } = edit
  const end = (to ?? start) + (lasts ?? length) - (allDay ? DAY : 0)
  return {
    ...rest,
    ...(zone !== undefined && { timezone: zone }),
    // a date that is sent without all_day is one with a time
    ...(allDay && (to !== undefined || lasts !== undefined) && { all_day: true }),
    ...(to !== undefined && { start_date: printedId(to, allDay) }),
    ...((to !== undefined || lasts !== undefined) && { end_date: printedId(end, allDay) }),
  }
}
/** What is sent for another recurrence. */
export const recurrenceOf = ({ rule, rdate, exdate }: Repeat, allDay: boolean) => {
  const print = (ids: Minutes[]) => ids.map((id) => printedId(id, allDay))
  return { rrule: written(rule, allDay), rdate: print(rdate), exdate: print(exdate) }
}

/** The number of a day among `length` ones, from the beginning or the end; the fifth of a month is not in each. */
function nthOf(dice: Dice, at: number, length: number): number {
  const [nth, last] = [Math.ceil(at / 7), -Math.ceil((length - at + 1) / 7)]
  const most = length > 31 ? 52 : 4
  return nth > most || (last >= -most && dice.chance(0.4)) ? last : nth
}

/** A rule that gives its start. */
function randomRule(dice: Dice, start: Minutes): Rule {
  const first = Math.floor(start / DAY)
  const freq = dice.of(['DAILY', 'WEEKLY', 'WEEKLY', 'MONTHLY', 'MONTHLY', 'YEARLY'] as const)
  const own = weekdayOf(first)
  const days =
    freq === 'WEEKLY' ? [0, 1, 2, 3, 4, 5, 6].filter((day) => day === own || dice.chance(0.25)) : []
  const rule: Rule = { freq, interval: freq === 'YEARLY' ? 1 : 1 + dice.below(3), days, nths: [] }
  const parts = partsOf(first)
  if (freq === 'MONTHLY' && dice.chance(0.5)) {
    rule.nths = [[own, nthOf(dice, parts.day, parts.days)]]
    if (dice.chance(0.3)) rule.nths.push([dice.below(7), dice.of([1, -1, 2])])
  }
  if (freq === 'YEARLY' && dice.chance(0.5)) rule.nths = [[own, nthOf(dice, parts.yearDay, parts.yearDays)]]
  if (dice.chance(0.5)) return { ...rule, count: 2 + dice.below(freq === 'YEARLY' ? 2 : 6) }
  const length = { DAILY: 6, WEEKLY: 20, MONTHLY: 120, YEARLY: 800 }[freq] + dice.below(3)
  return { ...rule, until: start + length * DAY }
}

/** How a series repeats from a start on. */
export function randomRepeat(dice: Dice, start: Minutes, allDay: boolean): Repeat {
  const rule = randomRule(dice, start)
  const other = () => start + (1 + dice.below(40)) * DAY + (allDay ? 0 : dice.of([0, 0, 60, -60]))
  return {
    rule,
    rdate: dice.chance(0.25) ? [other(), other()].slice(dice.below(2)) : [],
    exdate: dice.chance(0.25) ? [dice.of(datesOf(rule, start))] : [],
  }
}

/** Days before the clocks of Madrid change, in spring and in autumn of 2027. */
const BEGINS = ['2027-03-15', '2027-10-18']
/** Zones whose clocks change on other days, or never. */
const ZONES = ['Europe/Madrid', 'America/New_York', 'Asia/Kolkata']

/** A request, what it should be answered, and what it does to the model. `touched` is an event that is written in any case. */
export type Step = {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: object
  expected?: number
  touched?: number
  apply: (body: { id: number; series?: number }) => void
}

/** Random edits of what a model has. `seriesOf` is the series that an event is stored with. */
export function openEdits(dice: Dice, model: Model, seriesOf: (event: number) => number) {
  function randomEdit({ allDay, length }: Single, base: Minutes): Edit {
    const edit: Edit = {}
    if (dice.chance(0.4)) edit.title = dice.of(['Choir', 'Rehearsal', 'Concert'])
    if (dice.chance(0.2)) edit.featured = dice.chance(0.5)
    if (dice.chance(0.3)) edit.length = allDay ? dice.of([1, 2, 3]) * DAY : dice.of([60, 90, 120])
    const day = Math.floor(base / DAY) + (dice.chance(0.3) ? dice.of([-2, -1, 1, 3, 7]) : 0)
    if (dice.chance(0.3)) edit.start = day * DAY + (allDay ? 0 : dice.of([10, 14, 18]) * 60)
    if (dice.chance(0.1)) edit.zone = dice.of(ZONES)
    // a start is sent with an end, and so with a length
    if (edit.start !== undefined) edit.length ??= length
    return Object.keys(edit).length > 0 ? edit : { title: dice.of(['Choir', 'Walk']) }
  }
  /** Whether a series has dates if it begins at another time. */
  function mayMove(one: Series, by: number): boolean {
    const { rule, rdate, exdate, start } = one
    const until = rule.until === undefined ? {} : { until: rule.until + by }
    const move = (ids: Set<Minutes>) => new Set([...ids].map((id) => id + by))
    const moved = { ...one, start: start + by, rule: { ...rule, ...until } }
    return (
      by === 0 ||
      (mayBegin(one, moved.start) && given({ ...moved, rdate: move(rdate), exdate: move(exdate) }).size > 0)
    )
  }
  const hasDates = (one: Series, { rule, rdate, exdate }: Repeat) =>
    given({ ...one, rule, rdate: new Set(rdate), exdate: new Set(exdate) }).size > 0
  const statusIf = (isFine: boolean) => (isFine ? 200 : 400)

  /** What comes before an edit of one date and those that follow; the series that the edit is for. */
  const partOf = (one: Series, id: Minutes, range: string) =>
    range === 'following' && hasBefore(one, id) ? restOf(one, id) : one
  function forkIf(id: number, range: string) {
    const date = model.dates.get(id)!
    if (range === 'following' && hasBefore(model.series.get(date.series)!, date.id))
      model.fork(id, seriesOf(id))
  }

  function restore(id: number): Step {
    const isOver = model.series.get(model.dates.get(id)!.series)!.isTrash
    const apply = () => model.restore(id)
    const step = {
      method: 'PATCH',
      path: `/events/${id}`,
      body: { status: 'publish' },
      touched: id,
      apply,
    } as const
    return { ...step, expected: statusIf(!isOver) }
  }
  function changeDate(id: number): Step {
    const date = model.dates.get(id)!
    const one = model.series.get(date.series)!
    const shown = model.shown(date)
    const range = dice.of(['this', 'this', 'following', 'all'])
    const edit = randomEdit(shown, date.id)
    const step = {
      method: 'PATCH',
      path: `/events/${id}?apply_to=${range}`,
      body: bodyOf(edit, shown),
    } as const
    if (range === 'this') return { ...step, touched: id, apply: () => model.changeThis(id, edit) }
    // a start, its zone and whether it is all-day are one member, as DTSTART is one property
    const isStart = edit.start !== undefined || edit.zone !== undefined || 'all_day' in step.body
    const { start = shown.start, zone = shown.zone } = edit
    const whole = isStart ? { ...edit, start, zone } : edit
    const apply = () => {
      forkIf(id, range)
      model.changeAll(id, whole)
    }
    const by = isStart ? start - date.id : 0
    return { ...step, expected: statusIf(mayMove(partOf(one, date.id, range), by)), apply }
  }
  function repeatFrom(id: number): Step {
    const date = model.dates.get(id)!
    const range = dice.of(['following', 'all'])
    const one = partOf(model.series.get(date.series)!, date.id, range)
    const repeat = randomRepeat(dice, one.start, one.allDay)
    const apply = () => {
      forkIf(id, range)
      model.repeat(model.dates.get(id)!.series, repeat)
    }
    const body = { recurrence: recurrenceOf(repeat, one.allDay) }
    const expected = statusIf(hasDates(one, repeat))
    return { method: 'PATCH', path: `/events/${id}?apply_to=${range}`, body, expected, apply }
  }
  function deleteDate(id: number): Step {
    const date = model.dates.get(id)!
    const one = model.series.get(date.series)!
    const range = dice.of(['this', 'this', 'following', 'all'])
    const apply = () => {
      if (range === 'this') one.exdate.add(date.id)
      if (range === 'following') model.deleteFollowing(id)
      if (range === 'all') one.isTrash = true
    }
    return { method: 'DELETE', path: `/events/${id}?apply_to=${range}`, apply }
  }
  function erase(id: number): Step {
    const date = model.dates.get(id)!
    const one = model.series.get(date.series)!
    const range = date.isTrash ? 'this' : dice.of(['this', 'this', 'following', 'all'])
    const isWhole = range === 'all' || (range === 'following' && !hasBefore(one, date.id))
    const gone = [...model.dates].filter(
      ([other, { series, id: at }]) =>
        other === id || (range !== 'this' && series === date.series && (isWhole || at >= date.id)),
    )
    const apply = () => {
      if (range === 'following') model.deleteFollowing(id)
      if (range === 'this' && given({ ...one, isTrash: false }).has(date.id)) one.exdate.add(date.id)
      model.erase(gone.map(([other]) => other))
      if (isWhole) model.series.delete(date.series)
    }
    return { method: 'DELETE', path: `/events/${id}?force=true&apply_to=${range}`, apply }
  }
  function end(id: number): Step {
    const date = model.dates.get(id)!
    const range = dice.of(['this', 'following', 'all'])
    const apply = () => {
      if (range === 'following') return model.endAfter(id)
      model.leave(id)
      if (range === 'all') model.series.get(date.series)!.isTrash = true
    }
    const body = { recurrence: null }
    return { method: 'PATCH', path: `/events/${id}?apply_to=${range}`, body, touched: id, apply }
  }
  function goBack(id: number): Step {
    const kept = MEMBERS.filter(() => dice.chance(0.3))
    const { own } = model.dates.get(id)!
    const apply = () => {
      for (const name of MEMBERS) if (!kept.includes(name)) delete own[name]
      if (!kept.includes('start')) delete own.zone
    }
    const body = { overrides: kept.map((name) => MEMBER[name]) }
    return { method: 'PATCH', path: `/events/${id}`, body, touched: id, apply }
  }
  function join(id: number): Step {
    const { start, allDay } = model.singles.get(id)!
    const repeat = randomRepeat(dice, start, allDay)
    repeat.exdate = repeat.exdate.filter((other) => other !== start)
    const body = { recurrence: recurrenceOf(repeat, allDay) }
    const apply = () => model.join(id, seriesOf(id), repeat)
    return { method: 'PATCH', path: `/events/${id}`, body, touched: id, apply }
  }
  function changeSeries(id: number, kind: number): Step | undefined {
    const one = model.series.get(id)!
    const path = `/series/${id}`
    const setTrash = (isTrash: boolean) => {
      one.isTrash = isTrash
    }
    if (one.isTrash)
      return { method: 'PATCH', path, body: { status: 'publish' }, apply: () => setTrash(false) }
    if (kind === 0) return { method: 'DELETE', path, apply: () => setTrash(true) }
    if (kind === 1 && dice.chance(0.3)) {
      const apply = () => {
        model.erase([...model.dates].filter(([, { series }]) => series === id).map(([date]) => date))
        model.series.delete(id)
      }
      return { method: 'DELETE', path: `${path}?force=true`, apply }
    }
    if (kind <= 3) {
      const repeat = randomRepeat(dice, one.start, one.allDay)
      const body = { recurrence: recurrenceOf(repeat, one.allDay) }
      const expected = statusIf(hasDates(one, repeat))
      return { method: 'PATCH', path, body, expected, apply: () => model.repeat(id, repeat) }
    }
    if (given(one).size === 0) return undefined
    const edit = randomEdit(one, one.start)
    const expected = statusIf(mayMove(one, (edit.start ?? one.start) - one.start))
    return { method: 'PATCH', path, body: bodyOf(edit, one), expected, apply: () => model.change(id, edit) }
  }

  return {
    /** The series that everything begins with. */
    first(): Step {
      const allDay = dice.chance(0.2)
      const day = minutesOf(dice.of(BEGINS)) + dice.below(12) * DAY
      const start = day + (allDay ? 0 : 18 * 60)
      const first = { title: 'Choir', website: '', featured: false, length: allDay ? DAY : 120 }
      const single = { ...first, zone: 'Europe/Madrid', allDay, start }
      const repeat = randomRepeat(dice, start, allDay)
      const { rule, rdate, exdate } = repeat
      const one = { ...single, rule, rdate: new Set(rdate), exdate: new Set(exdate), isTrash: false }
      const apply = ({ id, series = 0 }: { id: number; series?: number }) => {
        model.series.set(series, one)
        model.dates.set(id, { series, id: Math.min(...given(one)), own: {}, isTrash: false })
      }
      const { zone, ...edit } = { ...first, zone: single.zone, start }
      const body = { ...bodyOf(edit, single), timezone: zone }
      const expected = hasDates(one, repeat) ? 201 : 400
      return {
        method: 'POST',
        path: '/events',
        body: { ...body, recurrence: recurrenceOf(repeat, allDay) },
        expected,
        apply,
      }
    },
    /** Another edit; undefined if there is none now. */
    next(): Step | undefined {
      if (model.singles.size > 0 && dice.chance(0.3)) return join(dice.of([...model.singles.keys()]))
      if (model.series.size === 0 || model.dates.size === 0) return undefined
      const id = dice.of([...model.dates.keys()])
      const kind = dice.below(16)
      if (kind >= 11) return changeSeries(dice.of([...model.series.keys()]), kind - 11)
      if (kind === 10) return erase(id)
      if (model.dates.get(id)!.isTrash) return restore(id)
      return [
        changeDate,
        changeDate,
        changeDate,
        changeDate,
        deleteDate,
        deleteDate,
        repeatFrom,
        repeatFrom,
        end,
        goBack,
      ][kind]!(id)
    },
  }
}
