import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'

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

const Around = 'Days count as wholes unless `strict_dates`.'

export const EventQuery = Type.Object({
  ...c.Paging,
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
  featured: Type.Optional(c.Truth('Only featured events, or only others:')),
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
  ticketed: Type.Optional(c.Truth('Only events with tickets, or only others:')),
  ...ListPassword,
})
export type EventQuery = Static<typeof EventQuery>
