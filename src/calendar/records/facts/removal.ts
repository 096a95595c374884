import type { ApplyTo } from '../../../../schemas/recurrence.ts'
import type { Post } from '../../formats/records.ts'
import { findById } from '../posts.ts'
import { findOccurrenceRow } from '../series/rows.ts'
import type { Write } from '../write.ts'
import { editableDates } from './events.ts'
import { editableTranslations } from './sets.ts'

/**
 * What is removed with a record in all languages: those of its set that the caller may edit. Of dates of a series and those that follow,
 * the same date of its translations; of all dates, the translations themselves.
 */
export async function removedTranslations(w: Write, post: Post, range: ApplyTo = 'this'): Promise<Post[]> {
  const row = post.kind === 'event' && range !== 'this' ? await findOccurrenceRow(w.tx, post.id) : undefined
  if (!row) return editableTranslations(w, post)
  if (range === 'all') return editableTranslations(w, (await findById(w.tx, 'series', row.series_id))!)
  return (await editableDates(w, row, range)).map((date) => date.post)
}
