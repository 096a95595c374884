import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

export const OrganizerInput = Type.Object({
  organizer: { ...c.NameInput('Name', 1000, 'could-not-create-organizer'), [c.Unset]: true },
  author: c.Nothing(c.AuthorInput),
  date: c.Nothing(c.PostInputs.date),
  date_utc: c.Nothing(c.PostInputs.date_utc),
  status: c.Nothing(c.StatusInput),
  slug: Type.Optional(c.SlugInput('Slug')),
  description: c.Nothing(c.HtmlInput('Description')),
  phone: c.Nothing(c.LineInput('Telephone number')),
  website: c.Nothing(c.UrlInput('Website')),
  email: c.Nothing(c.LineInput('E-mail address')),
  image: c.Nothing(c.PictureInput),
  translation_of: Type.Optional(c.TranslationOfInput),
})
export type OrganizerInput = c.Input<typeof OrganizerInput> & { i18n_language?: string | null }

export const OrganizerQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search('one field: the name, the description, telephone number, website or e-mail address'),
  ),
  event: Type.Optional(c.Id('event whose organizers to list')),
  has_events: Type.Optional(c.UntypedTruth('Only organizers with published events, or only others:')),
  only_with_upcoming: c.Defaulted(
    c.UntypedTruth('Only organizers with events that start from now on:'),
    false,
  ),
  status: Type.Optional(c.StatusFilter),
})
export type OrganizerQuery = Static<typeof OrganizerQuery>

const Line = () => Type.Optional(Type.String())

export const Organizer = Type.Object(
  {
    ...output.PostOutputs('organizer'),
    organizer: Type.String({ description: 'Name, plain text.' }),
    description: Type.Optional(Type.String({ description: 'HTML.' })),
    image: Type.Optional(Type.Ref('Image')),
    phone: Line(),
    website: Line(),
    email: Line(),
    json_ld: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'schema.org Person; single reads only.' }),
    ),
  },
  { $id: 'Organizer', description: 'An organizer; members without a value are left out.' },
)

export const OrganizerPage = output.Page('OrganizerPage', 'organizers', Type.Ref('Organizer'))
