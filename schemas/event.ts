import { type TSchema, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { EVENT_STATES } from './event-states.ts'
import * as i from './input.ts'
import * as links from './links.ts'
import * as output from './output.ts'
import { RecurrenceMember } from './recurrence.ts'
import { ImageInput } from './reference.ts'

export const EventInput = Type.Object({
  title: i.NameInput('Title of the event', 1000, 'empty_content', 'Evensong & talk'),
  start_date: i.MomentInput(
    'Start of the event, as local time in its time zone; a value with an offset is converted',
    '2026-12-05 19:30:00',
  ),
  end_date: i.MomentInput(
    'End of the event, as local time in its time zone; a value with an offset is converted. It must not be before the start',
    '2026-12-05 21:00:00',
  ),
  ...i.PostInputs,
  ...i.ExternalInputs,
  description: Type.Optional(
    i.HtmlInput('Description of the event', '<p>Choral music of six centuries.</p>'),
  ),
  slug: Type.Optional(
    i.SlugInput('Slug of the event, the last part of its URL', 'evensong-talk', 'eventSlug'),
  ),
  excerpt: Type.Optional(i.HtmlInput('Excerpt: a short description of the event', 'Choral music.')),
  timezone: Type.Optional(i.ZoneInput),
  all_day: c.Defaulted(
    i.Switch(
      '`true` makes the event last whole days, from 00:00:00 to 23:59:59. An update with `start_date` or `end_date` and without `all_day` makes a timed event; an update with neither date keeps the stored value.',
    ),
    false,
  ),
  image: Type.Optional(ImageInput),
  cost: Type.Optional(links.CostInput),
  website: c.Nothing(i.UrlInput('Website of the event', 'https://cor.example/evensong', {} as TSchema)),
  show_map: Type.Optional(i.Switch('Whether clients should show a map. Default on create: `false`.')),
  show_map_link: Type.Optional(
    i.Switch('Whether clients should show a link to a map. Default on create: `false`.'),
  ),
  hide_from_listings: Type.Optional(
    i.Switch('Whether lists leave the event out, except for `include`. Default on create: `false`.'),
  ),
  sticky: Type.Optional(
    i.Switch(
      'Whether clients should show the event first in calendar views. It does not change the order of lists. Default on create: `false`.',
    ),
  ),
  featured: Type.Optional(i.Switch('Whether the event is featured. Default on create: `false`.')),
  categories: c.Nothing(
    links.TermsInput(
      'Categories of the event: IDs, slugs or names, as a list or separated by commas, or term objects. A name that does not exist is created. An empty list removes all.',
      [['Concerts'], 'Concerts,Music', [1, 2]],
    ),
  ),
  tags: c.Nothing(
    links.TermsInput(
      'Tags of the event: IDs, slugs or names, as a list or separated by commas, or term objects. A name that does not exist is created. An empty list removes all.',
      [['Open air'], 'open-air', [3]],
    ),
  ),
  venue: c.Nothing(links.VenuesInput),
  organizer: c.Nothing(links.OrganizersInput),
  ticketed: Type.Optional(i.Switch('Whether the event is ticketed. Default on create: `false`.')),
  event_status: Type.Optional(
    i.WordInput(
      'EventStatusOrNull',
      EVENT_STATES.event_status,
      'Whether the event takes place as planned (`scheduled`), or not (`cancelled`). A `postponed` event has no new date yet, the dates of a `rescheduled` one are new, and one that is `moved_online` does not take place at its venue. It changes no other member. Default on create: `scheduled`.',
    ),
  ),
  attendance_mode: Type.Optional(
    i.WordInput(
      'AttendanceModeOrNull',
      EVENT_STATES.attendance_mode,
      'Whether the event is attended at a place (`offline`), over the internet (`online`), or either way (`mixed`). Neither a venue nor `virtual_url` is required. Default on create: `offline`.',
    ),
  ),
  virtual_url: Type.Optional(
    i.WebUrlInput('URL where the event is attended online', 'https://stream.example/evensong'),
  ),
  event_status_reason: Type.Optional(
    i.LineInput(
      'Why the event does not take place as planned, or what those who planned to come should know. Pages show it while `event_status` is not `scheduled`',
      'The conductor is ill. Tickets stay valid.',
    ),
  ),
  post_parent: Type.Optional(i.Whole('ID of the parent event; 0 for none.', 12, 0)),
  translation_of: Type.Optional(i.TranslationOfPostInput),
  recurrence: Type.Optional(
    RecurrenceMember(
      'How the event repeats: a rule, dates, or both. It becomes the first date of a series, whose ID is in `series`. In an update of a date of a series it is sent with `apply_to`; `null` ends the repetition.',
    ),
  ),
  overrides: Type.Optional(
    c.read<string[]>('names', Type.Array(Type.String()), {
      maxItems: 100,
      description:
        'Of a date of a series, in an update: the members in which it is to go on being different. In the others it goes back to what the series says; an empty list stands for all.',
      examples: [['title']],
    }),
  ),
})

/** The event password, in the bodies of creates and updates (D15, R10). */
export const EventPassword = {
  password: Type.Optional(
    c.read<string | null>('password', Type.String(), {
      maxLength: 255,
      pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
      description:
        'Password that visitors need to read the event, without control characters. An empty string removes it.',
      examples: ['open sesame'],
    }),
  ),
}

export type EventInput = c.Input<typeof EventInput> & {
  password?: string | null
  i18n_language?: string | null
}

export const EmbeddedTerm = Type.Object(
  {
    name: Type.String({ description: 'Name of the term, as plain text.' }),
    slug: Type.String({ description: 'Slug of the term: the last part of its URL.' }),
    term_group: Type.Integer({ description: 'Always 0; kept for WordPress clients.' }),
    term_taxonomy_id: Type.Integer({ description: 'The same number as `id`; kept for WordPress clients.' }),
    taxonomy: output.Taxonomy,
    description: Type.String({ description: 'Description of the term, as HTML.' }),
    parent: Type.Integer({
      description: 'ID of the parent category; 0 for the top level and for tags.',
    }),
    count: Type.Integer({ description: 'Number of published events with the term.' }),
    filter: Type.String({ description: 'Always `raw`; kept for WordPress clients.' }),
    id: Type.Integer({ description: 'ID of the term.' }),
    urls: Type.Ref('TermUrls', { description: 'URLs of the term in this API.' }),
  },
  { $id: 'EmbeddedTerm', description: 'A category or tag inside an event.' },
)

export const CostDetails = Type.Object(
  {
    currency_symbol: Type.String({
      description: 'Symbol of the currency; empty if the cost was sent without one.',
      examples: ['€'],
    }),
    currency_code: Type.String({
      description: 'ISO 4217 code of the currency; empty if the cost was sent without one.',
      examples: ['EUR'],
    }),
    currency_position: c.StringEnum(['', 'prefix', 'postfix'], {
      description: 'Position of the symbol before (`prefix`) or after (`postfix`) the amount.',
    }),
    values: Type.Array(Type.String(), {
      description: 'Amounts of the cost as strings, in ascending order.',
      examples: [['15', '25']],
    }),
  },
  { $id: 'CostDetails', description: 'The amounts and the currency of a cost.' },
)

export const ImageOrFalse = c.AnyOf('ImageOrFalse', 'An image, or `false` if there is none.', [
  Type.Ref('FeaturedImage'),
  c.FALSE,
])
export const VenueOrVenues = c.AnyOf(
  'VenueOrVenues',
  'A venue, an empty list if there is none, or a list if there are several.',
  [Type.Ref('Venue'), Type.Array(Type.Ref('Venue'))],
)

export const Event = Type.Object(
  {
    ...output.PostOutputs('event'),
    rest_url: Type.String({ format: 'uri', description: 'URL of this event in this API.' }),
    title: Type.String({ description: 'Title of the event, as plain text.' }),
    description: Type.String({ description: 'Description of the event, as HTML.' }),
    excerpt: Type.String({ description: 'Short description of the event, as HTML.' }),
    image: Type.Ref('ImageOrFalse', { description: 'Image of the event; `false` if there is none.' }),
    all_day: Type.Boolean({ description: 'Whether the event lasts whole days, from 00:00:00 to 23:59:59.' }),
    start_date: output.DateText('Start of the event, as local time in its time zone'),
    start_date_details: Type.Ref('DateDetails', { description: 'Parts of `start_date`.' }),
    end_date: output.DateText('End of the event, as local time in its time zone'),
    end_date_details: Type.Ref('DateDetails', { description: 'Parts of `end_date`.' }),
    utc_start_date: output.DateText('Start of the event in UTC'),
    utc_start_date_details: Type.Ref('DateDetails', { description: 'Parts of `utc_start_date`.' }),
    utc_end_date: output.DateText('End of the event in UTC'),
    utc_end_date_details: Type.Ref('DateDetails', { description: 'Parts of `utc_end_date`.' }),
    timezone: Type.String({
      description: 'Time zone of the event: an IANA name, or an offset from UTC.',
      examples: ['Europe/Madrid'],
    }),
    timezone_abbr: Type.String({
      description: 'Abbreviation of the time zone at the start of the event.',
      examples: ['CEST'],
    }),
    cost: Type.String({ description: 'Cost of the event, formatted for display.', examples: ['$10 – $20'] }),
    cost_details: Type.Ref('CostDetails', { description: 'Amounts and currency of `cost`.' }),
    website: Type.String({ description: 'Website of the event; an empty string if there is none.' }),
    show_map: Type.Boolean({ description: 'Whether clients should show a map.' }),
    show_map_link: Type.Boolean({ description: 'Whether clients should show a link to a map.' }),
    hide_from_listings: Type.Boolean({
      description: 'Whether lists leave the event out, except for `include`.',
    }),
    sticky: Type.Boolean({ description: 'Whether clients should show the event first in calendar views.' }),
    featured: Type.Boolean({ description: 'Whether the event is featured.' }),
    categories: Type.Array(Type.Ref('EmbeddedTerm'), { description: 'Categories of the event.' }),
    tags: Type.Array(Type.Ref('EmbeddedTerm'), { description: 'Tags of the event.' }),
    venue: Type.Ref('VenueOrVenues', {
      description: 'Venue of the event. An empty list if there is none, a list if there are several.',
    }),
    organizer: Type.Array(Type.Ref('Organizer'), {
      description: 'Organizers of the event; an empty list if there are none.',
    }),
    custom_fields: Type.Array(Type.Unknown(), {
      description: 'Always empty; kept for existing clients.',
    }),
    ticketed: Type.Boolean({ description: 'Whether the event is ticketed.' }),
    event_status: c.StringEnum(EVENT_STATES.event_status, {
      description:
        'Whether the event takes place as planned (`scheduled`), or not (`cancelled`). A `postponed` event has no new date yet, the dates of a `rescheduled` one are new, and one that is `moved_online` does not take place at its venue.',
    }),
    attendance_mode: c.StringEnum(EVENT_STATES.attendance_mode, {
      description:
        'Whether the event is attended at a place (`offline`), over the internet (`online`), or either way (`mixed`).',
    }),
    virtual_url: Type.String({
      description: 'URL where the event is attended online; an empty string if there is none.',
    }),
    event_status_reason: Type.String({
      description:
        'Why the event does not take place as planned, as plain text; an empty string if that is not told.',
      examples: ['The conductor is ill. Tickets stay valid.'],
    }),
    previous_start_date: Type.String({
      description:
        'The start that a `rescheduled` event had before it was moved, as local time in its time zone: `YYYY-MM-DD hh:mm:ss`. If it is moved again, the first one stays. An empty string if there is none, or as soon as `event_status` is another one.',
      examples: ['2026-12-04 20:00:00'],
    }),
    post_parent: Type.Integer({
      description: 'ID of the parent event, or of the series that the event is a date of; 0 for none.',
    }),
    series: Type.Optional(
      Type.Integer({ description: 'ID of the series that the event is a date of; absent of single events.' }),
    ),
    recurrence_id: Type.Optional(
      Type.String({
        description:
          'The date that the rule of its series gave it, in local time, of all-day events a day; absent of single events. It stays the same if the event is moved.',
        examples: ['2026-12-08 19:30:00'],
      }),
    ),
    overrides: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The members in which it differs from its series; absent of single events.',
        examples: [['title', 'start_date']],
      }),
    ),
    occurrences: Type.Optional(
      Type.Integer({
        description:
          'In lists with `expand=false`: how many dates of its series the list has, of which this event is the one that is shown; absent of single events, and without `expand=false`.',
        examples: [12],
      }),
    ),
    protected: Type.Optional(
      Type.Boolean({
        description: '`true` if visitors need a password to read the event; absent if they need none.',
      }),
    ),
    json_ld: output.JsonLd('event'),
  },
  { $id: 'CalendarEvent', description: 'An event with its venue, organizers and terms.' },
)

export const EventPage = output.Page('EventPage', 'events', Type.Ref('CalendarEvent'))
