import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

const Flag = (what: string) =>
  c.read<boolean>('flag', Type.String(), {
    ...c.Short,
    description: `${what} A boolean, or a string: \`true\`, \`false\`, \`1\`, \`0\`, \`yes\`, \`no\`, \`on\` or \`off\`.`,
  })

export const VenueInput = Type.Object({
  venue: c.NameInput('Name', 1000, 'could-not-create-venue'),
  ...c.PostInputs,
  description: c.Nothing(c.HtmlInput('Description')),
  show_map: c.Nothing(Flag('Whether clients should show a map. Default on create: `true`.')),
  show_map_link: c.Nothing(Flag('Whether clients should show a link to a map. Default on create: `true`.')),
  address: c.Nothing(c.LineInput('Street address')),
  city: c.Nothing(c.LineInput('City')),
  country: c.Nothing(c.LineInput('Country')),
  province: c.Nothing(c.LineInput('Province')),
  state: c.Nothing(c.LineInput('State')),
  zip: c.Nothing(c.LineInput('Postal code; a number is accepted as well', 'postcode')),
  phone: c.Nothing(c.LineInput('Telephone number')),
  stateprovince: c.Nothing(c.LineInput('State or province. Default: the value of `state` or `province`')),
  website: c.Nothing(c.UrlInput('Website')),
  image: c.Nothing(c.PictureInput),
  geo_lat: Type.Optional(Type.Number({ minimum: -90, maximum: 90, description: 'Latitude in degrees.' })),
  geo_lng: Type.Optional(Type.Number({ minimum: -180, maximum: 180, description: 'Longitude in degrees.' })),
  translation_of: Type.Optional(c.TranslationOfInput),
})
export type VenueInput = c.Input<typeof VenueInput> & { i18n_language?: string | null }

export const VenueQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search('one field: name, description, an address field, telephone number or website'),
  ),
  event: Type.Optional(Type.Integer({ minimum: 1, description: 'Only venues of the event with this ID.' })),
  has_events: Type.Optional(
    c.UntypedTruth('`true` returns only venues with published events, `false` only the others.'),
  ),
  only_with_upcoming: c.Defaulted(
    c.UntypedTruth('`true` returns only venues with events that have not started yet.'),
    false,
  ),
  status: Type.Optional(c.StatusFilter),
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
    json_ld: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'The venue in the schema.org vocabulary, as JSON-LD. Only in the response of a single read.',
        },
      ),
    ),
  },
  { $id: 'Venue', description: 'A venue. Members without a value are absent.' },
)

export const VenuePage = output.Page('VenuePage', 'venues', Type.Ref('Venue'))
