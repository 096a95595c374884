import { type TProperties, Type } from '@sinclair/typebox'
import * as c from '../../../schemas/common.ts'
import { ModifiedFilters, MomentFilter } from '../../../schemas/dates.ts'
import { type EventOrder, EventQuery, VisitorPassword } from '../../../schemas/event-query.ts'
import { ORDER_BY, type OrderBy } from '../../../schemas/term.ts'
import { POST_TYPES } from './formats.ts'

// These routes are not in the document of the API, so their parameters have no descriptions.

/** Greatest number of entries per page, as in WordPress. A higher `per_page` is not refused. */
export const MOST = 100

const Word = <const T extends string>(words: readonly T[]) =>
  Type.Optional(c.read<T>('word', c.StringEnum(words)))

/** What every read takes. `_embed` is read as it was sent. */
export const readQuery = (languages: readonly string[]) => ({
  ...c.Fields,
  ...c.LanguageSelector(languages),
  context: Word(['view', 'embed', 'edit']),
})

const listQuery = (languages: readonly string[]) => ({
  ...readQuery(languages),
  page: c.Paging.page,
  per_page: c.Defaulted(Type.Integer(c.ID_LIMITS), 10),
  search: Type.Optional(Type.String({ maxLength: 1_600 })),
  slug: Type.Optional(
    c.read<string>('fields', Type.Array(Type.String({ maxLength: 2_000 })), { maxItems: 100 }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: c.GREATEST })),
  include: Type.Optional(c.Ids('', [1])),
  order: Word(['asc', 'desc']),
})

/** The orders of events by the names that WordPress and The Events Calendar have for them. That of publication is that of the last change. */
export const ORDERS: Record<string, EventOrder> = {
  date: 'modified',
  id: 'modified',
  modified: 'modified',
  author: 'modified',
  parent: 'modified',
  include: 'start',
  relevance: 'start',
  event_date: 'start',
  event_date_utc: 'start',
  start_date: 'start',
  end_date: 'end',
  title: 'title',
  slug: 'title',
  name: 'title',
}

const terms = (plural: string) => Type.Optional(c.TermsFilter(plural, [1]))

/** Lists of posts of each kind. */
export const postQuery = (languages: readonly string[], of: TProperties) =>
  Type.Object({
    ...listQuery(languages),
    orderby: Word(Object.keys(ORDERS)),
    status: Type.Optional(c.StatusFilter),
    ...ModifiedFilters('posts', ''),
    ...of,
  })
/** Filters of venues and organizers only. */
export const ofLinked: TProperties = { exclude: Type.Optional(c.Ids('', [1])) }
/** Filters of events only. */
export const ofEvents: TProperties = {
  tags: terms('tags'),
  tribe_events_cat: terms('categories'),
  categories: terms('categories'),
  start_date: Type.Optional(MomentFilter('')),
  end_date: Type.Optional(MomentFilter('')),
  venue: Type.Optional(c.Ids('', [1])),
  organizer: Type.Optional(c.Ids('', [1])),
  featured: EventQuery.properties.featured,
  ...VisitorPassword,
}

/** Searches in posts of all kinds. */
export function searchQuery(languages: readonly string[]) {
  const { slug: _, order: __, ...query } = listQuery(languages)
  return Type.Object({
    ...query,
    type: Type.Optional(c.StringEnum(['post'])),
    subtype: Type.Optional(c.StringEnum(['any', ...POST_TYPES])),
  })
}

/** Lists of terms. */
export const termQuery = (languages: readonly string[]) =>
  Type.Object({
    ...listQuery(languages),
    orderby: Word(ORDER_BY),
    exclude: Type.Optional(c.Ids('', [1])),
    hide_empty: c.Defaulted(c.Truth(''), false),
    parent: Type.Optional(Type.Integer({ minimum: 0, maximum: c.GREATEST })),
    post: Type.Optional(c.IdFilter('', 1)),
  })

/** A list that was asked for. Members depend on its kind. */
export type Asked = {
  page: number
  per_page: number
  /** How many entries precede those that are asked for, instead of a page. */
  offset?: number
  context?: 'view' | 'embed' | 'edit'
  search?: string
  /** Slugs, separated by commas. */
  slug?: string
  include?: number[]
  exclude?: number[]
  order?: 'asc' | 'desc'
  orderby?: string
  status?: (c.Status | 'any')[]
  modified_after?: string
  modified_before?: string
  tags?: string[]
  tribe_events_cat?: string[]
  categories?: string[]
  start_date?: string
  end_date?: string
  venue?: number[]
  organizer?: number[]
  featured?: boolean
  hide_empty?: boolean
  parent?: number
  post?: number
}
export type { OrderBy }
