import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { ModifiedFilters, MomentFilter } from './dates.ts'
import { FILTER_FLAGS, FILTER_NAMES, forEach } from './event-flags.ts'
import { EVENT_STATES } from './event-states.ts'

const Password = (description: string) => ({
  password: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description, examples: ['open sesame'] }),
  ),
})
/** The event password in a query: for a single event, and for a list. */
export const VisitorPassword = Password(
  'Password of a protected event. More than 60 wrong passwords a minute from one client address return 429.',
)
const ListPassword = Password(
  'Password of protected events. It is checked against at most five events of a page, not counting those it has already unlocked; read the others one by one. More than 60 wrong passwords a minute from one client address return 429.',
)

/** The values of `orderby` for lists of events. */
const ORDERS = ['start', 'end', 'modified', 'title'] as const
export type EventOrder = (typeof ORDERS)[number]

const flags = forEach(FILTER_NAMES, (name) => Type.Optional(c.Truth(FILTER_FLAGS[name])))

const AT_THE_END = 'The time is taken as 23:59:59 of its day, unless `strict_dates` is `true`.'
const IF_NO_OTHER = 'if neither `when` nor a date filter other than `start_date` and `end_date` is sent'

export const EventQuery = Type.Object({
  ...c.Paging,
  orderby: Type.Optional(
    c.read<EventOrder>('known', c.StringEnum(ORDERS), {
      description:
        'Sort key: local start, local end, last change, or title without case and accents. Events that are equal in it are sorted by ID. Other values are ignored, together with `order`. Default: `start`.',
      examples: ['title'],
    }),
  ),
  order: Type.Optional(
    c.read<'asc' | 'desc'>('known', c.StringEnum(['asc', 'desc']), {
      description:
        'Sort direction, which also applies to the IDs of equal events. Default: `asc`, but `desc` (last change first) with `orderby=modified`. Other values are ignored.',
      examples: ['desc'],
    }),
  ),
  when: Type.Optional(
    c.StringEnum(['upcoming', 'ongoing', 'past', 'all'], {
      description:
        'Only events that have not ended, including those under way (`upcoming`), that are under way (`ongoing`), or that have ended (`past`), as of the current minute. `all` returns events of any time. Replaces the default dates; date filters still apply.',
      examples: ['upcoming'],
    }),
  ),
  start_date: Type.Optional(
    MomentFilter(
      `Only events that start on this date or later. The time is taken as 00:00:00 of its day, unless \`strict_dates\` is \`true\`. Default: yesterday in the site time zone, ${IF_NO_OTHER}.`,
    ),
  ),
  end_date: Type.Optional(
    MomentFilter(
      `Only events that end on this date or earlier. ${AT_THE_END} Default: the day 24 months from now, ${IF_NO_OTHER}.`,
    ),
  ),
  starts_before: Type.Optional(MomentFilter(`Only events that start before this date. ${AT_THE_END}`)),
  starts_after: Type.Optional(
    MomentFilter(`Only events that start after this date. Overrides \`start_date\`. ${AT_THE_END}`),
  ),
  ends_before: Type.Optional(
    MomentFilter(`Only events that end before this date. Overrides \`end_date\`. ${AT_THE_END}`),
  ),
  ends_after: Type.Optional(MomentFilter(`Only events that end after this date. ${AT_THE_END}`)),
  strict_dates: c.Defaulted(
    c.Truth('`true` compares the date filters with their exact times; `false` takes them as whole days.'),
    false,
  ),
  ...ModifiedFilters(
    'events',
    'This is `modified_utc`, which a change of the venue, an organizer or a term does not set. The default dates apply; `when=all` replaces them.',
  ),
  search: Type.Optional(
    c.Search(
      'the title, excerpt or description; `"a phrase"` counts as one word, `-word` excludes events that contain it',
      'evensong -rehearsal',
    ),
  ),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1600,
      description:
        'What a person types. Each word must occur in the title, excerpt or description, or in the name of the venue, its town, an organizer, a category (or one above it) or a tag; the last word may be the beginning of one. Case and accents are ignored. A word that occurs nowhere is taken as its nearest word, with one error from five letters on and two from nine; `X-Search-Corrections` then names both. `"a phrase"` must occur as it is, `-word` excludes events that have it. At most 20 different words.',
      examples: ['jazz girona'],
    }),
  ),
  categories: Type.Optional(
    c.TermsFilter(
      'Only events in any of these categories or their descendants; in a list of one language, in their translations.',
      [1, 'concerts'],
    ),
  ),
  tags: Type.Optional(
    c.TermsFilter('Only events with any of these tags; in a list of one language, with their translations.', [
      'open-air',
    ]),
  ),
  venue: Type.Optional(
    c.Ids('Only events at any of these venues; in a list of one language, at their translations.', [1]),
  ),
  town: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Only events at venues in this town (`city`), without regard to case and accents; at their translations as well, whatever the town is called there. A town in which there is no venue matches nothing.',
      examples: ['Vic'],
    }),
  ),
  organizer: Type.Optional(
    c.Ids('Only events by any of these organizers; in a list of one language, by their translations.', [2]),
  ),
  ...flags,
  event_status: Type.Optional(
    c.WordsFilter(EVENT_STATES.event_status, 'Only events that take place as planned, or not.', [
      'cancelled',
      'postponed',
    ]),
  ),
  attendance_mode: Type.Optional(
    c.WordsFilter(EVENT_STATES.attendance_mode, 'Only events that are attended in this way.', [
      'online',
      'mixed',
    ]),
  ),
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
      examples: [41.9301],
    }),
  ),
  geoloc_lng: Type.Optional(
    Type.Number({
      format: 'double',
      minimum: -180,
      maximum: 180,
      description: 'Longitude of the centre of a search by distance, in degrees. Requires `geoloc_lat`.',
      examples: [2.2549],
    }),
  ),
  geoloc_radius: c.Defaulted(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 20_100,
      description: 'Greatest distance from `geoloc_lat` and `geoloc_lng`, in kilometres.',
      examples: [25],
    }),
    40,
  ),
  include: Type.Optional(
    c.Ids(
      'Only events with these IDs, including those hidden from listings. Date filters are ignored.',
      [3, 5],
    ),
  ),
  post_parent: Type.Optional(
    c.IdFilter(
      'Only events whose parent is the event with this ID, or that are dates of the series with this ID.',
      3,
    ),
  ),
  series: Type.Optional(c.IdFilter('Only dates of the series with this ID.', 4)),
  expand: Type.Optional(
    c.Truth(
      '`false` returns of each series only its first date among the events that the other filters select, and in `occurrences` how many dates there are. With `order=desc` by start or end it is the last one. Default: `true`, every date.',
    ),
  ),
  ...ListPassword,
})
export type EventQuery = Static<typeof EventQuery>
