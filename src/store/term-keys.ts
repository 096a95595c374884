import { and, eq, inArray, or } from 'drizzle-orm'
import { terms } from '../../drizzle/tables.ts'
import { fold } from '../text.ts'
import type { Queries } from './db.ts'
import type { TermRow } from './render.ts'

export type Taxonomy = TermRow['taxonomy']

const matches = (taxonomy: Taxonomy, key: string) => {
  const number = /^\d{1,15}$/.test(key) ? Number(key) : -1
  const slugs = [key.toLowerCase(), encodeURIComponent(key).toLowerCase()]
  return and(
    eq(terms.taxonomy, taxonomy),
    or(inArray(terms.slug, slugs), eq(terms.id, number), eq(terms.folded_name, fold(key))),
  )
}

/** The terms that each of `keys` (ID, slug or name) means: a slug stands over an ID, an ID over a name, of one name `language` over others. Unmatched ones are undefined. */
export async function resolveTerms(
  db: Queries,
  taxonomy: Taxonomy,
  keys: (number | string)[],
  language?: string,
): Promise<(TermRow | undefined)[]> {
  const found: (TermRow | undefined)[] = []
  for (const key of keys) {
    const rows = await db
      .select()
      .from(terms)
      .where(matches(taxonomy, String(key)))
      .orderBy(terms.id)
    const slugged = rows.find((row) => row.slug === String(key).toLowerCase())
    const numbered = rows.find((row) => String(row.id) === String(key))
    const named = rows.find((row) => row.language === language) ?? rows[0]
    found.push(typeof key === 'number' ? numbered : (slugged ?? numbered ?? named))
  }
  return found
}
