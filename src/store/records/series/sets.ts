import { and, eq, ne, sql } from 'drizzle-orm'
import { occurrences, posts } from '../../../../drizzle/tables.ts'
import type { Post } from '../../../formats/records.ts'
import type { RecurrenceId } from '../../../rules/recurrence/rule.ts'
import { prepared, type Queries } from '../../sqlite/db.ts'
import { freeSet } from '../write.ts'

/** The events that the translations of a series have on a date. */
const translated = prepared((db) =>
  db
    .select({ id: posts.id, language: posts.language, group: posts.translation_group })
    .from(occurrences)
    .innerJoin(posts, eq(posts.id, occurrences.post_id))
    .where(
      and(
        eq(occurrences.recurrence_id, sql.placeholder('date')),
        ne(occurrences.series_id, sql.placeholder('series')),
        ne(posts.status, 'trash'),
        sql`${occurrences.series_id} in (select other.id from posts as other where other.translation_group = ${sql.placeholder('group')} and other.kind = 'series')`,
      ),
    )
    .orderBy(posts.id)
    .prepare(),
)

/** The set of translations that an event of a series belongs to: that of the same date of the translations of its series. */
export async function setOf(
  tx: Queries,
  series: Post,
  date: RecurrenceId,
  own: Post | undefined,
): Promise<number | null> {
  const known = own?.translation_group ?? null
  if (known !== null || series.translation_group === null) return known
  const others = await translated(tx).execute({ date, series: series.id, group: series.translation_group })
  const [first] = others
  if (!first || others.some(({ language }) => language === series.language)) return null
  if (first.group !== null) return first.group
  const group = await freeSet(tx, posts)
  await tx.update(posts).set({ translation_group: group }).where(eq(posts.id, first.id))
  return group
}
