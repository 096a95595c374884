import { posts, type Refs } from '../../../../drizzle/tables.ts'
import type { EventRow, Post, SeriesRow } from '../../formats/records.ts'
import type { Recurrence, RecurrenceId } from '../../recurrence/rule.ts'
import { upsertEvent } from '../event-rows.ts'
import { LINK_KINDS, setLinks } from '../projection/links.ts'
import { project } from '../projection/project.ts'
import { keepRevision } from '../revisions.ts'
import { freePostSlug } from '../slugs.ts'
import { newTranslationGroup, insertPost, modified, updatePost } from '../write.ts'
import { patternOf, seriesRowOf } from './dates.ts'
import { lengthOf, spanFrom } from './members.ts'
import { isSame, type Writing } from './occurrence.ts'
import { type Series, saveSeriesRow } from './rows.ts'

/** A new series that has an event, or another series, as its pattern. */
export async function copySeries(
  w: Writing,
  of: { post: Post; event: EventRow; refs: Refs },
  recurrence: Recurrence,
  until: RecurrenceId = '',
): Promise<Series> {
  const post: Post = {
    ...of.post,
    id: 0,
    kind: 'series',
    parent_id: null,
    translation_group: await newSeriesGroup(w, of.post),
    ...modified(w),
  }
  if (post.slug) post.slug = await freePostSlug(w.tx, 'series', post.slug, 0)
  post.id = await insertPost(w.tx, post)
  const event = { ...of.event, post_id: post.id, previous_start_date: '' }
  await upsertEvent(w.tx).execute(event)
  for (const kind of LINK_KINDS) await setLinks(w.tx, post.id, kind, [], of.refs[kind])
  const row = seriesRowOf(w, post, recurrence, until)
  await saveSeriesRow(w.tx, row)
  const series = { post, event, refs: of.refs, row }
  await project(w, 'post', { after: { post, event, refs: of.refs, series: row } })
  return series
}

/** The set of translations of a series that begins: one for all that a write begins with the records of a set, else none. */
async function newSeriesGroup({ tx, translations: shared }: Writing, { translation_group: known }: Post): Promise<number | null> {
  if (!shared || known === null) return null
  const set = shared.begun.get(known) ?? (await newTranslationGroup(tx, posts))
  shared.begun.set(known, set)
  return set
}

/** Changes how a series repeats, and nothing else of it; its occurrences are left to the caller. */
export const saveRecurrence = (w: Writing, series: Series, recurrence: Recurrence): Promise<Series> =>
  updateSeriesRow(w, series, seriesRowOf(w, series.post, recurrence, series.row.until))

/** Writes the row of a series, if it differs. */
export async function updateSeriesRow(w: Writing, series: Series, row: SeriesRow): Promise<Series> {
  if (isSame(row, series.row)) return series
  await saveSeriesRow(w.tx, row)
  const post = { ...series.post, ...modified(w) }
  await updatePost(w.tx, post, series.post)
  const { event, refs } = series
  await keepRevision(w, { post: series.post, series: series.row }, { post, series: row })
  await project(w, 'post', { before: { post: series.post, refs }, after: { post, event, refs, series: row } })
  return { post, event, refs, row }
}

/** Makes a series end earlier: dates that it had after that are not kept for it. If added dates alone are left, it begins with the first. */
export async function endEarlier(
  w: Writing,
  { row, event: was, ...series }: Series,
  recurrence: Recurrence,
): Promise<Series> {
  const isMoved = recurrence.start !== patternOf(was).start
  const event = isMoved ? { ...was, ...spanFrom(recurrence.start, lengthOf(was), was) } : was
  if (isMoved) {
    await upsertEvent(w.tx).execute(event)
    await keepRevision(w, { post: series.post, event: was }, { post: series.post, event })
  }
  return saveRecurrence(w, { ...series, event, row: { ...row, until: '' } }, recurrence)
}
