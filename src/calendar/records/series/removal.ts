import type { ApplyTo } from '../../../../schemas/recurrence.ts'
import { openPauses } from '../../../kernel/database/queue.ts'
import { invalid } from '../../../kernel/errors.ts'
import type { Post } from '../../formats/records.ts'
import { hasDate } from '../../recurrence/expansion.ts'
import { split } from '../../recurrence/split.ts'
import { editable, findById, findEditable, type Key } from '../posts.ts'
import { project } from '../projection/project.ts'
import { keepRevision } from '../revisions.ts'
import { erasePost, removePost, trashedPost, trashPost } from '../trash.ts'
import { updatePost, type Write } from '../write.ts'
import { endEarlier, repeatOtherwise } from './copy.ts'
import { firstOf, recurrenceOf, without } from './dates.ts'
import { follow, followersOf } from './follow.ts'
import { findOccurrenceRow, findSeries, type Occurrence, type Series, saveSeriesRow } from './rows.ts'

/** Moves a series with its occurrences to the trash. */
export async function trashSeries(w: Write, series: Series) {
  const post = trashedPost(w, series.post)
  await updatePost(w.tx, post, series.post)
  const { event, refs } = series
  const row = { ...series.row, next_utc: null }
  await saveSeriesRow(w.tx, row)
  await keepRevision(w, series, { post })
  await project(w, 'post', { before: { post: series.post, refs }, after: { post, event, refs, series: row } })
  await follow(w, { ...series, post })
}

/** Takes a date out of a series, and moves the event to the trash. */
export async function cancel(w: Write, series: Series, { post, row }: Pick<Occurrence, 'post' | 'row'>) {
  const recurrence = recurrenceOf(series.row, series.event)
  await follow(w, await repeatOtherwise(w, series, without(recurrence, row.recurrence_id)))
  await keepRevision(w, { post }, { post: { ...post, status: 'trash' } })
}

/** Ends a series before a date, and moves the events from then on to the trash; all of it, if no date is left. */
async function endBefore(w: Write, series: Series, { row }: Pick<Occurrence, 'row'>) {
  if (!hasEarlier(series, row.recurrence_id)) return trashSeries(w, series)
  const { before } = split(recurrenceOf(series.row, series.event), row.recurrence_id)
  await follow(w, await endEarlier(w, series, before!))
}

/** Whether a series has a date before one. */
function hasEarlier({ row, event }: Series, id: string): boolean {
  const first = firstOf(recurrenceOf(row, event))
  return first !== undefined && first < id
}

/** The series of an event and which date of it that is; undefined for a single event, to which nothing else than itself applies. */
async function dateOf(w: Write, post: Post, range: ApplyTo) {
  const row = post.parent_id === null ? undefined : await findOccurrenceRow(w.tx, post.id)
  if (row) return { post, row, series: await findSeries(w.tx, row.series_id) }
  if (range === 'this') return undefined
  throw invalid({ apply_to: 'must be this: the event is not a date of a series.' })
}

const mayDelete = ({ caller }: Write, { post }: Series) =>
  editable(caller, 'series', { id: post.id }, 'delete', post)

async function trashEvent(w: Write, key: Key, range: ApplyTo): Promise<Post> {
  const post = await findEditable(w, 'event', key, 'delete')
  const date = await dateOf(w, post, range)
  if (!date || post.status === 'trash') return trashPost(w, 'event', { id: post.id })
  if (range !== 'this') mayDelete(w, date.series)
  if (range === 'all') await trashSeries(w, date.series)
  else await (range === 'this' ? cancel : endBefore)(w, date.series, date)
  return (await findById(w.tx, 'event', post.id))!
}

async function eraseEvent(w: Write, post: Post, range: ApplyTo) {
  const date = await dateOf(w, post, range)
  if (!date) return erasePost(w, post)
  const { row, series } = date
  if (range === 'this') {
    const recurrence = recurrenceOf(series.row, series.event)
    if (hasDate(recurrence, row.recurrence_id))
      await repeatOtherwise(w, series, without(recurrence, row.recurrence_id))
    return erasePost(w, post)
  }
  mayDelete(w, series)
  if (range === 'all' || !hasEarlier(series, row.recurrence_id)) return eraseSeries(w, series.post)
  const later = (await followersOf(w, series.post.id)).filter(
    (own) => own.row.recurrence_id >= row.recurrence_id,
  )
  await endBefore(w, series, date)
  const pause = openPauses(w.tx)
  for (const { post } of later) {
    await erasePost(w, (await findById(w.tx, 'event', post.id))!)
    await pause()
  }
}

/** Deletes a series with its dates. The audit log tells of it once, with the number of dates. */
async function eraseSeries(w: Write, series: Post) {
  const pause = openPauses(w.tx)
  const dates = await followersOf(w, series.id)
  for (const { post } of dates) {
    await removePost(w, post)
    await pause()
  }
  await erasePost(w, series, { dates: dates.length })
}

async function trashAll(w: Write, key: Key): Promise<Post> {
  const post = await findEditable(w, 'series', key, 'delete')
  if (post.status === 'trash') return trashPost(w, 'series', { id: post.id })
  await trashSeries(w, await findSeries(w.tx, post.id))
  return post
}

/** Removes events, which may be dates of a series, or series. */
export const openSeriesRemoval = (kind: 'event' | 'series') => ({
  /** Moves a record to the trash, and returns it. Throws 410 if it is there. */
  trash: (w: Write, key: Key, range: ApplyTo = 'this'): Promise<Post> =>
    kind === 'event' ? trashEvent(w, key, range) : trashAll(w, key),
  /** Deletes a record permanently. */
  erase: (w: Write, post: Post, range: ApplyTo = 'this'): Promise<void> =>
    kind === 'event' ? eraseEvent(w, post, range) : eraseSeries(w, post),
})
