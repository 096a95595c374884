import { type Static, type TSchema, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { MomentFilter } from './dates.ts'
import { EventQuery } from './event-query.ts'
import { CategoryQuery } from './term.ts'

/** The kinds of records: each has the five operations of a resource, and its changes are told. */
export const SYNC_KINDS = ['event', 'series', 'venue', 'organizer', 'category', 'tag'] as const
export type SyncKind = (typeof SYNC_KINDS)[number]

/** The greatest number of changes in one answer, which is read in one piece and so takes some milliseconds. */
export const MOST_CHANGES = 500

const { page: _, per_page: __, orderby, order, when, expand, password, ...filters } = EventQuery.properties
const { modified_after, modified_before, ...ofEvents } = filters
const { exclude, slug, parent } = CategoryQuery.properties

/** The filters by kind, as the lists have them. The first four are those of several kinds. */
export const ChangeFilters = {
  ...ofEvents,
  status: Type.Optional(c.StatusFilter),
  search: Type.Optional(c.Search('the fields in which the lists of the kinds in `kind` search', 'evensong')),
  q: Type.Optional(
    c.Search(
      'the title, excerpt or description of an event, or in the name of its venue, its town, an organizer, a category or a tag, the last word by its beginning; no word is corrected',
      'jazz girona',
    ),
  ),
  include: Type.Optional(
    c.Ids('Only events, categories or tags with these IDs, including events hidden from listings.', [3, 5]),
  ),
  start_date: Type.Optional(MomentFilter('Only events that start on this date or later.')),
  end_date: Type.Optional(MomentFilter('Only events that end on this date or earlier.')),
  exclude,
  slug,
  parent,
  hide_empty: Type.Optional(c.Truth('`true` leaves out terms without published events. Default: `false`.')),
}
type FilterName = keyof typeof ChangeFilters

const OF_LINKED = ['status', 'search'] as const
const OF_TAGS = ['search', 'include', 'exclude', 'slug', 'hide_empty'] as const
/** The filters that each kind has. */
export const FILTERS_OF: Record<SyncKind, readonly string[]> = {
  event: Object.keys(ofEvents),
  series: OF_LINKED,
  venue: OF_LINKED,
  organizer: OF_LINKED,
  category: [...OF_TAGS, 'parent'],
  tag: OF_TAGS,
} satisfies Record<SyncKind, readonly (FilterName | string)[]>

export const ChangesQuery = Type.Object({
  sync_token: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8_000,
      description:
        'The `next_sync_token` of the last response: what changed since then. It also holds the kinds and filters, which need not be repeated. Without it, all records are returned first.',
      examples: ['aWzE4LCJ4Qm1sMnciLCIiLHsia2luZHMiOlsiZXZlbnQiXX1dm3VtH0Jq5Zb8cN1xT9aKwQ'],
    }),
  ),
  kind: Type.Optional(
    c.read<SyncKind[]>('kinds', Type.Array(c.StringEnum(SYNC_KINDS)), {
      minItems: 1,
      maxItems: 100,
      ...c.Short,
      description:
        'Kinds of records, separated by commas or as a repeated parameter. Every filter applies to all of them. Default: all that have the filters of the request, but for `series`.',
      examples: [['event', 'venue']],
    }),
  ),
  per_page: c.Defaulted(
    Type.Integer({
      ...c.ID_LIMITS,
      description: `Greatest number of changes in the response. Values above ${MOST_CHANGES} are reduced to ${MOST_CHANGES}.`,
      examples: [200],
    }),
    100,
  ),
  ...ChangeFilters,
})
export type ChangesQuery = Static<typeof ChangesQuery>

const RECORDS: Record<SyncKind, string> = {
  ...{ event: 'CalendarEvent', series: 'Series', venue: 'Venue', organizer: 'Organizer' },
  ...{ category: 'Category', tag: 'Tag' },
}
const withArticle = (kind: string) => (/^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`)
const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1)

const recordChange = (kind: SyncKind) =>
  Type.Object(
    {
      kind: c.StringEnum([kind], { description: 'Kind of the record.' }),
      id: c.Id(kind),
      operation: c.StringEnum(['create', 'update'], {
        description:
          '`create` if the record is new to whoever follows, `update` if they may have it. Treat both alike: keep the record, in place of an earlier one.',
      }),
      record: Type.Ref(RECORDS[kind], { description: `The ${kind} as it is now.` }),
    },
    {
      $id: `${capital(kind)}Change`,
      description: `${capital(withArticle(kind))} that was created or changed, or that matches the filters now.`,
    },
  )
const Deletion = Type.Object(
  {
    kind: c.StringEnum(SYNC_KINDS, { description: 'Kind of the record.' }),
    id: Type.Integer({ minimum: 1, description: 'ID of the record.' }),
    operation: c.StringEnum(['delete'], { description: 'The record is to be removed.' }),
  },
  {
    $id: 'RecordDeletion',
    description:
      'A record that was deleted, or that the caller may not read any more, or that no longer matches the filters. It may be one that was never returned.',
  },
)
const Change = c.AnyOf('RecordChange', 'What happened to one record, told by `kind` and `operation`.', [
  ...SYNC_KINDS.map((kind) => Type.Ref(`${capital(kind)}Change`)),
  Type.Ref('RecordDeletion'),
] as TSchema[])

const ChangePage = Type.Object(
  {
    changes: Type.Array(Type.Ref('RecordChange'), {
      description: 'Each record once, as it is now, in the order of the last changes.',
    }),
    has_more: Type.Boolean({
      description: 'Whether there are more changes now: continue with `next_sync_token` at once.',
    }),
    next_sync_token: Type.String({ description: 'Token for the next request. Keep it with the records.' }),
  },
  { $id: 'ChangePage', description: 'What changed since a sync token, or the next part of the beginning.' },
)

/** The components of a response, those that others refer to first. */
export const CHANGE_ANSWERS = [...SYNC_KINDS.map(recordChange), Deletion, Change, ChangePage]
