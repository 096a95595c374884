import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import { posts, terms } from '../../drizzle/tables.ts'
import { withSuffix } from '../text.ts'
import type { Queries } from './db.ts'
import type { Post, TermRow } from './render.ts'

/** The slug, or the first of `slug-2`, `slug-3`, ... that no other record of the kind has (R8). */
export const freePostSlug = (tx: Queries, kind: Post['kind'], slug: string, self: number) =>
  free(
    slug,
    async (candidate) => {
      const taken = and(eq(posts.kind, kind), eq(posts.slug, candidate), ne(posts.id, self))
      return (await tx.select({ id: posts.id }).from(posts).where(taken).limit(1)).length === 0
    },
    () => highest(tx, posts, eq(posts.kind, kind), slug),
  )

/** The same among the terms of a taxonomy. */
export const freeTermSlug = (tx: Queries, taxonomy: TermRow['taxonomy'], slug: string, self: number) =>
  free(
    slug,
    async (candidate) => {
      const taken = and(eq(terms.taxonomy, taxonomy), eq(terms.slug, candidate), ne(terms.id, self))
      return (await tx.select({ id: terms.id }).from(terms).where(taken).limit(1)).length === 0
    },
    () => highest(tx, terms, eq(terms.taxonomy, taxonomy), slug),
  )

/** The first numbers are tried one by one; where a name is as common as that, the next after the highest is taken. */
async function free(
  slug: string,
  isFree: (slug: string) => Promise<boolean>,
  highestNumber: () => Promise<number>,
): Promise<string> {
  if (await isFree(slug)) return slug
  let number = 2
  while (!(await isFree(withSuffix(slug, number))))
    number = number < 20 ? number + 1 : Math.max(number, await highestNumber()) + 1
  return withSuffix(slug, number)
}

async function highest(
  tx: Queries,
  table: typeof posts | typeof terms,
  same: SQL,
  slug: string,
): Promise<number> {
  const number = sql<number>`coalesce(max(cast(substr(${table.slug}, ${slug.length + 2}) as integer)), 1)`
  const numbered = and(
    same,
    sql`${table.slug} > ${`${slug}-`}`,
    sql`${table.slug} < ${`${slug}.`}`,
    sql`substr(${table.slug}, ${slug.length + 2}) glob '[0-9]*'`,
  )
  const [row] = await tx.select({ number }).from(table).where(numbered)
  return row!.number
}
