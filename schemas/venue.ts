import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { ModifiedFilters } from './dates.ts'
import * as i from './input.ts'
import * as output from './output.ts'
import { PictureInput } from './reference.ts'

const WORDS = ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off', ''] as const
const YesOrNo = c.AnyOf('YesOrNo', 'Yes or no as a boolean or a word; null for the default.', [
  Type.Boolean(),
  c.StringEnum(WORDS, { description: 'An empty string means `no`.' }),
  c.NULL,
])
/** A flag that the specification declares as text (D25); responses show it as a boolean (R11). */
const Flag = (what: string) =>
  c.read<boolean>('flag', Type.String(), {
    ...c.Short,
    [c.Declared]: YesOrNo,
    description: `${what} A boolean, or one of the words \`true\`, \`false\`, \`1\`, \`0\`, \`yes\`, \`no\`, \`on\` and \`off\`. Default on create: \`true\`.`,
    examples: [true, 'yes'],
  })
const Degrees = (what: string, most: number, example: number) =>
  Type.Number({
    minimum: -most,
    maximum: most,
    description: `${what} of the venue in degrees. A venue has both coordinates or none.`,
    examples: [example],
  })

/** A venue that is created has both coordinates or none; one that is updated may have the other already. */
const PLACE = { dependentRequired: { geo_lat: ['geo_lng'], geo_lng: ['geo_lat'] } }

export const VenueInput = Type.Object(
  {
    venue: i.NameInput('Name of the venue', 1000, 'could-not-create-venue', 'Teatre de la Lluna'),
    ...i.PostInputs,
    ...i.ExternalInputs,
    description: c.Nothing(i.HtmlInput('Description of the venue', '<p>A theatre of 1908.</p>')),
    show_map: c.Nothing(Flag('Whether clients should show a map.')),
    show_map_link: c.Nothing(Flag('Whether clients should show a link to a map.')),
    address: c.Nothing(i.LineInput('Street address of the venue', 'Carrer Major 12')),
    city: c.Nothing(i.LineInput('City of the venue', 'Vic')),
    country: c.Nothing(i.LineInput('Country of the venue', 'Spain')),
    province: c.Nothing(i.LineInput('Province of the venue, outside of the United States', 'Barcelona')),
    state: c.Nothing(i.LineInput('State of the venue, in the United States', 'Oregon')),
    zip: c.Nothing(i.PostcodeInput),
    phone: c.Nothing(i.LineInput('Telephone number of the venue', '+34 938 000 000')),
    stateprovince: c.Nothing(
      i.LineInput('State or province of the venue. Default: the value of `state` or `province`', 'Barcelona'),
    ),
    website: c.Nothing(i.UrlInput('Website of the venue', 'https://lluna.example')),
    image: c.Nothing(PictureInput('venue')),
    geo_lat: Type.Optional(Degrees('Latitude', 90, 41.9301)),
    geo_lng: Type.Optional(Degrees('Longitude', 180, 2.2549)),
    translation_of: Type.Optional(i.TranslationOfPostInput),
  },
  PLACE,
)
export type VenueInput = c.Input<typeof VenueInput> & { i18n_language?: string | null }

export const VenueQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search('one field: name, description, an address field, telephone number or website', 'lluna'),
  ),
  event: Type.Optional(c.IdFilter('Only venues of the event with this ID.', 3)),
  has_events: Type.Optional(
    c.Truth('`true` returns only venues with published events, `false` only the others.'),
  ),
  only_with_upcoming: c.Defaulted(
    c.Truth('`true` returns only venues with events that have not started yet.'),
    false,
  ),
  status: Type.Optional(c.StatusFilter),
  ...ModifiedFilters('venues', 'This is `modified_utc`.'),
})
export type VenueQuery = Static<typeof VenueQuery>

const Line = (description: string) => Type.Optional(Type.String({ description }))

export const Venue = Type.Object(
  {
    ...output.PostOutputs('venue'),
    venue: Type.String({ description: 'Name of the venue, as plain text.' }),
    description: Type.Optional(Type.String({ description: 'Description of the venue, as HTML.' })),
    image: Type.Optional(Type.Ref('FeaturedImage', { description: 'Image of the venue.' })),
    address: Line('Street and number of the venue.'),
    city: Line('City of the venue.'),
    country: Line('Country of the venue.'),
    province: Line('Province of the venue.'),
    state: Line('State of the venue.'),
    zip: Line('Postal code of the venue.'),
    phone: Line('Telephone number of the venue.'),
    website: Line('Website of the venue.'),
    stateprovince: Line('State or province of the venue, whichever it has.'),
    geo_lat: Type.Optional(Type.Number({ description: 'Latitude of the venue in degrees.' })),
    geo_lng: Type.Optional(Type.Number({ description: 'Longitude of the venue in degrees.' })),
    show_map: Type.Boolean({ description: 'Whether clients should show a map of the venue.' }),
    show_map_link: Type.Boolean({ description: 'Whether clients should show a link to a map of the venue.' }),
    json_ld: output.JsonLd('venue'),
  },
  { $id: 'Venue', description: 'A venue. Members without a value are absent.' },
)

export const VenuePage = output.Page('VenuePage', 'venues', Type.Ref('Venue'))
