import { recurrenceOf, split } from '../../src/calendar/recurrence/recurrence.ts'
import type { Pattern } from '../../src/calendar/recurrence/rule.ts'
import { type EventForm, type EventRecord, patternOf } from './event.ts'
import { fitted, movedRule, type Repetition } from './repeat.ts'
import { daysBetween, moveWall } from './wall.ts'

/** Which dates of a series a change is for. */
export type Range = 'this' | 'following' | 'all'

/** A date of a series, as far as it says whether a change is for it. */
export type DateRow = { id: number; recurrence_id: string; overrides: string[] }

/**
 * To how many of the dates of a series a change of one of them comes: itself, and others unless they differ in all members that change. What
 * follows are the later dates of the rule, whenever they take place.
 */
export function countFollowing(
  dates: DateRow[],
  { id, recurrence_id }: EventRecord,
  members: string[],
): Record<Range, number> {
  const differs = ({ overrides }: DateRow) =>
    members.length > 0 && members.every((name) => overrides.includes(name))
  const all = dates.filter((date) => date.id === id || !differs(date))
  const following = all.filter((date) => date.recurrence_id >= recurrence_id!)
  return { this: 1, following: following.length, all: all.length }
}

/**
 * What the rule of a form counts from: the event itself, or the first date of its series, at the time of day and in the zone that the
 * form gives these dates.
 */
export function seriesPattern(form: EventForm, base: EventForm, record: EventRecord | undefined): Pattern {
  const own = patternOf(form)
  if (!record?.of) return own
  const { start_date, all_day, timezone } = record.of
  const isMoved = own.start.slice(10) !== patternOf(base).start.slice(10) || own.allDay !== base.all_day
  const day = start_date.slice(0, 10)
  return {
    start: isMoved ? day + own.start.slice(10) : start_date,
    zone: form.timezone === base.timezone ? timezone : form.timezone,
    allDay: isMoved ? own.allDay : all_day,
  }
}

/**
 * The repetition that is sent with a change of several dates of a series: the one of the form if it has changed; if the day has moved to
 * another weekday, or another day of the month, the rule moves with it; otherwise none.
 */
export function sentRepetition(
  form: EventForm,
  base: EventForm,
  { of, recurrence_id }: EventRecord,
  range: 'following' | 'all',
): Repetition | undefined {
  const { start_date: start, timezone: zone, all_day: allDay, recurrence: was } = of!
  const now = form.recurrence!
  if (JSON.stringify(now) !== JSON.stringify(base.recurrence))
    return fitted(now, seriesPattern(form, base, { of, recurrence_id } as EventRecord))
  const rest = range === 'all' ? was : split(recurrenceOf(was, { start, zone, allDay }), recurrence_id!).from!
  const rrule = movedRule(rest.rrule, base.start_day, form.start_day)
  if (rrule === rest.rrule) return undefined
  const days = daysBetween(base.start_day, form.start_day)
  const move = (date: string) => moveWall(date, days)
  return fitted(
    { rrule, rdate: rest.rdate.map(move), exdate: rest.exdate.map(move) },
    seriesPattern(form, base, { of, recurrence_id } as EventRecord),
  )
}
