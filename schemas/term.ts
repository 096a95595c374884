import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { ModifiedFilters } from './dates.ts'
import * as i from './input.ts'
import * as output from './output.ts'

export const ORDER_BY = [
  'name',
  'slug',
  'id',
  'count',
  'description',
  'include',
  'term_group',
  'parent',
] as const
export type OrderBy = (typeof ORDER_BY)[number]

const inputs = (kind: 'category' | 'tag', name: string, description: string, slug: string) => ({
  name: i.NameInput(`Name of the ${kind}`, c.TERM_NAME, 'empty_term_name', name),
  description: Type.Optional(i.HtmlInput(`Description of the ${kind}`, description)),
  slug: Type.Optional(i.SlugInput(`Slug of the ${kind}, the last part of its URL`, slug)),
  translation_of: Type.Optional(i.TranslationOfInput),
})
export const TagInput = Type.Object(inputs('tag', 'Open air', 'Bring a coat.', 'open-air'))
export const CategoryInput = Type.Object({
  ...inputs('category', 'Concerts', 'Music, played live.', 'concerts'),
  parent: Type.Optional(i.Whole('ID of the parent category. Default: 0, for the top level.', 1, 0)),
})
export type TermInput = c.Input<typeof CategoryInput> & { i18n_language?: string | null }

/** One of a few words, in any case. */
const Word = <const T extends string>(words: readonly T[], description: string, example: T) =>
  c.read<T>('word', c.StringEnum(words), { description, examples: [example] })

/** The filters of a list of terms; `shown` is the ID of the term in the examples. */
const filters = (shown: number) => ({
  ...c.Paging,
  search: Type.Optional(c.Part('name or slug', 'air')),
  exclude: Type.Optional(c.Ids('Leaves out the terms with these IDs.', [shown])),
  include: Type.Optional(
    c.Ids('Only the terms with these IDs, including those without published events.', [shown]),
  ),
  order: Type.Optional(Word(['asc', 'desc'], 'Sort direction. Default: `asc`.', 'desc')),
  orderby: Type.Optional(
    Word(ORDER_BY, 'Sort key; `include` is the order of the IDs in `include`. Default: `name`.', 'count'),
  ),
  hide_empty: c.Defaulted(
    c.Truth(
      '`true` leaves out terms without published events. Ignored with `include`, `post` or `event`.',
      false,
    ),
    true,
  ),
  post: Type.Optional(c.IdFilter('Only terms of the event with this ID.', 3)),
  event: Type.Optional(c.IdFilter('Only terms of the event with this ID. Overrides `post`.', 3)),
  slug: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Only the term with this slug.',
      examples: ['concerts'],
    }),
  ),
  ...ModifiedFilters('terms', 'A change of `count` is none.'),
})
export const TagQuery = Type.Object(filters(2))
export const CategoryQuery = Type.Object({
  ...filters(1),
  parent: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: c.GREATEST,
      description: 'Only children of the category with this ID; 0 for the top level.',
      examples: [0],
    }),
  ),
})
export type TermQuery = Static<typeof CategoryQuery>

export const TermUrls = Type.Object(
  {
    self: Type.String({ format: 'uri', description: 'URL of the term in this API.' }),
    collection: Type.String({
      format: 'uri',
      description: 'URL of the list of all terms of its kind in this API.',
    }),
    up: Type.Optional(Type.String({ format: 'uri', description: 'URL of the parent category in this API.' })),
  },
  { $id: 'TermUrls', description: 'URLs of a term.' },
)

const TermOutputs = {
  id: Type.Integer({ description: 'ID of the term.' }),
  count: Type.Integer({ description: 'Number of published events with the term.' }),
  description: Type.String({ description: 'Description of the term, as HTML.' }),
  name: Type.String({ description: 'Name of the term, as plain text.' }),
  slug: Type.String({ description: 'Slug of the term: the last part of its URL.' }),
  taxonomy: output.Taxonomy,
  meta: Type.Array(Type.Unknown(), { description: 'Always empty; kept for WordPress clients.' }),
  url: Type.String({ format: 'uri', description: 'Permanent URL of the term.' }),
  urls: Type.Ref('TermUrls', { description: 'URLs of the term in this API.' }),
  ...output.Translations('term'),
}
export const Tag = Type.Object(TermOutputs, { $id: 'Tag', description: 'A tag of events.' })
export const Category = Type.Object(
  {
    ...TermOutputs,
    parent: Type.Integer({ description: 'ID of the parent category; 0 for the top level.' }),
  },
  { $id: 'Category', description: 'A category of events.' },
)

export const CategoryPage = output.Page('CategoryPage', 'categories', Type.Ref('Category'))
export const TagPage = output.Page('TagPage', 'tags', Type.Ref('Tag'))
