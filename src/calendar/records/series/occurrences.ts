import { isDeepStrictEqual } from 'node:util'
import { and, eq, ne, sql } from 'drizzle-orm'
import { occurrences, posts, type Refs } from '../../../../drizzle/tables.ts'
import { prepared } from '../../../kernel/database/db.ts'
import { openPauses } from '../../../kernel/database/queue.ts'
import { withSuffix } from '../../../kernel/text/text.ts'
import { type EventRow, isDraft, type OccurrenceRow, type Post } from '../../formats/records.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { previousStart } from '../../span.ts'
import { foldAll, searched } from '../derived.ts'
import type { StoredEvent } from '../events.ts'
import { project } from '../projection.ts'
import { LINK_KINDS, linksOf, NO_REFS, postRows, setLinks } from '../rows.ts'
import {
  freePostSlug,
  insertPost,
  modified,
  newTranslationGroup,
  type ServiceWrite,
  trashedPost,
  updatePost,
} from '../write.ts'
import { datesOf, recurrenceOf } from './dates.ts'
import { IN_EVENT, IN_LINKS, IN_POST, spanOf } from './overrides.ts'
import { type Occurrence, occurrencesOf, type Series, translatedDatesOf } from './rows.ts'

/** An occurrence as it is or should be. */
type Whole = { post: Post; event: EventRow; refs: Refs; row: OccurrenceRow }
/** An occurrence, whose date may be another than the stored one; `stored` is absent if it was a single event. */
export type StoredOccurrence = Occurrence & { stored?: Occurrence['row'] | undefined }

/** The occurrences of a series as they are stored. */
export const storedOccurrences = async (
  { tx }: Pick<ServiceWrite, 'tx'>,
  id: number,
): Promise<StoredOccurrence[]> => (await occurrencesOf(tx, id)).map((own) => ({ ...own, stored: own.row }))

const wantedDates = (w: ServiceWrite, { row, event }: Series): RecurrenceId[] =>
  datesOf(w, recurrenceOf(row, event), row.until).dates

/**
 * Synchronizes all occurrences of a series with it. A date without one gets one; one whose date the series does not have goes to the
 * trash with what it overrides, and comes back with its date; the others follow in what they do not override. A series in the trash has no dates.
 */
export async function syncOccurrences(w: ServiceWrite, series: Series, given?: StoredOccurrence[]) {
  const pause = openPauses(w.tx)
  const missing = new Set<RecurrenceId>(series.post.status === 'trash' ? [] : wantedDates(w, series))
  const all = given ?? (await storedOccurrences(w, series.post.id))
  // of two that have the same date by now, that which is not in the trash
  const isTrash = ({ post }: StoredOccurrence) => Number(post.status === 'trash')
  for (const own of all.sort((one, other) => isTrash(one) - isTrash(other))) {
    const isWanted = missing.delete(own.row.recurrence_id)
    if (isWanted) await updateOccurrence(w, series, own, own.stored)
    else await trashOccurrence(w, series, own)
    await pause()
  }
  for (const id of missing) {
    await addOccurrence(w, series, id)
    await pause()
  }
}

/** Moves an occurrence to the trash, where it stays with its series, in case its date comes back. */
async function trashOccurrence(
  w: ServiceWrite,
  series: Series,
  { post, event, row, stored }: StoredOccurrence,
) {
  const isThere = post.status === 'trash'
  const occurrence = { ...row, series_id: series.post.id }
  if (isThere && stored && isSame(occurrence, stored)) return
  const after = { ...(isThere ? post : trashedPost(w, post)), parent_id: series.post.id }
  await postRows.occurrence.save(w.tx, occurrence)
  await updatePost(w.tx, after, post)
  await project(w, 'post', { before: { post }, after: { post: after, event, occurrence } })
}

const isTextual = (name: string) => name === 'title' || name === 'description' || name === 'excerpt'

/** The shared part of an occurrence: that of its series, but for what it overrides and what is its own. */
function postAfter(series: Post, own: Post | undefined, overrides: string[]): Post {
  if (!own)
    return {
      ...series,
      id: 0,
      kind: 'event',
      slug: '',
      parent_id: series.id,
      translation_group: null,
      untrashed_slug: null,
      untrashed_status: null,
    }
  const post = { ...own, parent_id: series.id, language: series.language }
  const columns = Object.entries(IN_POST).flatMap(([name, columns]) =>
    overrides.includes(name) ? [] : (columns as readonly (keyof Post)[]),
  )
  for (const column of columns) Object.assign(post, { [column]: series[column] })
  if (own.status === 'trash') {
    if (overrides.includes('status')) post.status = own.untrashed_status!
    Object.assign(post, { slug: own.untrashed_slug!, untrashed_slug: null, untrashed_status: null })
  }
  return Object.assign(
    post,
    overrides.some(isTextual)
      ? foldAll(post.title, searched.event(post))
      : { folded: series.folded, folded_title: series.folded_title },
  )
}

function eventAfter(
  series: Series,
  id: RecurrenceId,
  own: EventRow | undefined,
  overrides: string[],
): EventRow {
  const event = { ...series.event, ...own, ...spanOf(series, id, own, overrides) }
  if (own)
    for (const name of IN_EVENT)
      if (!overrides.includes(name)) Object.assign(event, { [name]: series.event[name as keyof EventRow] })
  event.previous_start_date = previousStart(own, event)
  return event
}

function refsAfter(series: Refs, own: Refs, overrides: string[]): Refs {
  const after = { ...own }
  for (const [name, kind] of Object.entries(IN_LINKS))
    if (!overrides.includes(name)) after[kind] = series[kind]
  return after
}

/** The slug of an occurrence: that of its series with its date. One that has none yet gets it when it is published. */
async function slugAfter(
  w: ServiceWrite,
  series: Post,
  post: Post,
  own: Post | undefined,
  id: RecurrenceId,
): Promise<string> {
  const base = series.slug || series.untrashed_slug
  if (own?.status === 'trash' && post.slug) return freePostSlug(w.tx, 'event', post.slug, own.id)
  if (post.slug || !base || isDraft(post.status)) return post.slug
  return freePostSlug(w.tx, 'event', withSuffix(base, id.slice(0, 10)), post.id)
}

/** Whether all members of `one` but some are those of `other`. */
export const isSame = (one: object, other: object, without: string[] = []) =>
  Object.keys(one).every(
    (name) =>
      without.includes(name) ||
      isDeepStrictEqual(one[name as keyof typeof one], other[name as keyof typeof other]),
  )
const MODIFIED = ['modified', 'modified_utc']

/** Makes the occurrence of a date. */
export async function addOccurrence(
  w: ServiceWrite,
  series: Series,
  recurrence_id: RecurrenceId,
): Promise<Occurrence> {
  const post = { ...postAfter(series.post, undefined, []), ...modified(w) }
  post.slug = await slugAfter(w, series.post, post, undefined, recurrence_id)
  post.translation_group = await translationGroupOf(w, series.post, recurrence_id, undefined)
  post.id = await insertPost(w.tx, post, w.ids?.ofDate?.(recurrence_id))
  const row: OccurrenceRow = { post_id: post.id, series_id: series.post.id, recurrence_id, overrides: [] }
  const event = { ...eventAfter(series, recurrence_id, undefined, []), post_id: post.id }
  await saveOccurrence(w, { post, event, refs: series.refs, row }, NO_REFS)
  return { post, event, row }
}

/**
 * Synchronizes an occurrence with its series: what it does not override is as there. One that is in the trash comes back. Writes nothing
 * if nothing differs. `stored` is the row that it has, if `row` is another one. Returns it as it was and as it is.
 */
export async function updateOccurrence(
  w: ServiceWrite,
  series: Series,
  own: Occurrence,
  stored: OccurrenceRow | undefined = own.row,
): Promise<[before: StoredEvent, after: StoredEvent]> {
  const { overrides, recurrence_id } = own.row
  const before = { post: own.post, event: own.event, refs: await linksOf(w.tx, own.post.id) }
  const post = postAfter(series.post, own.post, overrides)
  const event = eventAfter(series, recurrence_id, own.event, overrides)
  const refs = refsAfter(series.refs, before.refs, overrides)
  const row = { ...own.row, series_id: series.post.id }
  post.slug = await slugAfter(w, series.post, post, own.post, recurrence_id)
  post.translation_group = await translationGroupOf(w, series.post, recurrence_id, own.post)
  const isLeft =
    isSame(post, own.post, MODIFIED) &&
    isSame(event, own.event) &&
    isSame(refs, before.refs) &&
    stored &&
    isSame(row, stored)
  if (isLeft) return [before, before]
  const after = { post: { ...post, ...modified(w) }, event, refs, row }
  await updatePost(w.tx, after.post, own.post)
  await saveOccurrence(w, after, before.refs, own.post)
  return [before, after]
}

/** Writes what an occurrence has besides its row in `posts`, and derives what depends on it. */
async function saveOccurrence(w: ServiceWrite, after: Whole, refs: Refs, before?: Post) {
  await postRows.event.save(w.tx, after.event)
  await postRows.occurrence.save(w.tx, after.row)
  for (const kind of LINK_KINDS) await setLinks(w.tx, after.post.id, kind, refs[kind], after.refs[kind])
  const { row: occurrence, ...rest } = after
  await project(w, 'post', {
    before: before && { post: before, refs },
    after: { ...rest, occurrence },
  })
}

/** The series that an event is a date of, and the translation group of that series. */
const OF_SERIES = sql`(select other.translation_group from posts as other where other.id = ${occurrences.series_id})`

/** The events of a translation group that are not in the trash, each with its date and series where it has these. */
const groupEvents = prepared((db) =>
  db
    .select({
      id: posts.id,
      language: posts.language,
      date: occurrences.recurrence_id,
      series: occurrences.series_id,
      group: OF_SERIES.as('series_group'),
    })
    .from(posts)
    .leftJoin(occurrences, eq(occurrences.post_id, posts.id))
    .where(and(eq(posts.translation_group, sql.placeholder('set')), ne(posts.status, 'trash')))
    .prepare(),
)

/**
 * The translation group that an event of a series belongs to: that of the same date of the translations of its series. It leaves a group
 * with which it no longer shares its date or its series' translations, and one that has its language already. Single events that it was
 * linked to before it repeated stay in its group. Series that are still to be synchronized in this write are left out.
 */
async function translationGroupOf(
  { tx, translations }: ServiceWrite,
  series: Post,
  date: RecurrenceId,
  own: Post | undefined,
): Promise<number | null> {
  const known = own?.translation_group ?? null
  const group = series.translation_group
  if (known === null && group === null) return null
  const isPending = (id: number | null) => id !== null && translations?.pending.has(id) === true
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
