import { openPauses } from '../../../kernel/database/queue.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { project } from '../projection/project.ts'
import { trashedPost } from '../trash.ts'
import { updatePost } from '../write.ts'
import { datesOf, recurrenceOf } from './dates.ts'
import { addOccurrence, bringOccurrence, isSame, type Writing } from './occurrence.ts'
import { type Occurrence, occurrencesOf, type Series, saveOccurrenceRow } from './rows.ts'

/** An occurrence, whose date may be another than the stored one; `stored` is absent if it was a single event. */
export type Follower = Occurrence & { stored?: Occurrence['row'] | undefined }

/** The occurrences of a series as they are stored. */
export const followersOf = async ({ tx }: Pick<Writing, 'tx'>, id: number): Promise<Follower[]> =>
  (await occurrencesOf(tx, id)).map((own) => ({ ...own, stored: own.row }))

const wantedOf = (w: Writing, { row, event }: Series): RecurrenceId[] =>
  datesOf(w, recurrenceOf(row, event), row.until).dates

/**
 * Brings all occurrences of a series in step with it. A date without one gets one; one whose date the series does not have goes to the
 * trash with what it overrides, and comes back with its date; the others follow in what they do not override. A series in the trash has no dates.
 */
export async function follow(w: Writing, series: Series, followers?: Follower[]) {
  const pause = openPauses(w.tx)
  const missing = new Set<RecurrenceId>(series.post.status === 'trash' ? [] : wantedOf(w, series))
  const all = followers ?? (await followersOf(w, series.post.id))
  // of two that have the same date by now, that which is not in the trash
  const isTrash = ({ post }: Follower) => Number(post.status === 'trash')
  for (const own of all.sort((one, other) => isTrash(one) - isTrash(other))) {
    const isWanted = missing.delete(own.row.recurrence_id)
    if (isWanted) await bringOccurrence(w, series, own, own.stored)
    else await dismiss(w, series, own)
    await pause()
  }
  for (const id of missing) {
    await addOccurrence(w, series, id)
    await pause()
  }
}

/** Moves an occurrence to the trash, where it stays with its series, in case its date comes back. */
async function dismiss(w: Writing, series: Series, { post, event, row, stored }: Follower) {
  const isThere = post.status === 'trash'
  const occurrence = { ...row, series_id: series.post.id }
  if (isThere && stored && isSame(occurrence, stored)) return
  const after = { ...(isThere ? post : trashedPost(w, post)), parent_id: series.post.id }
  await saveOccurrenceRow(w.tx, occurrence)
  await updatePost(w.tx, after, post)
  await project(w, 'post', { before: { post }, after: { post: after, event, occurrence } })
}
