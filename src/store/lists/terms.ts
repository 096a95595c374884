import { and, eq, gt, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { links, terms } from '../../../drizzle/tables.ts'
import type { OrderBy } from '../../../schemas/term.ts'
import { fold } from '../../rules/text.ts'
import type { Taxonomy } from '../records/term-keys.ts'

export type TermFilter = {
  page: number
  per_page: number
  search?: string
  exclude?: number[]
  include?: number[]
  order: 'asc' | 'desc'
  orderby: OrderBy
  hide_empty: boolean
  parent?: number
  event?: number
  slug?: string
  language?: string
}

/** The order of a list, told apart by name and ID where it is the same. */
export function orderOf(filter: TermFilter): SQL {
  const column = {
    name: terms.folded_name,
    slug: terms.slug,
    id: terms.id,
    count: terms.count,
    description: terms.description,
    include: sql`(select key from json_each(${JSON.stringify(filter.include ?? [])}) where value = ${terms.id})`,
    term_group: terms.id,
    parent: terms.parent_id,
  }[filter.orderby]
  const direction = sql.raw(filter.order)
  return sql`${column} ${direction}, ${terms.folded_name} ${direction}, ${terms.id} ${direction}`
}

/** What a list keeps. */
export const conditionsOf = (taxonomy: Taxonomy, filter: TermFilter): SQL | undefined =>
  and(
    eq(terms.taxonomy, taxonomy),
    filter.search === undefined
      ? undefined
      : sql`(instr(${terms.folded_name}, ${fold(filter.search)}) > 0 or instr(${terms.slug}, ${filter.search.toLowerCase()}) > 0)`,
    filter.include && inArray(terms.id, filter.include),
    filter.exclude && notInArray(terms.id, filter.exclude),
    filter.hide_empty && !filter.include && filter.event === undefined ? gt(terms.count, 0) : undefined,
    filter.parent === undefined ? undefined : eq(terms.parent_id, filter.parent),
    filter.slug === undefined
      ? undefined
      : inArray(terms.slug, [filter.slug.toLowerCase(), encodeURIComponent(filter.slug).toLowerCase()]),
    filter.language === undefined ? undefined : eq(terms.language, filter.language),
    filter.event === undefined
      ? undefined
      : sql`exists (select 1 from ${links} where ${links.kind} = ${taxonomy} and ${links.target_id} = ${terms.id} and ${links.event_id} = ${filter.event})`,
  )
