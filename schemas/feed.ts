import { type Static, type TObject, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { MomentFilter } from './dates.ts'
import { EventQuery } from './event-query.ts'

const { page, per_page, password: _, ...filters } = EventQuery.properties

/** A list of events in a format has the parameters of `GET /events`; it has pages only if they are asked for. */
export const FeedQuery = Type.Object({
  page: Type.Optional(
    Type.Integer({
      ...c.ID_LIMITS,
      description:
        'Number of the page, starting at 1. Default: no pages, all events, unless `per_page` is sent.',
      examples: [1],
    }),
  ),
  per_page: Type.Optional(
    Type.Integer({
      ...c.ID_LIMITS,
      description:
        'Number of events per page, of which there is no maximum. Default: no pages, all events, unless `page` is sent; then 12.',
      examples: [20],
    }),
  ),
  ...filters,
})
export type FeedQuery = Omit<EventQuery, 'page' | 'per_page' | 'password'> & {
  page?: number
  per_page?: number
}

/** The parameters for the events of one record, which `filter` selects. */
export function feedQueryOf(filter: 'categories' | 'tags' | 'venue' | 'organizer' | 'series'): TObject {
  const { [filter]: _, ...others } = FeedQuery.properties
  return Type.Object(others)
}

const Text = (description: string) => Type.String({ description })
const Url = (description: string) => Type.String({ format: 'uri', description })

/** The members of JSON Feed that this service writes. */
export const JsonFeed = Type.Object(
  {
    version: Text('Version of the format.'),
    title: Text('Title of the feed.'),
    home_page_url: Url('URL of what this is a feed of.'),
    feed_url: Url('URL of the feed.'),
    description: Text('Description of the feed.'),
    next_url: Type.Optional(Url('URL of the next page, if this is a page.')),
    language: Text('Language of the feed.'),
    items: Type.Array(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'An event, with its dates and place in `_event`.',
        },
      ),
      { description: 'The events.' },
    ),
  },
  { $id: 'JsonFeed', description: 'Events in the format JSON Feed 1.1.' },
)
export const LinkedData = Type.Object(
  {},
  {
    $id: 'LinkedData',
    additionalProperties: true,
    description: 'An event of schema.org as JSON-LD, or a list of them in `@graph`.',
  },
)

/** FullCalendar's own parameters, and all filters of events. */
export const FullCalendarQuery = Type.Object({
  start: Type.Optional(MomentFilter('Only events that end after this time.')),
  end: Type.Optional(MomentFilter('Only events that start before this time.')),
  timeZone: Type.Optional(
    c.read<string | null>('zone', Type.String(), {
      ...c.Short,
      description:
        'IANA time zone in which times are returned. Default: the time zone of each event, with its offset.',
      examples: ['Europe/Madrid'],
    }),
  ),
  ...filters,
})
export type FullCalendarQuery = Static<typeof FullCalendarQuery>

const FullCalendarEvent = Type.Object(
  {
    id: Text('ID of the event, as a string.'),
    title: Text('Title of the event, after a word such as `Cancelled` if it does not take place as planned.'),
    start: Text('Start of the event in ISO 8601. That of an event that lasts all day is a date.'),
    end: Text(
      'End of the event in ISO 8601. That of an event that lasts all day is the date after its last day.',
    ),
    allDay: Type.Boolean({ description: 'Whether the event lasts all day.' }),
    url: Url('Website of the event, or its permanent URL.'),
    classNames: Type.Optional(
      Type.Array(Type.String(), { description: 'Contains `cancelled` if the event is cancelled.' }),
    ),
    extendedProps: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Status, location, organizer, categories and other members, as far as the event has them.',
      },
    ),
  },
  { description: 'An event as FullCalendar reads it.' },
)
export const FullCalendarEvents = Type.Array(FullCalendarEvent, {
  $id: 'FullCalendarEvents',
  description: 'Events as FullCalendar reads them.',
})
