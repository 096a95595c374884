import { type Static, Type } from '@sinclair/typebox'

export const SuggestQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 200,
    description:
      'What was typed so far. All words must occur in a name or title, the last one by its beginning; case and accents are ignored. At most 20 different words.',
    examples: ['t'],
  }),
})
export type SuggestQuery = Static<typeof SuggestQuery>

const Id = (of: string) => Type.Integer({ description: `ID of the ${of}.` })
const Text = (description: string) => Type.String({ description })
const place = (of: string) => ({
  slug: Text(`Slug of the ${of}: the last part of its URL.`),
  language: Text(`Language of the ${of}.`),
  url: Type.String({ format: 'uri', description: `Permanent URL of the ${of}.` }),
  rest_url: Type.String({ format: 'uri', description: `URL of the ${of} in this API.` }),
})

const Venue = Type.Object({
  id: Id('venue'),
  venue: Text('Name of the venue.'),
  city: Type.Optional(Text('Town of the venue. Absent if it has none.')),
  ...place('venue'),
})
const Organizer = Type.Object({
  id: Id('organizer'),
  organizer: Text('Name of the organizer.'),
  ...place('organizer'),
})
const Category = Type.Object({
  id: Id('category'),
  name: Text('Name of the category.'),
  ...place('category'),
})
const Event = Type.Object({
  id: Id('event'),
  title: Text('Title of the event.'),
  start_date: Text('Start of the event, in its own time zone: `YYYY-MM-DD HH:MM:SS`.'),
  all_day: Type.Boolean({ description: 'Whether the event lasts all day.' }),
  ...place('event'),
})

export const Suggestions = Type.Object(
  {
    words: Type.Array(Type.String(), {
      description:
        'Words that begin with the last word of `q`, without case and accents, the most frequent first.',
    }),
    venues: Type.Array(Venue, { description: 'Venues with this name or in this town.' }),
    organizers: Type.Array(Organizer, { description: 'Organizers with this name.' }),
    categories: Type.Array(Category, { description: 'Categories with this name that have events.' }),
    events: Type.Array(Event, {
      description:
        'Events with this title that are not over, the next first; of a series only the next date.',
    }),
  },
  {
    $id: 'Suggestions',
    description: 'What may be meant by what was typed: at most five of each kind, as everybody sees them.',
  },
)
export type Suggestions = Static<typeof Suggestions>
