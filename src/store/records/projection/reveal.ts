import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { terms } from '../../../../drizzle/tables.ts'
import { toWall } from '../../../rules/time/dates.ts'
import { ALL, type Refreshing, recordChange, refreshTerms } from '../../changes/log.ts'
import { prepared, type Queries } from '../../sqlite/db.ts'

const hiddenAmong = prepared((db) =>
  db
    .select({ id: terms.id })
    .from(terms)
    .where(
      and(
        eq(terms.hidden, true),
        sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`,
      ),
    )
    .prepare(),
)

/** These terms and all above them: an event shows the parent of its category. */
const withAncestors = (ids: number[]) =>
  sql`(with recursive above(id) as (select value from json_each(${JSON.stringify(ids)})
    union select parent_id from terms join above using (id) where parent_id <> 0) select id from above)`

/**
 * Shows hidden terms to everybody, with all above them, when an event that everybody sees has them. Whoever follows is told of them as
 * new, and of their translations, which show them from now on. Returns the terms that were hidden.
 */
export async function revealTerms(tx: Queries, ids: number[], how: Refreshing): Promise<number[]> {
  if (ids.length === 0) return []
  const hidden = await hiddenAmong(tx).execute({ ids: JSON.stringify(ids) })
  if (hidden.length === 0) return []
  const shown = await tx
    .update(terms)
    .set({ hidden: false, modified_utc: toWall(how.now, 'UTC') })
    .where(and(eq(terms.hidden, true), sql`${terms.id} in ${withAncestors(hidden.map(({ id }) => id))}`))
    .returning()
  // not seen before, so without what it was
  for (const { id, taxonomy } of shown)
    await recordChange(tx, { kind: taxonomy, id, operation: 'publish', ...how, touched: ALL })
  const revealed = shown.map(({ id }) => id)
  const groups = shown.flatMap(({ translation_group }) => translation_group ?? [])
  const peers = await tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(inArray(terms.translation_group, groups), notInArray(terms.id, revealed)))
  await refreshTerms(
    tx,
    peers.map(({ id }) => id),
    'refresh',
    how,
  )
  return revealed
}
