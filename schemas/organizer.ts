import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { ModifiedFilters } from './dates.ts'
import * as i from './input.ts'
import * as output from './output.ts'
import { PictureInput } from './reference.ts'

export const OrganizerInput = Type.Object({
  organizer: {
    ...i.NameInput('Name of the organizer', 1000, 'could-not-create-organizer', 'Cor de Cambra'),
    [c.Unset]: true,
  },
  author: c.Nothing(i.PostInputs.author),
  date: c.Nothing(i.PostInputs.date),
  date_utc: c.Nothing(i.PostInputs.date_utc),
  status: c.Nothing(i.PostInputs.status),
  ...i.ExternalInputs,
  description: c.Nothing(i.HtmlInput('Description of the organizer', '<p>Twelve voices.</p>')),
  phone: c.Nothing(i.LineInput('Telephone number of the organizer', '+34 938 000 001')),
  website: c.Nothing(i.UrlInput('Website of the organizer', 'https://cor.example')),
  email: c.Nothing(i.LineInput('E-mail address of the organizer', 'hello@cor.example')),
  image: c.Nothing(PictureInput('organizer')),
  translation_of: Type.Optional(i.TranslationOfPostInput),
})
export type OrganizerInput = c.Input<typeof OrganizerInput> & { i18n_language?: string | null }

export const OrganizerQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(
    c.Search('one field: name, description, telephone number, website or e-mail address', 'cambra'),
  ),
  event: Type.Optional(c.IdFilter('Only organizers of the event with this ID.', 3)),
  has_events: Type.Optional(
    c.Truth('`true` returns only organizers with published events, `false` only the others.'),
  ),
  only_with_upcoming: c.Defaulted(
    c.Truth('`true` returns only organizers with events that have not started yet.'),
    false,
  ),
  status: Type.Optional(c.StatusFilter),
  ...ModifiedFilters('organizers', 'This is `modified_utc`.'),
})
export type OrganizerQuery = Static<typeof OrganizerQuery>

const Line = (description: string) => Type.Optional(Type.String({ description }))

export const Organizer = Type.Object(
  {
    ...output.PostOutputs('organizer'),
    organizer: Type.String({ description: 'Name of the organizer, as plain text.' }),
    description: Type.Optional(Type.String({ description: 'Description of the organizer, as HTML.' })),
    image: Type.Optional(Type.Ref('FeaturedImage', { description: 'Image of the organizer.' })),
    phone: Line('Telephone number of the organizer.'),
    website: Line('Website of the organizer.'),
    email: Line('E-mail address of the organizer.'),
    json_ld: output.JsonLd('organizer'),
  },
  { $id: 'Organizer', description: 'An organizer. Members without a value are absent.' },
)

export const OrganizerPage = output.Page('OrganizerPage', 'organizers', Type.Ref('Organizer'))
