import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { FILTER_FLAGS, FILTER_NAMES, forEach } from './event-flags.ts'

const integers = Type.Array(Type.Integer())

const Password = (description: string) => ({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description })),
})
/** The password that a visitor brings, to one event or to a list. */
export const VisitorPassword = Password(
  'Password of the event. Wrong ones are limited: 60 a minute from one address.',
)
const ListPassword = Password(
  'Password of protected events. It is tried for the first five of a page that it did not open before; the others stay closed, and are read one by one. Wrong ones are limited: 60 a minute from one address.',
)

/** What lists of events are ordered by. */
const ORDERS = ['start', 'end', 'modified', 'title'] as const
export type EventOrder = (typeof ORDERS)[number]

const flags = forEach(FILTER_NAMES, (name) => Type.Optional(c.Truth(FILTER_FLAGS[name])))

const Around = 'Days count as wholes unless `strict_dates`.'

export const EventQuery = Type.Object({
  ...c.Paging,
  orderby: Type.Optional(
    c.read<EventOrder>('known', c.StringEnum(ORDERS), {
      description:
        'What the list is ordered by: local start, local end, last change, or title without case and accents; then by ID. Another word is ignored, and `order` with it. Default: start.',
    }),
  ),
  order: Type.Optional(
    c.read<'asc' | 'desc'>('known', c.StringEnum(['asc', 'desc']), {
      description:
        'Direction, of the IDs of equal events as well. Default: asc; of orderby=modified desc, the last change first.',
    }),
  ),
  when: Type.Optional(
    c.StringEnum(['upcoming', 'ongoing', 'past', 'all'], {
      description:
        'Events that have not ended (`upcoming`, with those under way), that have begun and not ended (`ongoing`), that have ended (`past`), by their instants to the minute; or of any time (`all`). It stands in place of the default window; date filters hold beside it.',
    }),
  ),
  start_date: Type.Optional(
    c.MomentFilter(
      `Events that start on this date or later. ${Around} Default: yesterday in the site time zone.`,
    ),
  ),
  end_date: Type.Optional(
    c.MomentFilter(`Events that end on this date or earlier. ${Around} Default: the day 24 months ahead.`),
  ),
  starts_before: Type.Optional(c.MomentFilter(`Events that start before this. ${Around}`)),
  starts_after: Type.Optional(
    c.MomentFilter(`Events that start after this; stands over start_date. ${Around}`),
  ),
  ends_before: Type.Optional(c.MomentFilter(`Events that end before this; stands over end_date. ${Around}`)),
  ends_after: Type.Optional(c.MomentFilter(`Events that end after this. ${Around}`)),
  strict_dates: c.Defaulted(
    c.UntypedTruth('Take the times of the date filters exactly instead of as whole days:'),
    false,
  ),
  search: Type.Optional(c.Search('title, excerpt or description; `"a phrase"` and `-excluded` work')),
  categories: Type.Optional(
    c.read<string[]>('keys', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Events in any of these categories or their descendants: IDs, slugs or names, separated by commas.',
    }),
  ),
  tags: Type.Optional(
    c.read<string[]>('keys', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description: 'Events with any of these tags: IDs, slugs or names, separated by commas.',
    }),
  ),
  venue: Type.Optional(c.Ids('Events at any of these venues.')),
  organizer: Type.Optional(c.Ids('Events by any of these organizers.')),
  ...flags,
  status: Type.Optional(c.StatusFilter),
  geoloc: Type.Optional(c.Truth('Only events whose venue has coordinates, or only others:')),
  geoloc_lat: Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -90,
      maximum: 90,
      description: 'Latitude in degrees; needs geoloc_lng.',
    }),
  ),
  geoloc_lng: Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -180,
      maximum: 180,
      description: 'Longitude in degrees; needs geoloc_lat.',
    }),
  ),
  geoloc_radius: c.Defaulted(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 20_100,
      description: 'Distance from geoloc_lat, geoloc_lng in kilometres.',
    }),
    40,
  ),
  include: Type.Optional(c.Ids('Only these events, whatever their dates, hidden ones too.')),
  post_parent: Type.Optional(c.Id('event that the listed ones belong to')),
  ...ListPassword,
})
export type EventQuery = Static<typeof EventQuery>
