import { type TSchema, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import type { OrganizerInput } from './organizer.ts'
import * as output from './output.ts'
import type { VenueInput } from './venue.ts'

/** A term as named inside an event: an ID, or a slug or name. */
export type TermKey = number | string
/** A venue or organizer as given inside an event: an existing one, or one to create. */
export type LinkInput<T> = { id: number } | { create: T }

const untyped = {} as TSchema
const integers = Type.Array(Type.Integer())

export const EventInput = Type.Object({
  title: c.NameInput('Title', 1000, 'empty_content'),
  start_date: c.MomentInput(
    'Start, a wall clock of the event time zone; a value with an offset is converted to it',
  ),
  end_date: c.MomentInput('End, likewise; not before the start'),
  ...c.PostInputs,
  description: Type.Optional(c.HtmlInput('Description')),
  slug: Type.Optional(c.SlugInput('Slug', 'eventSlug')),
  excerpt: Type.Optional(c.HtmlInput('Short description')),
  timezone: Type.Optional(
    c.read<string | null>('zone', Type.String(), {
      ...c.Short,
      description:
        'Time zone of the event: an IANA name such as `Europe/Madrid`, `UTC`, or an offset such as `UTC+5.5` or `+05:30`. Empty: the site time zone.',
    }),
  ),
  all_day: c.Defaulted(
    Type.Boolean({
      description:
        'Whole days: from 00:00:00 to 23:59:59. On update the default applies where dates are sent.',
    }),
    false,
  ),
  image: Type.Optional(c.ImageInput),
  cost: Type.Optional(
    c.read<string[] | null>('cost', untyped, {
      ...c.plainText(1000),
      maxItems: 100,
      description: 'A number, a text such as `$10 - $20` or `Free`, or a list of these.',
    }),
  ),
  website: c.Nothing(
    c.read<string | null>('url', untyped, {
      maxLength: 2000,
      description:
        'Website of the event: an absolute http, https, ftp or mailto URL; an empty text clears it.',
    }),
  ),
  show_map: Type.Optional(c.Truth('Show a map:')),
  show_map_link: Type.Optional(c.Truth('Show a link to a map:')),
  hide_from_listings: Type.Optional(c.Truth('Leave out of lists:')),
  sticky: Type.Optional(c.Truth('Keep on top in calendar views:')),
  featured: Type.Optional(c.Truth('Featured:')),
  categories: c.Nothing(
    c.read<TermKey[] | null>('terms', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Categories: IDs, slugs or names, mixed, as a list or separated by commas, or terms as answers show them. New names are created.',
    }),
  ),
  tags: c.Nothing(
    c.read<TermKey[] | null>('terms', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Tags: IDs, slugs or names, mixed, as a list or separated by commas, or terms as answers show them. New names are created.',
    }),
  ),
  venue: c.Nothing(
    c.read<LinkInput<VenueInput>[] | null>('venues', integers, {
      maxItems: 20,
      description:
        'Venues: an ID, `{"id": 4}`, an object of venue fields to create one, or a list of these. Empty: none.',
    }),
  ),
  organizer: c.Nothing(
    c.read<LinkInput<OrganizerInput>[] | null>('organizers', integers, {
      maxItems: 20,
      description:
        'Organizers: an ID, `{"id": 4}`, an object of organizer fields to create one, or a list of these. Empty: none.',
    }),
  ),
  ticketed: Type.Optional(c.Truth('Has tickets:')),
  post_parent: Type.Optional(
    Type.Integer({ minimum: 0, description: 'ID of the event that this one belongs to; 0 for none.' }),
  ),
  translation_of: Type.Optional(c.TranslationOfInput),
})

/** The event's password, in the bodies of creates and of updates by ID (D15). */
export const EventPassword = {
  password: Type.Optional(
    c.read<string | null>('password', Type.String(), {
      maxLength: 255,
      description:
        'Password that visitors need to read the event; an empty text takes it away. No control characters.',
    }),
  ),
}

export type EventInput = c.Input<typeof EventInput> & {
  password?: string | null
  i18n_language?: string | null
}

export const EmbeddedTerm = Type.Object(
  {
    name: Type.String(),
    slug: Type.String(),
    term_group: Type.Integer(),
    term_taxonomy_id: Type.Integer(),
    taxonomy: Type.String({ examples: ['calendar_events_cat', 'post_tag'] }),
    description: Type.String(),
    parent: Type.Integer({ description: 'ID of the parent category, 0 at the top.' }),
    count: Type.Integer({ description: 'Published events.' }),
    filter: Type.String(),
    id: Type.Integer(),
    urls: Type.Ref('TermUrls'),
  },
  { $id: 'EmbeddedTerm', description: 'A category or tag inside an event.' },
)

export const CostDetails = Type.Object(
  {
    currency_symbol: Type.String({ examples: ['€'] }),
    currency_code: Type.String(),
    currency_position: c.StringEnum(['', 'prefix', 'postfix']),
    values: Type.Array(Type.String(), {
      description: 'Amounts in ascending order, as texts.',
      examples: [['15', '25']],
    }),
  },
  { $id: 'CostDetails' },
)

export const Event = Type.Object(
  {
    ...output.PostOutputs('event'),
    rest_url: Type.String({ format: 'uri', description: 'This record in this API.' }),
    title: Type.String({ description: 'Plain text.' }),
    description: Type.String({ description: 'HTML.' }),
    excerpt: Type.String({ description: 'HTML.' }),
    image: Type.Union([Type.Ref('Image'), Type.Literal(false)], {
      description: 'The featured image, false if there is none.',
    }),
    all_day: Type.Boolean(),
    start_date: output.DateText('Start, wall clock of the event time zone'),
    start_date_details: Type.Ref('DateDetails'),
    end_date: output.DateText('End, wall clock of the event time zone'),
    end_date_details: Type.Ref('DateDetails'),
    utc_start_date: output.DateText('Start in UTC'),
    utc_start_date_details: Type.Ref('DateDetails'),
    utc_end_date: output.DateText('End in UTC'),
    utc_end_date_details: Type.Ref('DateDetails'),
    timezone: Type.String({ examples: ['Europe/Madrid'] }),
    timezone_abbr: Type.String({ description: 'Abbreviation in use at the start.', examples: ['CEST'] }),
    cost: Type.String({ description: 'For display.', examples: ['$10 – $20'] }),
    cost_details: Type.Ref('CostDetails'),
    website: Type.String(),
    show_map: Type.Boolean(),
    show_map_link: Type.Boolean(),
    hide_from_listings: Type.Boolean(),
    sticky: Type.Boolean(),
    featured: Type.Boolean(),
    categories: Type.Array(Type.Ref('EmbeddedTerm')),
    tags: Type.Array(Type.Ref('EmbeddedTerm')),
    venue: Type.Union([Type.Ref('Venue'), Type.Array(Type.Ref('Venue'))], {
      description: 'The venue; an empty list without one, a list where there are several.',
    }),
    organizer: Type.Array(Type.Ref('Organizer')),
    custom_fields: Type.Array(Type.Unknown()),
    ticketed: Type.Boolean(),
    post_parent: Type.Integer({ description: 'ID of the event that this one belongs to, 0 for none.' }),
    json_ld: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'schema.org Event; single reads only.' }),
    ),
  },
  { $id: 'Event' },
)

export const EventPage = output.Page('EventPage', 'events', Type.Ref('Event'))
