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
})
export type VenueQuery = Static<typeof VenueQuery>

const Line = (description: string) => Type.Optional(Type.String({ description }))

export const Venue = Type.Object(
  {
    ...output.PostOutputs('venue'),
    venue: Type.String({ description: 'Name, plain text.' }),
    description: Type.Optional(Type.String({ description: 'Description, HTML.' })),
    image: Type.Optional(Type.Ref('FeaturedImage')),
    address: Line('Street address.'),
    city: Line('City.'),
    country: Line('Country.'),
    province: Line('Province.'),
    state: Line('State.'),
    zip: Line('Postal code.'),
    phone: Line('Telephone number.'),
    website: Line('Website.'),
    stateprovince: Line('State or province.'),
    geo_lat: Type.Optional(Type.Number({ description: 'Latitude in degrees.' })),
    geo_lng: Type.Optional(Type.Number({ description: 'Longitude in degrees.' })),
    show_map: Type.Boolean({ description: 'Whether to show a map.' }),
    show_map_link: Type.Boolean({ description: 'Whether to show a link to a map.' }),
    json_ld: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The Place in schema.org vocabulary. Only in the response of a single read.',
        },
      ),
    ),
  },
  { $id: 'Venue', description: 'A venue. Members without a value are absent.' },
)

export const VenuePage = output.Page('VenuePage', 'venues', Type.Ref('Venue'))
