import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

const Flag = (what: string) =>
  c.read<boolean>('flag', Type.String(), {
    ...c.Short,
    description: `${what} \`true\`, \`false\`, \`1\`, \`0\`, \`yes\`, \`no\`, \`on\` or \`off\`, or a boolean.`,
  })

export const VenueInput = Type.Object({
  venue: c.NameInput('Name', 1000, 'could-not-create-venue'),
  ...c.PostInputs,
  slug: Type.Optional(c.SlugInput('Slug')),
  description: c.Nothing(c.HtmlInput('Description')),
  show_map: c.Nothing(Flag('Show a map:')),
  show_map_link: c.Nothing(Flag('Show a link to a map:')),
  address: c.Nothing(c.LineInput('Street address')),
  city: c.Nothing(c.LineInput('City')),
  country: c.Nothing(c.LineInput('Country')),
  province: c.Nothing(c.LineInput('Province')),
  state: c.Nothing(c.LineInput('State')),
  zip: c.Nothing(c.LineInput('Postal code; a number is taken as well', 'postcode')),
  phone: c.Nothing(c.LineInput('Telephone number')),
  stateprovince: c.Nothing(c.LineInput('State or province; derived from these two where it is not given')),
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
    c.Search('one field: the name, the description or one of the address fields, telephone number, website'),
  ),
  event: Type.Optional(c.Id('event whose venues to list')),
  has_events: Type.Optional(c.UntypedTruth('Only venues with published events, or only others:')),
  only_with_upcoming: c.Defaulted(c.UntypedTruth('Only venues with events that start from now on:'), false),
  status: Type.Optional(c.StatusFilter),
})
export type VenueQuery = Static<typeof VenueQuery>

const Line = () => Type.Optional(Type.String())

export const Venue = Type.Object(
  {
    ...output.PostOutputs('venue'),
    venue: Type.String({ description: 'Name, plain text.' }),
    description: Type.Optional(Type.String({ description: 'HTML.' })),
    image: Type.Optional(Type.Ref('Image')),
    address: Line(),
    city: Line(),
    country: Line(),
    province: Line(),
    state: Line(),
    zip: Line(),
    phone: Line(),
    website: Line(),
    stateprovince: Line(),
    geo_lat: Type.Optional(Type.Number({ description: 'Latitude in degrees.' })),
    geo_lng: Type.Optional(Type.Number({ description: 'Longitude in degrees.' })),
    show_map: Type.Boolean(),
    show_map_link: Type.Boolean(),
    json_ld: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'schema.org Place; single reads only.' }),
    ),
  },
  { $id: 'Venue', description: 'A venue; members without a value are left out.' },
)

export const VenuePage = output.Page('VenuePage', 'venues', Type.Ref('Venue'))
