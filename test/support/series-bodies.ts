import type { Edit, Member, Repeat, Single } from './series-model.ts'
import { DAY, type Minutes, printedId, written } from './series-rules.ts'

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
