import { isDeepStrictEqual } from 'node:util'
import type { EventInput } from '../../../../schemas/event.ts'
import { endOfDay, normalize, startOfDay, type Wall } from '../../../kernel/time/dates.ts'
import type { EventRow, OccurrenceRow, Post } from '../../formats/records.ts'
import { idOf, secondsOf } from '../../recurrence/expansion.ts'
import { occurrenceOf } from '../../recurrence/recurrence.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { type Span, timesOf } from '../../span.ts'
import type { StoredEvent } from '../events.ts'
import type { LinkKind } from '../rows.ts'
import type { Series } from './rows.ts'

/** The columns of `posts` that a member of an event is stored in. */
export const IN_POST = {
  title: ['title'],
  description: ['description'],
  excerpt: ['excerpt'],
  author: ['author_id'],
  date: ['date', 'date_utc'],
  status: ['status'],
  image: ['image_id'],
  password: ['password_hash'],
} as const satisfies Record<string, (keyof Post)[]>

/** The members of an event that are columns of `events`, but for its dates. */
export const IN_EVENT = Object.keys({
  cost: true,
  website: true,
  show_map: true,
  show_map_link: true,
  hide_from_listings: true,
  sticky: true,
  featured: true,
  ticketed: true,
  event_status: true,
  attendance_mode: true,
  virtual_url: true,
  event_status_reason: true,
} satisfies Record<Undated, true>) as Undated[]
type Undated = Exclude<keyof EventInput & keyof EventRow, keyof Span>

/** The kinds of links by the members that they are. */
export const IN_LINKS: Record<string, LinkKind> = {
  categories: 'category',
  tags: 'tag',
  venue: 'venue',
  organizer: 'organizer',
}

/** The members in which an occurrence may differ from its series, in the order of answers. */
const MEMBERS = [
  ...Object.keys(IN_POST),
  ...['start_date', 'end_date'],
  ...IN_EVENT,
  ...Object.keys(IN_LINKS),
]

/** The member as which each one that can be sent is told of. */
export const namedAs = (name: string) =>
  ({ all_day: 'start_date', timezone: 'start_date', date_utc: 'date', password_hash: 'password' })[name] ??
  name

/** How long an event lasts on its wall clock, in seconds. */
export const lengthOf = ({ start_date, end_date }: Pick<Span, 'start_date' | 'end_date'>): number =>
  secondsOf(end_date) - secondsOf(start_date)

/** The span from a local time on. */
export function spanFrom(
  start: Wall,
  length: number,
  { timezone, all_day }: Pick<Span, 'timezone' | 'all_day'>,
): Span {
  const start_date = normalize(all_day ? startOfDay(start) : start, timezone)
  const last = idOf(secondsOf(all_day ? startOfDay(start) : start_date) + length, false)
  const end_date = all_day ? endOfDay(last) : last
  return { ...timesOf({ start_date, end_date, timezone }), timezone, all_day }
}

/**
 * When an occurrence takes place: at the date of the rule, for as long as its series, unless it overrides one of these. A length of its
 * own goes with it.
 */
export function spanOf(
  { event }: Pick<Series, 'event'>,
  id: RecurrenceId,
  own?: EventRow,
  overrides: string[] = [],
): Span {
  const length = own && overrides.includes('end_date') ? lengthOf(own) : lengthOf(event)
  if (own && overrides.includes('start_date')) return spanFrom(own.start_date, length, own)
  const { start } = occurrenceOf({ zone: event.timezone, allDay: event.all_day } as never, id)
  return spanFrom(start, length, event)
}

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
