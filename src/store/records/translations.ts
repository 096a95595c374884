import { sql } from 'drizzle-orm'
import type { posts, terms } from '../../../drizzle/tables.ts'
import type { Queries } from '../sqlite/db.ts'

/** A number for a new set of translations: one that no record has, as a set outlives the record it began with. */
export async function freeSet(tx: Queries, table: typeof posts | typeof terms): Promise<number> {
  const next = sql<number>`coalesce(max(${table.translation_group}), 0) + 1`
  const [row] = await tx.select({ next }).from(table)
  return row!.next
}
