import { type TSchema, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { EVENT_STATES } from './event-states.ts'
import * as output from './output.ts'

const text = (description: string) => Type.Optional(Type.String({ description }))
const flag = (description: string) => Type.Optional(Type.Boolean({ description }))
const id = (description: string) => Type.Optional(Type.Integer({ description }))
const ids = (description: string) => Type.Optional(Type.Array(Type.Integer(), { description }))
const word = (words: readonly string[], description: string) =>
  Type.Optional(c.StringEnum(words, { description }) as TSchema)

/** Some members of an event or a series as they are stored: records that it refers to are IDs. */
export const EventVersion = Type.Object(
  {
    title: text('Title.'),
    description: text('Description, as HTML.'),
    excerpt: text('Short description, as HTML.'),
    status: word(c.STATUSES, 'Status.'),
    slug: text('Slug.'),
    author: id('ID of the user who owns it.'),
    date: Type.Optional(output.DateText('Publication date, in the site time zone')),
    image: id('ID of its image; 0 for none.'),
    password: flag('Whether visitors need a password. The password itself is not kept.'),
    post_parent: id('ID of the parent event, or of the series that it is a date of; 0 for none.'),
    i18n_language: text('Language.'),
    start_date: Type.Optional(output.DateText('Start, as local time in its time zone')),
    end_date: Type.Optional(output.DateText('End, as local time in its time zone')),
    timezone: text('Time zone.'),
    all_day: flag('Whether it lasts whole days.'),
    cost: Type.Optional(Type.Array(Type.String(), { description: 'Cost, as it was sent.' })),
    website: text('Website.'),
    show_map: flag('Whether clients should show a map.'),
    show_map_link: flag('Whether clients should show a link to a map.'),
    hide_from_listings: flag('Whether lists leave it out.'),
    sticky: flag('Whether clients should show it first in calendar views.'),
    featured: flag('Whether it is featured.'),
    ticketed: flag('Whether it is ticketed.'),
    event_status: word(EVENT_STATES.event_status, 'Whether it takes place as planned.'),
    attendance_mode: word(
      EVENT_STATES.attendance_mode,
      'How it is attended: at a place, over the internet, or either way.',
    ),
    virtual_url: text('URL at which it is attended online.'),
    event_status_reason: text('Why it does not take place as planned.'),
    categories: ids('IDs of its categories.'),
    tags: ids('IDs of its tags.'),
    venue: ids('IDs of its venues.'),
    organizer: ids('IDs of its organizers.'),
    recurrence: Type.Optional(Type.Ref('RecurrenceRule', { description: 'How a series repeats.' })),
  },
  { $id: 'EventVersion', description: 'Members of an event or a series, with the values that they had.' },
)

export const RecurrenceRule = Type.Object(
  {
    rrule: Type.String({
      description: 'Rule of RFC 5545 §3.3.10.',
      examples: ['FREQ=WEEKLY;BYDAY=TU;COUNT=10'],
    }),
    rdate: Type.Array(Type.String(), { description: 'Dates on which it takes place as well.' }),
    exdate: Type.Array(Type.String(), { description: 'Dates of the rule on which it does not take place.' }),
  },
  { $id: 'RecurrenceRule', description: 'The rule and the dates by which a series repeats.' },
)

export const Revision = Type.Object(
  {
    id: c.Id('revision'),
    at_utc: output.DateText('Time of the change, in UTC'),
    user: Type.Optional(
      Type.Integer({ description: 'ID of the user who made it; absent if the service itself did.' }),
    ),
    login: Type.Optional(
      Type.String({
        description: 'Login of that user; absent if the user no longer exists.',
        examples: ['anna'],
      }),
    ),
    name: Type.Optional(
      Type.String({
        description: 'Name of that user; absent if there is none.',
        examples: ['Anna Serra'],
      }),
    ),
    before: Type.Ref('EventVersion', { description: 'The members that it changed, as they were.' }),
    after: Type.Ref('EventVersion', { description: 'The same members as it left them.' }),
  },
  { $id: 'Revision', description: 'A change of an event or a series.' },
)
export const RevisionPage = output.Page('RevisionPage', 'revisions', Type.Ref('Revision'))
