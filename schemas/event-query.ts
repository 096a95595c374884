import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'

const integers = Type.Array(Type.Integer())

const Password = (description: string) => ({
  password: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description })),
})
/** The event password in a query: for a single event, and for a list. */
export const VisitorPassword = Password(
  'Password of a protected event. More than 60 wrong passwords a minute from one client address return 429.',
)
const ListPassword = Password(
  'Password of protected events. It is checked against at most five events of a page, not counting those it has already unlocked; read the others one by one. More than 60 wrong passwords a minute from one client address return 429.',
)

const AT_THE_END =
  'The time is taken as 23:59:59 of its day, unless `strict_dates` is `true`. Example: `2027-05-14`.'
const IF_NO_OTHER = 'if no date filter other than `start_date` and `end_date` is sent'

export const EventQuery = Type.Object({
  ...c.Paging,
  start_date: Type.Optional(
    c.MomentFilter(
      `Only events that start on this date or later. The time is taken as 00:00:00 of its day, unless \`strict_dates\` is \`true\`. Example: \`2027-05-14\`. Default, ${IF_NO_OTHER}: yesterday in the site time zone.`,
    ),
  ),
  end_date: Type.Optional(
    c.MomentFilter(
      `Only events that end on this date or earlier. ${AT_THE_END} Default, ${IF_NO_OTHER}: the day 24 months from now.`,
    ),
  ),
  starts_before: Type.Optional(c.MomentFilter(`Only events that start before this date. ${AT_THE_END}`)),
  starts_after: Type.Optional(
    c.MomentFilter(`Only events that start after this date. Overrides \`start_date\`. ${AT_THE_END}`),
  ),
  ends_before: Type.Optional(
    c.MomentFilter(`Only events that end before this date. Overrides \`end_date\`. ${AT_THE_END}`),
  ),
  ends_after: Type.Optional(c.MomentFilter(`Only events that end after this date. ${AT_THE_END}`)),
  strict_dates: c.Defaulted(
    c.UntypedTruth(
      '`true` compares the date filters with their exact times; `false` takes them as whole days.',
    ),
    false,
  ),
  search: Type.Optional(
    c.Search(
      'the title, excerpt or description; `"a phrase"` counts as one word, `-word` excludes events that contain it',
    ),
  ),
  categories: Type.Optional(
    c.read<string[]>('keys', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Only events in any of these categories or their descendants: at most 100 IDs, slugs or names, separated by commas.',
    }),
  ),
  tags: Type.Optional(
    c.read<string[]>('keys', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Only events with any of these tags: at most 100 IDs, slugs or names, separated by commas.',
    }),
  ),
  venue: Type.Optional(c.Ids('Only events at any of these venues.')),
  organizer: Type.Optional(c.Ids('Only events by any of these organizers.')),
  featured: Type.Optional(c.Truth('`true` returns only featured events, `false` only the others.')),
  status: Type.Optional(c.StatusFilter),
  geoloc: Type.Optional(
    c.Truth('`true` returns only events whose venue has coordinates, `false` only the others.'),
  ),
  geoloc_lat: Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -90,
      maximum: 90,
      description: 'Latitude of the centre of a search by distance, in degrees. Requires `geoloc_lng`.',
    }),
  ),
  geoloc_lng: Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -180,
      maximum: 180,
      description: 'Longitude of the centre of a search by distance, in degrees. Requires `geoloc_lat`.',
    }),
  ),
  geoloc_radius: c.Defaulted(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 20_100,
      description: 'Greatest distance from `geoloc_lat` and `geoloc_lng`, in kilometres.',
    }),
    40,
  ),
  include: Type.Optional(
    c.Ids('Only events with these IDs, including those hidden from listings. Date filters are ignored.'),
  ),
  post_parent: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only events whose parent is the event with this ID.' }),
  ),
  ticketed: Type.Optional(c.Truth('`true` returns only ticketed events, `false` only the others.')),
  ...ListPassword,
})
export type EventQuery = Static<typeof EventQuery>
