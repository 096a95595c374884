import { and, eq, or, sql } from 'drizzle-orm'
import { terms } from '../../../drizzle/tables.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { fold, toSlug } from '../../kernel/text/text.ts'
import type { TermRow } from '../formats/records.ts'
import { canReadTerm } from '../rights.ts'

export type Taxonomy = TermRow['taxonomy']

const matching = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(
      and(
        eq(terms.taxonomy, sql.placeholder('taxonomy')),
        or(
          eq(terms.slug, sql.placeholder('slug')),
          eq(terms.slug, sql.placeholder('encoded')),
          eq(terms.id, sql.placeholder('id')),
          eq(terms.folded_name, sql.placeholder('name')),
        ),
      ),
    )
    .orderBy(terms.id)
    .prepare(),
)

const numbered = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(and(eq(terms.taxonomy, sql.placeholder('taxonomy')), eq(terms.id, sql.placeholder('id'))))
    .prepare(),
)

/** The translation of a term into `language` if there is one that the caller may read, otherwise the term (D21). */
export async function translatedTerm(
  db: Queries,
  row: TermRow,
  language: string | undefined,
  caller: Caller,
): Promise<TermRow> {
  if (language === undefined || row.language === language || row.translation_group === null) return row
  const [other] = await db
    .select()
    .from(terms)
    .where(and(eq(terms.translation_group, row.translation_group), eq(terms.language, language)))
  return other && canReadTerm(caller, other) ? other : row
}

/** The term of an ID. */
export const findTermById = async (
  db: Queries,
  taxonomy: Taxonomy,
  id: number,
): Promise<TermRow | undefined> => (await numbered(db).execute({ taxonomy, id }))[0]

/** The terms that each of `keys` (ID, slug or name) means: a slug stands over an ID, an ID over a name, of one name `language` over others. Unmatched ones are undefined, and those that the caller does not see. */
export async function resolveTerms(
  db: Queries,
  taxonomy: Taxonomy,
  keys: (number | string)[],
  { language, sees = () => true }: { language?: string; sees?(row: TermRow): boolean } = {},
): Promise<(TermRow | undefined)[]> {
  const found: (TermRow | undefined)[] = []
  for (const key of keys) {
    if (typeof key === 'number') {
      const row = await findTermById(db, taxonomy, key)
      found.push(row && sees(row) ? row : undefined)
      continue
    }
    const slug = key.toLowerCase()
    const all: TermRow[] = await matching(db).execute({
      taxonomy,
      slug,
      encoded: encodeURIComponent(key).toLowerCase(),
      id: /^\d{1,15}$/.test(key) ? Number(key) : -1,
      name: fold(key),
    })
    const rows = all.filter(sees)
    const slugged = rows.find((row) => row.slug === slug)
    const meant = rows.find((row) => String(row.id) === key)
    const named = rows.find((row) => row.language === language) ?? rows[0]
    found.push(slugged ?? meant ?? named)
  }
  return found
}

const slugged = prepared((db) =>
  db
    .select()
    .from(terms)
    .where(and(eq(terms.taxonomy, sql.placeholder('taxonomy')), eq(terms.slug, sql.placeholder('slug'))))
    .prepare(),
)

/**
 * The terms that a filter or a URL of a caller names: as `resolveTerms` finds them, or else by the slug made from the text (R15).
 * The terms of an event are not found by that slug: there "C++" may be a new term beside "C".
 */
export async function seekTerms(
  db: Queries,
  taxonomy: Taxonomy,
  keys: (number | string)[],
  caller: Caller,
): Promise<(TermRow | undefined)[]> {
  const sees = (row: TermRow) => canReadTerm(caller, row)
  const found = await resolveTerms(db, taxonomy, keys, { sees })
  for (const [at, key] of keys.entries())
    if (typeof key === 'string')
      found[at] ??= (await slugged(db).execute({ taxonomy, slug: toSlug(key) })).find(sees)
  return found
}

const childrenOf = prepared((db) =>
  db
    .select({ id: terms.id })
    .from(terms)
    .where(sql`${terms.parent_id} in (select value from json_each(${sql.placeholder('ids')}))`)
    .prepare(),
)

/** These terms and all their descendants. */
export async function withDescendants(db: Queries, ids: number[]): Promise<number[]> {
  const all = new Set(ids)
  for (let level = ids; level.length > 0; ) {
    const children = await childrenOf(db).execute({ ids: JSON.stringify(level) })
    level = children.map((child) => child.id).filter((id) => !all.has(id))
    for (const id of level) all.add(id)
  }
  return [...all]
}

/** Finds terms in committed data. */
export const openTermKeys = ({ read }: Pick<Db, 'read'>) => ({
  /** The terms of these IDs or slugs that the caller may see, each in its place. */
  seek: (taxonomy: Taxonomy, keys: (number | string)[], caller: Caller) =>
    seekTerms(read, taxonomy, keys, caller),
  /** The terms that an event would get by these IDs, slugs or names, each in its place; undefined for those that it would make. */
  resolve: (taxonomy: Taxonomy, keys: (number | string)[], language: string) =>
    resolveTerms(read, taxonomy, keys, { language }),
})
