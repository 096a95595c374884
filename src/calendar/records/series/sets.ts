import { and, eq, ne, sql } from 'drizzle-orm'
import { occurrences, posts } from '../../../../drizzle/tables.ts'
import { prepared } from '../../../kernel/database/db.ts'
import type { Post } from '../../formats/records.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { newTranslationGroup } from '../write.ts'
import type { Writing } from './occurrence.ts'
import { translatedDatesOf } from './rows.ts'

/** The series that an event is a date of, and the set of translations of that series. */
const OF_SERIES = sql`(select other.translation_group from posts as other where other.id = ${occurrences.series_id})`

/** The events of a set of translations that are not in the trash, each with its date and series where it has these. */
const groupEvents = prepared((db) =>
  db
    .select({
      ...{ id: posts.id, language: posts.language, date: occurrences.recurrence_id },
      ...{ series: occurrences.series_id, group: OF_SERIES.as('series_group') },
    })
    .from(posts)
    .leftJoin(occurrences, eq(occurrences.post_id, posts.id))
    .where(and(eq(posts.translation_group, sql.placeholder('set')), ne(posts.status, 'trash')))
    .prepare(),
)

/**
 * The set of translations that an event of a series belongs to: that of the same date of the translations of its series. It leaves a set
 * with which it no longer shares its date or its series' translations, and one that has its language already. Single events that it was
 * linked to before it repeated stay in its set. Series that are still to follow in this write are not looked at.
 */
export async function translationGroupOf(
  { tx, translations: shared }: Writing,
  series: Post,
  date: RecurrenceId,
  own: Post | undefined,
): Promise<number | null> {
  const known = own?.translation_group ?? null
  const group = series.translation_group
  if (known === null && group === null) return null
  const isPending = (id: number | null) => id !== null && shared?.pending.has(id) === true
  const all = await translatedDatesOf(tx, series, date)
  const others = all.filter((other) => !isPending(other.series))
  const first = others.find((other) => other.group !== null && other.group === known) ?? others[0]
  const set = first ? first.group : known
  if (set === null) {
    if (!first || first.language === series.language) return null
    const made = await newTranslationGroup(tx, posts)
    await tx.update(posts).set({ translation_group: made }).where(eq(posts.id, first.id))
    return made
  }
  const strangers = (await groupEvents(tx).execute({ set })).filter((other) => {
    if (other.id === own?.id || other.series === series.id || isPending(other.series)) return false
    if (other.language === series.language) return true
    return other.series !== null && (group === null || other.group !== group || other.date !== date)
  })
  return strangers.length > 0 ? null : set
}
