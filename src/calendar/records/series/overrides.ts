import { isDeepStrictEqual } from 'node:util'
import type { EventRow, OccurrenceRow, Post } from '../../formats/records.ts'
import type { StoredEvent } from '../event-rows.ts'
import { IN_EVENT, IN_LINKS, IN_POST, lengthOf, MEMBERS, spanFrom, spanOf } from './members.ts'
import type { Series } from './rows.ts'

/** Whether an occurrence differs from its series in a member. */
function differs(
  series: Series,
  { post, event, refs }: StoredEvent,
  { recurrence_id }: OccurrenceRow,
  name: string,
): boolean {
  if (name === 'start_date') {
    const given = spanOf(series, recurrence_id)
    return (
      given.start_date !== event.start_date ||
      given.timezone !== event.timezone ||
      given.all_day !== event.all_day
    )
  }
  // the length counts, which a gap of the clocks may change
  if (name === 'end_date')
    return spanFrom(event.start_date, lengthOf(series.event), event).end_date !== event.end_date
  const kind = IN_LINKS[name]
  if (kind) return !isDeepStrictEqual(refs[kind], series.refs[kind])
  if (IN_EVENT.includes(name as (typeof IN_EVENT)[number]))
    return !isDeepStrictEqual(event[name as keyof EventRow], series.event[name as keyof EventRow])
  const columns: readonly (keyof Post)[] = IN_POST[name as keyof typeof IN_POST]
  return columns.some((column) => post[column] !== series.post[column])
}

/** The overrides of an occurrence after a write: those it kept, and what was sent and differs from its series. */
export function differing(
  series: Series,
  written: StoredEvent,
  { row, kept, names }: { row: OccurrenceRow; kept: string[]; names: string[] },
): string[] {
  const sent = names.some((name) => name === 'start_date' || name === 'end_date')
    ? [...names, 'start_date', 'end_date']
    : names
  return MEMBERS.filter((name) =>
    sent.includes(name) ? differs(series, written, row, name) : kept.includes(name),
  )
}
