import { posts, type Refs } from '../../../../drizzle/tables.ts'
import type { SeriesInput } from '../../../../schemas/series.ts'
import { type Problems, refuse } from '../../../kernel/errors.ts'
import type { EventRow, Post, SeriesRow } from '../../formats/records.ts'
import { given } from '../../recurrence/expansion.ts'
import { moveRecurrence } from '../../recurrence/recurrence.ts'
import type { Recurrence, RecurrenceId } from '../../recurrence/rule.ts'
import type { Span } from '../../span.ts'
import { emitChanged } from '../changed-fields.ts'
import { checkAuthors, readEventInput, type StoredEvent, saveEvent } from '../events.ts'
import { checkNotInTrash, editable, type Key, seekPost } from '../posts.ts'
import { project } from '../projection.ts'
import { LINK_KINDS, linksOf, postRows, setLinks } from '../rows.ts'
import {
  freePostSlug,
  insertPost,
  modified,
  newTranslationGroup,
  type PostInput,
  type ServiceWrite,
  trashedPost,
  updatePost,
  type Write,
} from '../write.ts'
import { movedDates, patternOf, readOrRefuse, readSent, recurrenceOf, seriesRowOf, without } from './dates.ts'
import { isSame, type StoredOccurrence, storedOccurrences, syncOccurrences } from './occurrences.ts'
import { lengthOf, spanFrom } from './overrides.ts'
import type { Occurrence, Series } from './rows.ts'

/** What is sent of a series: the members of an event, and how it repeats. */
export type SeriesWrite = SeriesInput & PostInput

const NO_END = 'must be a recurrence; delete the series to end it, or send null to one of its events.'

/** Problems with the records that an input refers to, with its dates and with its recurrence. */
export async function checkSeries(w: Write, sent: SeriesWrite, found?: Post): Promise<Problems> {
  const { event, span, problems } = await readEventInput(w, 'series', sent, found)
  if (sent.recurrence === null) problems.recurrence = NO_END
  if (!sent.recurrence || !span || 'problems' in span) return problems
  const was = found && recurrenceOf((await postRows.series.find(w.tx, found.id))!, event!)
  const read = readSent(w, sent.recurrence, span as Span, was)
  return { ...problems, ...read.problems }
}

/** Creates a series with its occurrences. */
export async function insertSeries(w: Write, sent: SeriesWrite): Promise<Series> {
  refuse(await checkSeries(w, sent))
  const { input, span } = await readEventInput(w, 'series', sent)
  checkAuthors(w.caller, input)
  const recurrence = readOrRefuse(w, sent.recurrence!, span as Span)
  const series = await saveSeriesPattern(w, { input, span: span as Span }, recurrence)
  await syncOccurrences(w, series, [])
  return series
}

/** Changes a series, and with it all occurrences in what they do not override; returns its ID. */
export async function updateSeries(w: Write, key: Key, sent: SeriesWrite): Promise<number> {
  const found = await seekPost(w.tx, 'series', key, w.caller)
  refuse(await checkSeries(w, sent, found))
  const { event, input, span } = await readEventInput(w, 'series', sent, found)
  const post = editable(w.caller, 'series', key, 'change', found)
  checkNotInTrash(post, input.status)
  checkAuthors(w.caller, input, post)
  const row = (await postRows.series.find(w.tx, post.id))!
  const before = { post, event: event!, refs: await linksOf(w.tx, post.id), row }
  const after = await changeSeries(w, before, { input, span: span as Span }, sent.recurrence ?? undefined)
  return after.post.id
}

/** Changes a series by what was checked before; `own` are its occurrences, if others than the stored ones. */
export async function changeSeries(
  w: Write,
  before: Series,
  written: { input: SeriesWrite; span: Span },
  sent: SeriesWrite['recurrence'],
  own?: StoredOccurrence[],
): Promise<Series> {
  const was = recurrenceOf(before.row, before.event)
  const to = patternOf(written.span)
  const hasMoved = to.start !== was.start || to.allDay !== was.allDay
  const recurrence =
    sent || hasMoved
      ? readOrRefuse(w, sent ?? moveRecurrence(was, to), written.span, was)
      : { ...was, zone: to.zone }
  const occurrences = own ?? (await storedOccurrences(w, before.post.id))
  const [until] = hasMoved && before.row.until ? movedDates(was, to, [before.row.until]) : [before.row.until]
  const series = await saveSeriesPattern(w, written, recurrence, before, until)
  await syncOccurrences(
    w,
    series,
    hasMoved ? movedOccurrences(occurrences, was, recurrence, sent !== undefined) : occurrences,
  )
  return series
}

/**
 * Occurrences of a series whose start has moved, by their new dates. They move with it. If a new rule was sent, they move on the clock alone
 * where that leaves any of them a date.
 */
function movedOccurrences(
  occurrences: StoredOccurrence[],
  was: Recurrence,
  to: Recurrence,
  isRuled: boolean,
): StoredOccurrence[] {
  const ids = occurrences.map(({ row }) => row.recurrence_id)
  const far = movedDates(was, to, ids)
  const near = movedDates(was, { ...to, start: was.start.slice(0, 10) + to.start.slice(10) }, ids)
  const chosen = isRuled && given(to, near).size > 0 ? near : far
  return occurrences.map((own, at) => ({ ...own, row: { ...own.row, recurrence_id: chosen[at]! } }))
}

/** Writes a series without its occurrences. */
async function saveSeriesPattern(
  w: Write,
  written: { input: SeriesWrite; span: Span },
  recurrence: Recurrence,
  before?: Series,
  until: RecurrenceId = '',
): Promise<Series> {
  let row = before?.row
  const dated: StoredEvent = await saveEvent(w, 'series', written, before, async ({ post }) => {
    row = seriesRowOf(w, post, recurrence, until)
    await postRows.series.save(w.tx, row)
    return { series: row }
  })
  return { ...dated, row: row! }
}

/** A new series that has an event, or another series, as its pattern. */
export async function copySeries(
  w: ServiceWrite,
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
  await postRows.event.save(w.tx, event)
  for (const kind of LINK_KINDS) await setLinks(w.tx, post.id, kind, [], of.refs[kind])
  const row = seriesRowOf(w, post, recurrence, until)
  await postRows.series.save(w.tx, row)
  const series = { post, event, refs: of.refs, row }
  await project(w, 'post', { after: { post, event, refs: of.refs, series: row } })
  return series
}

/** The translation group of a series that begins: one for all that a write begins with the records of a group, else none. */
async function newSeriesGroup(
  { tx, translations }: ServiceWrite,
  { translation_group: known }: Post,
): Promise<number | null> {
  if (!translations || known === null) return null
  const group = translations.begun.get(known) ?? (await newTranslationGroup(tx, posts))
  translations.begun.set(known, group)
  return group
}

/** Changes how a series repeats, and nothing else of it; its occurrences are left to the caller. */
export const saveRecurrence = (w: ServiceWrite, series: Series, recurrence: Recurrence): Promise<Series> =>
  updateSeriesRow(w, series, seriesRowOf(w, series.post, recurrence, series.row.until))

/** Writes the row of a series, if it differs. */
export async function updateSeriesRow(w: ServiceWrite, series: Series, row: SeriesRow): Promise<Series> {
  if (isSame(row, series.row)) return series
  await postRows.series.save(w.tx, row)
  const post = { ...series.post, ...modified(w) }
  await updatePost(w.tx, post, series.post)
  const { event, refs } = series
  await emitChanged(w, { post: series.post, series: series.row }, { post, series: row })
  await project(w, 'post', { before: { post: series.post, refs }, after: { post, event, refs, series: row } })
  return { post, event, refs, row }
}

/** Makes a series end earlier: dates that it had after that are not kept for it. If added dates alone are left, it begins with the first. */
export async function endEarlier(
  w: ServiceWrite,
  { row, event: was, ...series }: Series,
  recurrence: Recurrence,
): Promise<Series> {
  const isMoved = recurrence.start !== patternOf(was).start
  const event = isMoved ? { ...was, ...spanFrom(recurrence.start, lengthOf(was), was) } : was
  if (isMoved) {
    await postRows.event.save(w.tx, event)
    await emitChanged(w, { post: series.post, event: was }, { post: series.post, event })
  }
  return saveRecurrence(w, { ...series, event, row: { ...row, until: '' } }, recurrence)
}

/** Moves a series with its occurrences to the trash. */
export async function trashSeries(w: Write, series: Series) {
  const post = trashedPost(w, series.post)
  await updatePost(w.tx, post, series.post)
  const { event, refs } = series
  const row = { ...series.row, next_utc: null }
  await postRows.series.save(w.tx, row)
  await emitChanged(w, series, { post })
  await project(w, 'post', { before: { post: series.post, refs }, after: { post, event, refs, series: row } })
  await syncOccurrences(w, { ...series, post })
}

/** Takes a date out of a series, and moves the event to the trash. */
export async function cancelDate(w: Write, series: Series, { post, row }: Pick<Occurrence, 'post' | 'row'>) {
  const recurrence = recurrenceOf(series.row, series.event)
  await syncOccurrences(w, await saveRecurrence(w, series, without(recurrence, row.recurrence_id)))
  await emitChanged(w, { post }, { post: { ...post, status: 'trash' } })
}
