import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as i from './input.ts'
import { PictureInput } from './links.ts'
import * as output from './output.ts'

export const OrganizerInput = Type.Object({
  organizer: {
    ...i.NameInput('Name of the organizer', 1000, 'could-not-create-organizer', 'Cor de Cambra'),
    [c.Unset]: true,
  },
  author: c.Nothing(i.PostInputs.author),
  date: c.Nothing(i.PostInputs.date),
  date_utc: c.Nothing(i.PostInputs.date_utc),
  status: c.Nothing(i.PostInputs.status),
  description: c.Nothing(i.HtmlInput('Description of the organizer', '<p>Twelve voices.</p>')),
  phone: c.Nothing(i.LineInput('Telephone number of the organizer', '+34 938 000 001')),
  website: c.Nothing(i.UrlInput('Website of the organizer', 'https://cor.example')),
  email: c.Nothing(i.LineInput('E-mail address of the organizer', 'hello@cor.example')),
  image: c.Nothing(PictureInput('organizer')),
  translation_of: Type.Optional(i.TranslationOfInput),
})
export type OrganizerInput = c.Input<typeof OrganizerInput> & { i18n_language?: string | null }

export const OrganizerQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search('one field: name, description, telephone number, website or e-mail address'),
  ),
  event: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Only organizers of the event with this ID.' }),
  ),
  has_events: Type.Optional(
    c.UntypedTruth('`true` returns only organizers with published events, `false` only the others.'),
  ),
  only_with_upcoming: c.Defaulted(
    c.UntypedTruth('`true` returns only organizers with events that have not started yet.'),
    false,
  ),
  status: Type.Optional(c.StatusFilter),
})
export type OrganizerQuery = Static<typeof OrganizerQuery>

const Line = (description: string) => Type.Optional(Type.String({ description }))

export const Organizer = Type.Object(
  {
    ...output.PostOutputs('organizer'),
    organizer: Type.String({ description: 'Name, plain text.' }),
    description: Type.Optional(Type.String({ description: 'Description, HTML.' })),
    image: Type.Optional(Type.Ref('FeaturedImage')),
    phone: Line('Telephone number.'),
    website: Line('Website.'),
    email: Line('E-mail address.'),
    json_ld: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'The Person in schema.org vocabulary. Only in the response of a single read.',
        },
      ),
    ),
  },
  { $id: 'Organizer', description: 'An organizer. Members without a value are absent.' },
)

export const OrganizerPage = output.Page('OrganizerPage', 'organizers', Type.Ref('Organizer'))
