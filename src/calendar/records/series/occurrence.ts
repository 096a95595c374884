import { isDeepStrictEqual } from 'node:util'
import type { Refs } from '../../../../drizzle/tables.ts'
import { withSuffix } from '../../../kernel/text/text.ts'
import { type EventRow, isDraft, type OccurrenceRow, type Post } from '../../formats/records.ts'
import type { RecurrenceId } from '../../recurrence/rule.ts'
import { previousStart } from '../../time/former.ts'
import { upsertEvent } from '../event-rows.ts'
import { foldAll, searched } from '../projection/derived.ts'
import { LINK_KINDS, linksOf, NO_REFS, setLinks } from '../projection/links.ts'
import { project } from '../projection/project.ts'
import { freePostSlug } from '../slugs.ts'
import { insertPost, modified, updatePost, type Write } from '../write.ts'
import { IN_EVENT, IN_LINKS, IN_POST, spanOf } from './members.ts'
import { type Occurrence, type Series, saveOccurrenceRow } from './rows.ts'
import { translationGroupOf } from './sets.ts'

/** What writing an occurrence needs of a write: also the service itself writes them. */
export type Writing = Pick<Write, 'tx' | 'site' | 'now'> & Partial<Pick<Write, 'caller' | 'translations' | 'ids'>>

/** An occurrence as it is or should be. */
type Whole = { post: Post; event: EventRow; refs: Refs; row: OccurrenceRow }

const isTextual = (name: string) => name === 'title' || name === 'description' || name === 'excerpt'

/** The shared part of an occurrence: that of its series, but for what it overrides and what is its own. */
function postAfter(series: Post, own: Post | undefined, overrides: string[]): Post {
  if (!own)
    return {
      ...series,
      ...{ id: 0, kind: 'event', slug: '', parent_id: series.id, translation_group: null },
      ...{ untrashed_slug: null, untrashed_status: null },
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
  w: Writing,
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
  w: Writing,
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
 * Brings an occurrence in step with its series: what it does not override is as there. One that is in the trash comes back. Writes nothing
 * if nothing differs. `stored` is the row that it has, if `row` is another one.
 */
export async function updateOccurrence(
  w: Writing,
  series: Series,
  own: Occurrence,
  stored: OccurrenceRow | undefined = own.row,
) {
  const { overrides, recurrence_id } = own.row
  const before = await linksOf(w.tx, own.post.id)
  const post = postAfter(series.post, own.post, overrides)
  const event = eventAfter(series, recurrence_id, own.event, overrides)
  const refs = refsAfter(series.refs, before, overrides)
  const row = { ...own.row, series_id: series.post.id }
  post.slug = await slugAfter(w, series.post, post, own.post, recurrence_id)
  post.translation_group = await translationGroupOf(w, series.post, recurrence_id, own.post)
  const isLeft =
    isSame(post, own.post, MODIFIED) &&
    isSame(event, own.event) &&
    isSame(refs, before) &&
    stored &&
    isSame(row, stored)
  if (isLeft) return
  const after = { post: { ...post, ...modified(w) }, event, refs, row }
  await updatePost(w.tx, after.post, own.post)
  await saveOccurrence(w, after, before, own.post)
}

/** Writes what an occurrence has beside its row in `posts`, and derives what depends on it. */
async function saveOccurrence(w: Writing, after: Whole, refs: Refs, before?: Post) {
  await upsertEvent(w.tx).execute(after.event)
  await saveOccurrenceRow(w.tx, after.row)
  for (const kind of LINK_KINDS) await setLinks(w.tx, after.post.id, kind, refs[kind], after.refs[kind])
  const { row: occurrence, ...rest } = after
  await project(w, 'post', {
    before: before && { post: before, refs },
    after: { ...rest, occurrence },
  })
}
