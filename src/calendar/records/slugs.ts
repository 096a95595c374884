import { and, eq, ne, sql } from 'drizzle-orm'
import { posts, terms } from '../../../drizzle/tables.ts'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import { toSlug, withSuffix } from '../../kernel/text/text.ts'
import type { Post, TermRow } from '../formats/records.ts'

/** The slugs that a text in a URL may mean, closest first: the text itself, and the slug made from it, which is that of a slug that was decoded (R15). */
export function* readingsOf(text: string): Generator<string> {
  yield text.toLowerCase()
  const slug = toSlug(text)
  if (slug) yield slug // drafts may have none
}

const postOf = prepared((db) =>
  db
    .select({ id: posts.id })
    .from(posts)
    .where(
      and(
        eq(posts.kind, sql.placeholder('group')),
        eq(posts.slug, sql.placeholder('slug')),
        ne(posts.id, sql.placeholder('self')),
      ),
    )
    .limit(1)
    .prepare(),
)
const termOf = prepared((db) =>
  db
    .select({ id: terms.id })
    .from(terms)
    .where(
      and(
        eq(terms.taxonomy, sql.placeholder('group')),
        eq(terms.slug, sql.placeholder('slug')),
        ne(terms.id, sql.placeholder('self')),
      ),
    )
    .limit(1)
    .prepare(),
)

/** The slug, or the first of `slug-2`, `slug-3`, ... that no other record of the kind has (R8). */
export const freePostSlug = (tx: Queries, kind: Post['kind'], slug: string, self: number) =>
  free(slug, async (slug) => (await postOf(tx).execute({ group: kind, slug, self })).length > 0)

/** The slug, or the first numbered one that no other term of the taxonomy has (R8). */
export const freeTermSlug = (tx: Queries, taxonomy: TermRow['taxonomy'], slug: string, self: number) =>
  free(slug, async (slug) => (await termOf(tx).execute({ group: taxonomy, slug, self })).length > 0)

/** Numbers that are tried one by one. */
const FIRST = 20

/** If more slugs are taken, halving finds a free number after a taken one. */
async function free(slug: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  if (!(await isTaken(slug))) return slug
  const isNumberTaken = (number: number) => isTaken(withSuffix(slug, number))
  for (let number = 2; number <= FIRST; number++)
    if (!(await isNumberTaken(number))) return withSuffix(slug, number)
  let low = FIRST
  let high = 2 * FIRST
  while (await isNumberTaken(high)) {
    low = high
    high *= 2
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isNumberTaken(middle)) low = middle
    else high = middle
  }
  return withSuffix(slug, high)
}
