import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
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

const Word = <T extends string>(description: string) =>
  c.read<T>('word', Type.String(), { ...c.Short, description })

const EventId = (description: string) => Type.Integer({ minimum: 1, description })

export const TagQuery = Type.Object({
  ...c.Paging,
  search: Type.Optional(c.Part('name or slug')),
  exclude: Type.Optional(c.Ids('IDs to exclude.')),
  include: Type.Optional(c.Ids('Only these IDs, including terms without published events.')),
  order: Type.Optional(Word<string>('Sort direction: `asc` or `desc`. Default: `asc`.')),
  orderby: Type.Optional(
    Word<string>(`Sort key: ${ORDER_BY.map((key) => `\`${key}\``).join(', ')}. Default: \`name\`.`),
  ),
  hide_empty: c.Defaulted(
    c.Truth('`true` leaves out terms without published events. Ignored with `include`, `post` or `event`.'),
    true,
  ),
  post: Type.Optional(EventId('Only terms of the event with this ID.')),
  event: Type.Optional(EventId('Only terms of the event with this ID. Overrides `post`.')),
  slug: Type.Optional(Type.String({ minLength: 1, description: 'Only the term with this slug.' })),
})
export const CategoryQuery = c.extend(TagQuery, {
  parent: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Only children of the category with this ID; 0 for the top level.',
    }),
  ),
})
export type TermQuery = Static<typeof CategoryQuery>

export const TermUrls = Type.Object(
  {
    self: Type.String({ format: 'uri', description: 'URL of the term in this API.' }),
    collection: Type.String({ format: 'uri', description: 'URL of the list of terms.' }),
    up: Type.Optional(Type.String({ format: 'uri', description: 'URL of the parent category.' })),
  },
  { $id: 'TermUrls', description: 'URLs of a term.' },
)

const TermOutputs = {
  id: Type.Integer({ description: 'ID of the term.' }),
  count: Type.Integer({ description: 'Number of published events.' }),
  description: Type.String({ description: 'Description, HTML.' }),
  name: Type.String({ description: 'Name, plain text.' }),
  slug: Type.String({ description: 'Slug.' }),
  taxonomy: output.Taxonomy,
  meta: Type.Array(Type.Unknown(), { description: 'Always empty; kept for WordPress clients.' }),
  url: Type.String({ format: 'uri', description: 'Permanent URL of the term.' }),
  urls: Type.Ref('TermUrls'),
  ...output.Translations,
}
export const Tag = Type.Object(TermOutputs, { $id: 'Tag', description: 'A tag.' })
export const Category = Type.Object(
  {
    ...TermOutputs,
    parent: Type.Integer({ description: 'ID of the parent category; 0 for the top level.' }),
  },
  { $id: 'Category', description: 'A category.' },
)

export const CategoryPage = output.Page('CategoryPage', 'categories', Type.Ref('Category'))
export const TagPage = output.Page('TagPage', 'tags', Type.Ref('Tag'))
