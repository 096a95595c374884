import { and, count, eq, gt, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { links, terms } from '../../../drizzle/tables.ts'
import type { OrderBy } from '../../../schemas/term.ts'
import { type Caller, canWrite } from '../../kernel/access/roles.ts'
import type { Db } from '../../kernel/database/db.ts'
import type { Problems } from '../../kernel/errors.ts'
import { fold } from '../../kernel/text/text.ts'
import { seekTerms, type Taxonomy } from '../records/term-keys.ts'
import { type ById, type Modified, modifiedWithin, openById } from './conditions.ts'

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
  modified?: Modified | undefined
}

/** The filters that depend on the terms themselves. */
export type OwnTermFilter = Pick<
  TermFilter,
  'search' | 'exclude' | 'include' | 'hide_empty' | 'parent' | 'slug' | 'language'
>

/** The order of a list; equal entries are ordered by name and ID. */
function orderOf(filter: TermFilter): SQL {
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

/** The conditions of a list. */
const conditionsOf = (
  taxonomy: Taxonomy,
  filter: OwnTermFilter & { event?: number; modified?: Modified },
  caller: Caller,
): SQL | undefined =>
  and(
    eq(terms.taxonomy, taxonomy),
    canWrite(caller) ? undefined : eq(terms.hidden, false),
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
    modifiedWithin(terms.modified_utc, filter.modified),
    filter.event === undefined
      ? undefined
      : sql`exists (select 1 from ${links} where ${links.kind} = ${taxonomy} and ${links.target_id} = ${terms.id} and ${links.event_id} = ${filter.event})`,
  )

/** Lists of categories or of tags. */
export const openTermLists = (db: Db, taxonomy: Taxonomy) => ({
  /** Problems with the IDs in the filters of a list. */
  async check(filter: OwnTermFilter, caller: Caller): Promise<Problems> {
    const problems: Problems = {}
    const named = {
      include: filter.include,
      exclude: filter.exclude,
      parent: filter.parent ? [filter.parent] : undefined,
    }
    for (const [name, ids] of Object.entries(named)) {
      const found = await seekTerms(db.read, taxonomy, ids ?? [], caller)
      const at = found.indexOf(undefined)
      if (at >= 0) problems[name] = `There is no ${taxonomy} with ID ${ids![at]}.`
    }
    return problems
  },
  /** A page of IDs, and the total. */
  async list(filter: TermFilter, caller: Caller) {
    const where = conditionsOf(taxonomy, filter, caller)
    const [all] = await db.read.select({ total: count() }).from(terms).where(where)
    const rows = await db.read
      .select({ id: terms.id })
      .from(terms)
      .where(where)
      .orderBy(orderOf(filter))
      .limit(filter.per_page)
      .offset((filter.page - 1) * filter.per_page)
    return { total: all!.total, ids: rows.map((row) => row.id) }
  },
  /** The terms of a list by ID, of one moment. */
  byId: (filter: OwnTermFilter, caller: Caller): ById =>
    openById(db, terms, conditionsOf(taxonomy, filter, caller)),
})
