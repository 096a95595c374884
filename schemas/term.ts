import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
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

export const TagInput = Type.Object({
  name: c.NameInput('Name', c.TERM_NAME, 'empty_term_name'),
  description: Type.Optional(c.HtmlInput('Description')),
  slug: Type.Optional(c.SlugInput('Slug')),
  translation_of: Type.Optional(c.TranslationOfInput),
})
export const CategoryInput = c.extend(TagInput, {
  parent: Type.Optional(
    Type.Integer({ minimum: 0, description: 'ID of the parent category; 0 for the top level.' }),
  ),
})
export type TermInput = c.Input<typeof CategoryInput> & { i18n_language?: string | null }

const Word = <T extends string>(description: string) =>
  c.read<T>('word', Type.String(), { ...c.Short, description })

export const TagQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(c.Part('name or slug')),
  exclude: Type.Optional(c.Ids('IDs to leave out.')),
  include: Type.Optional(c.Ids('IDs to show, empty ones too.')),
  order: Type.Optional(Word<string>('Direction: asc or desc. Default: asc.')),
  orderby: Type.Optional(Word<string>(`What to sort by: ${ORDER_BY.join(', ')}. Default: name.`)),
  hide_empty: c.Defaulted(c.Truth('Leave out terms without published events:'), true),
  post: Type.Optional(c.Id('event whose terms to list')),
  event: Type.Optional(c.Id('event whose terms to list; stands over post')),
  slug: Type.Optional(Type.String({ minLength: 1, description: 'The term with this slug.' })),
})
export const CategoryQuery = c.extend(TagQuery, {
  parent: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Children of this category; 0 for the top level.' }),
  ),
})
export type TermQuery = Static<typeof CategoryQuery>

export const TermUrls = Type.Object(
  {
    self: Type.String({ format: 'uri' }),
    collection: Type.String({ format: 'uri' }),
    up: Type.Optional(Type.String({ format: 'uri', description: 'The parent category.' })),
  },
  { $id: 'TermUrls' },
)

const TermOutputs = {
  id: Type.Integer(),
  count: Type.Integer({ description: 'Published events.' }),
  description: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  taxonomy: Type.String({ examples: ['calendar_events_cat', 'post_tag'] }),
  meta: Type.Array(Type.Unknown()),
  url: Type.String({ format: 'uri', description: 'Permanent address.' }),
  urls: Type.Ref('TermUrls'),
  ...output.Translations,
}
export const Tag = Type.Object(TermOutputs, { $id: 'Tag' })
export const Category = Type.Object(
  { ...TermOutputs, parent: Type.Integer({ description: 'ID of the parent category, 0 at the top.' }) },
  { $id: 'Category' },
)

export const CategoryPage = output.Page('CategoryPage', 'categories', Type.Ref('Category'))
export const TagPage = output.Page('TagPage', 'tags', Type.Ref('Tag'))
