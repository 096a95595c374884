import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { ModifiedFilters } from './dates.ts'
import { Event, EventInput } from './event.ts'
import * as output from './output.ts'
import { RecurrenceMember } from './recurrence.ts'

const { recurrence: _, overrides: __, post_parent: ___, ...members } = EventInput.properties

export const SeriesInput = Type.Object({
  ...members,
  recurrence: RecurrenceMember(
    'How the event repeats: a rule, dates, or both. `start_date` and `end_date` are those of its first date, which has to be one of the rule.',
  ),
})
export type SeriesInput = c.Input<typeof SeriesInput> & {
  password?: string | null
  i18n_language?: string | null
}

export const SeriesQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(c.Search('one field: title, excerpt or description', 'evensong')),
  status: Type.Optional(c.StatusFilter),
  ...ModifiedFilters('series', 'This is `modified_utc`, which a change of one of its dates does not set.'),
})
export type SeriesQuery = Static<typeof SeriesQuery>

const { series, recurrence_id, overrides, occurrences, ...shown } = Event.properties

export const Series = Type.Object(
  { ...shown, recurrence: Type.Ref('Recurrence', { description: 'How the series repeats.' }) },
  {
    $id: 'Series',
    description:
      'An event that repeats: its members are those of its first date, and of all others but for what these override. Its dates are events.',
  },
)

export const SeriesPage = output.Page('SeriesPage', 'series', Type.Ref('Series'))
