import { type TSchema, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import type { OrganizerInput } from './organizer.ts'
import * as output from './output.ts'
import type { VenueInput } from './venue.ts'

/** A term in an event: an ID, slug or name. */
export type TermKey = number | string
/** A venue or organizer in an event: an existing one, or one to create. */
export type LinkInput<T> = { id: number } | { create: T }

const untyped = {} as TSchema
const integers = Type.Array(Type.Integer())

export const EventInput = Type.Object({
  title: c.NameInput('Title', 1000, 'empty_content'),
  start_date: c.MomentInput(
    'Start, as local time in the time zone of the event; a value with an offset is converted',
  ),
  end_date: c.MomentInput('End, as local time in the time zone of the event; must not be before the start'),
  ...c.PostInputs,
  description: Type.Optional(c.HtmlInput('Description')),
  slug: Type.Optional(c.SlugInput('Slug', 'eventSlug')),
  excerpt: Type.Optional(c.HtmlInput('Excerpt: a short description')),
  timezone: Type.Optional(
    c.read<string | null>('zone', Type.String(), {
      ...c.Short,
      description:
        'Time zone of the event: an IANA name such as `Europe/Madrid`, `UTC`, or an offset such as `UTC+5.5` or `+05:30`. Default, also for an empty string: the site time zone.',
    }),
  ),
  all_day: c.Defaulted(
    Type.Boolean({
      description:
        '`true` makes the event last whole days, from 00:00:00 to 23:59:59. An update that sends neither `all_day` nor a date keeps the stored value.',
    }),
    false,
  ),
  image: Type.Optional(c.ImageInput),
  cost: Type.Optional(
    c.read<string[] | null>('cost', untyped, {
      ...c.plainText(1000),
      maxItems: 100,
      description:
        'Cost: a number, a string such as `$10 - $20` or `Free`, or a list of these. An empty string clears it.',
    }),
  ),
  website: c.Nothing(
    c.read<string | null>('url', untyped, {
      maxLength: 2000,
      description:
        'Website of the event: an absolute http, https, ftp or mailto URL. An empty string clears it.',
    }),
  ),
  show_map: Type.Optional(c.Truth('Whether clients should show a map. Default on create: `false`.')),
  show_map_link: Type.Optional(
    c.Truth('Whether clients should show a link to a map. Default on create: `false`.'),
  ),
  hide_from_listings: Type.Optional(
    c.Truth('Whether lists leave the event out, except for `include`. Default on create: `false`.'),
  ),
  sticky: Type.Optional(
    c.Truth(
      'Whether clients should show the event first in calendar views. It does not change the order of lists. Default on create: `false`.',
    ),
  ),
  featured: Type.Optional(c.Truth('Whether the event is featured. Default on create: `false`.')),
  categories: c.Nothing(
    c.read<TermKey[] | null>('terms', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Categories: IDs, slugs or names, as a list or separated by commas, or term objects. A name that does not exist is created. An empty list removes all.',
    }),
  ),
  tags: c.Nothing(
    c.read<TermKey[] | null>('terms', integers, {
      maxItems: 100,
      [c.Sent]: c.plainText(c.TERM_NAME)[c.Sent],
      description:
        'Tags: IDs, slugs or names, as a list or separated by commas, or term objects. A name that does not exist is created. An empty list removes all.',
    }),
  ),
  venue: c.Nothing(
    c.read<LinkInput<VenueInput>[] | null>('venues', integers, {
      maxItems: 20,
      description:
        'Venues: an ID, `{"id": 4}`, an object with the fields of a new venue, or a list of these. An empty list removes all.',
    }),
  ),
  organizer: c.Nothing(
    c.read<LinkInput<OrganizerInput>[] | null>('organizers', integers, {
      maxItems: 20,
      description:
        'Organizers: an ID, `{"id": 4}`, an object with the fields of a new organizer, or a list of these. An empty list removes all.',
    }),
  ),
  ticketed: Type.Optional(c.Truth('Whether the event is ticketed. Default on create: `false`.')),
  post_parent: Type.Optional(
    Type.Integer({ minimum: 0, description: 'ID of the parent event; 0 for none.' }),
  ),
  translation_of: Type.Optional(c.TranslationOfInput),
})

/** The event password, in the bodies of creates and of updates by ID (D15). */
export const EventPassword = {
  password: Type.Optional(
    c.read<string | null>('password', Type.String(), {
      maxLength: 255,
      description:
        'Password that visitors need to read the event, without control characters. An empty string removes it.',
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

export const Event = Type.Object(
  {
    ...output.PostOutputs('event'),
    rest_url: Type.String({ format: 'uri', description: 'URL of this event in this API.' }),
    title: Type.String({ description: 'Title of the event, as plain text.' }),
    description: Type.String({ description: 'Description of the event, as HTML.' }),
    excerpt: Type.String({ description: 'Short description of the event, as HTML.' }),
    image: Type.Union([Type.Ref('FeaturedImage'), Type.Literal(false)], {
      description: 'Image of the event; `false` if there is none.',
    }),
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
    venue: Type.Union([Type.Ref('Venue'), Type.Array(Type.Ref('Venue'))], {
      description: 'Venue of the event. An empty list if there is none, a list if there are several.',
    }),
    organizer: Type.Array(Type.Ref('Organizer'), {
      description: 'Organizers of the event; an empty list if there are none.',
    }),
    custom_fields: Type.Array(Type.Unknown(), {
      description: 'Always empty; kept for existing clients.',
    }),
    ticketed: Type.Boolean({ description: 'Whether the event is ticketed.' }),
    post_parent: Type.Integer({ description: 'ID of the parent event; 0 for none.' }),
    json_ld: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The event in the schema.org vocabulary, as JSON-LD. Only in the response of a single read.',
        },
      ),
    ),
  },
  { $id: 'CalendarEvent', description: 'An event with its venue, organizers and terms.' },
)

export const EventPage = output.Page('EventPage', 'events', Type.Ref('CalendarEvent'))
