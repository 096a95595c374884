import { isDeepStrictEqual } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { posts, type Refs, terms } from '../../../../drizzle/tables.ts'
import {
  ALL,
  type Operation,
  type Refreshing,
  recordChange,
  refreshLinked,
  refreshPosts,
  refreshTerms,
  TOUCHED,
  type Was,
} from '../../../kernel/database/changes.ts'
import { prepared } from '../../../kernel/database/db.ts'
import { toWall } from '../../../kernel/time/dates.ts'
import type { MediaRow, Post, TermRow } from '../../formats/records.ts'
import { dropSearch, saveSearch } from '../../search/unindexed.ts'
import { withDescendants } from '../terms/term-keys.ts'
import type { Write } from '../write.ts'
import {
  joinPeers,
  postPeers,
  postsWith,
  revealTerms,
  shownInEvents,
  shownToPeers,
  termPeers,
  unlinkAll,
} from './affected.ts'
import { findListing, type Listing, type Stored, saveDocument } from './derived.ts'
import { countedIn, recount, shownIn } from './links.ts'

/** The transaction, time and writer of a write; without `caller` the service itself writes. */
type Writing = Pick<Write, 'tx' | 'site' | 'now'> & Partial<Pick<Write, 'caller'>>
/** A record before and after a write; absent if it did not exist before, or is deleted. */
type Written<T> = { before?: T | undefined; after?: T | undefined }
/** The written records, by kind. `before.refs` may be omitted if the write neither changed the links of an event nor deleted it. */
type Kinds = {
  post: Stored
  term: TermRow
  media: Pick<MediaRow, 'id'>
  user: { id: number }
  token: { id: number }
}

/**
 * The end of every write: derives everything that changes with one record. This includes its document, its row for lists, the text index,
 * the counts of terms, links to deleted records, its row in `changes`, and one for every other record whose response changed, or
 * which filters find otherwise: translations show one another, events their venues, organizers and terms, terms the number of their events.
 * Only that number inside of events is not followed. Call it once for each written record, after writing its row.
 */
export const project = <K extends keyof Kinds>(
  w: Writing,
  kind: K,
  written: Written<Kinds[K]>,
): Promise<void> => PROJECTIONS[kind](w, written)

const PROJECTIONS: { [K in keyof Kinds]: (w: Writing, written: Written<Kinds[K]>) => Promise<void> } = {
  post: projectPost,
  term: projectTerm,
  media: projectMedia,
  user: (w, written) => note(w, 'user', written),
  token: (w, written) => note(w, 'token', written),
}

/** Who writes when, for the rows of other records. */
const by = ({ now, caller }: Writing, touched = 0): Refreshing => ({ now, by: caller?.id, touched })

/** The bit of a write that changes nothing of what everybody sees. */
const unseen = ({ before, after }: Written<{ post: Pick<Post, 'status'> }>) =>
  before?.post.status === 'publish' || after?.post.status === 'publish' ? 0 : TOUCHED.unseen

/** Records the change of one record, without refreshing others. */
async function note(
  w: Writing,
  kind: string,
  { before, after }: Written<{ id: number; hidden?: boolean }>,
  was?: Was,
) {
  const operation = before ? (after ? 'update' : 'delete') : 'create'
  const { id, hidden } = (after ?? before)!
  const touched = ALL | (hidden ? TOUCHED.unseen : 0)
  await recordChange(w.tx, { kind, id, operation, ...by(w, touched), was })
}

async function projectPost(w: Writing, { before, after }: Written<Stored>) {
  const { id, kind } = (after ?? before)!.post
  const isEvent = kind === 'event'
  const stored = before && isEvent && !before.listing ? await findListing(w.tx, id) : undefined
  const old = before?.listing ?? stored?.listing
  const left =
    stored && after && after.external === undefined ? { ...after, external: stored.external } : after
  const saved = left && (await saveDocument(w.tx, w.site, left, !before))
  if (isEvent) await projectEvent(w, { before, after }, saved?.refs)
  const hides = unseen({ before, after })
  const touched = (isEvent ? touchedBy({ before, after }, old, saved) : ALL) | hides
  const operation = operationOn(before?.post, after?.post)
  const was = before && wasOf(before.post, old)
  await recordChange(w.tx, { kind, id, operation, ...by(w, touched), was })
  const shown = await projectPeers(w, before?.post, after?.post, hides)
  if (kind === 'series')
    return before && after && isSeenOtherwise(before.post, after.post)
      ? refreshChildren(w, id, hides)
      : undefined
  if (isEvent) return before && touched & TOUCHED.sight ? refreshChildren(w, id, hides) : undefined
  // no event has a new record
  if (before) shown.push(id)
  await refreshLinked(w.tx, kind, shown, by(w, TOUCHED.links | hides))
  if (!after) await unlinkAll(w.tx, kind, id)
}

/** Whether a write changes who sees a post. */
const isSeenOtherwise = (was: Post, is: Post) =>
  was.status !== is.status || was.author_id !== is.author_id || was.language !== is.language

/** Derives the counts and the text index from an event. */
async function projectEvent(w: Writing, { before, after }: Written<Stored>, refs: Refs | undefined) {
  const counts = countedIn(before?.post, (before?.refs ?? refs)!)
  const counted = countedIn(after?.post, (refs ?? before?.refs)!)
  const recounted = await recount(w.tx, counts, counted)
  const revealed = await revealTerms(w.tx, shownIn(after?.post, (refs ?? before?.refs)!), by(w))
  await refreshTerms(
    w.tx,
    recounted.filter((id) => !revealed.includes(id)),
    'recount',
    by(w),
  )
  if (after) saveSearch(w.tx, after.post, before?.post)
  else dropSearch(w.tx, before!.post)
}

/** What filters look at and a write to an event changed; `old` is its row for lists before. */
function touchedBy(
  { before, after }: Written<Stored>,
  old: Listing | undefined,
  saved: Awaited<ReturnType<typeof saveDocument>> | undefined,
): number {
  if (!before || !old || !after) return ALL
  const { refs, listing } = saved!
  return facetsOf({ stored: before, listing: old }, { stored: { ...after, refs }, listing: listing! })
}

const childrenOf = prepared((db) =>
  db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.parent_id, sql.placeholder('id')), eq(posts.kind, 'event')))
    .prepare(),
)

/** The filter `post_parent` finds the children of an event only for callers who may read it. */
async function refreshChildren(w: Writing, id: number, hides: number) {
  const children = await childrenOf(w.tx).execute({ id })
  await refreshPosts(
    w.tx,
    children.map((child) => child.id),
    by(w, TOUCHED.traits | hides),
  )
}

/** The pages of records show the alternative texts of their picture, those of protected ones not to everybody. A record that loses its picture is written itself. */
async function projectMedia(w: Writing, { before, after }: Written<Kinds['media']>) {
  await note(w, 'media', { before, after })
  if (before && after) await refreshPosts(w.tx, await postsWith(w.tx, after.id), by(w), true)
}

/** Updates the sets of translations of a post; returns the records that events show and whose responses changed. */
async function projectPeers(
  w: Writing,
  was: Post | undefined,
  is: Post | undefined,
  hides: number,
): Promise<number[]> {
  if (is && is.translation_group !== null && is.translation_group !== was?.translation_group)
    await joinPeers(w.tx, is)
  if (shownToPeers(was) === shownToPeers(is)) return []
  const peers = await postPeers(w.tx, was, is)
  const ids = peers.map(({ id }) => id)
  await refreshPosts(w.tx, ids, by(w, hides))
  return ids
}

async function projectTerm(w: Writing, { before, after }: Written<TermRow>) {
  const { id, taxonomy, hidden } = (after ?? before)!
  const setOf = (term: TermRow | undefined) =>
    term && term.translation_group !== null ? `${term.translation_group} ${term.language}` : ''
  const peers = setOf(before) === setOf(after) ? [] : await termPeers(w.tx, before, after)
  const isShownAnew = shownInEvents(before) !== shownInEvents(after)
  // sent as it was
  if (!isShownAnew && peers.length === 0 && before?.language === after?.language) return
  const modified_utc = toWall(w.now, 'UTC')
  if (after) await w.tx.update(terms).set({ modified_utc }).where(eq(terms.id, id))
  await note(w, taxonomy, { before, after }, before && { language: before.language })
  const ids = peers.map((peer) => peer.id)
  // who does not see a term does not see in others that it is their translation
  await refreshTerms(w.tx, ids, 'refresh', by(w, hidden ? TOUCHED.unseen : 0))
  if (after && !hidden && after.parent_id !== 0) await revealTerms(w.tx, [after.parent_id], by(w))
  if (before && isShownAnew) {
    // a filter by a category finds the events of its descendants, which moved with it
    const moved = before.parent_id === after?.parent_id ? [id] : await withDescendants(w.tx, [id])
    await refreshLinked(w.tx, taxonomy, moved, by(w, TOUCHED.links))
  }
  if (!after) await unlinkAll(w.tx, taxonomy, id)
}

/** What happened to a post. */
function operationOn(was: Post | undefined, is: Post | undefined): Operation {
  if (!was) return 'create'
  if (!is) return 'delete'
  if (is.status === 'trash') return was.status === 'trash' ? 'update' : 'trash'
  if (was.status === 'trash') return 'restore'
  return was.status === 'future' && is.status === 'publish' ? 'publish' : 'update'
}

/** What each column of a row for lists is for filters; the others are flags. */
const COLUMNS: Partial<Record<keyof Listing, number>> = {
  ...{ event_id: 0, modified: 0 },
  ...{ status: TOUCHED.sight, author_id: TOUCHED.sight, language: TOUCHED.sight, hidden: TOUCHED.sight },
  ...{ starts: TOUCHED.dates, ends: TOUCHED.dates, utc_starts: TOUCHED.dates, utc_ends: TOUCHED.dates },
  // filters on what a password protects find the event otherwise
  protected: TOUCHED.traits | TOUCHED.links | TOUCHED.texts,
}

/** What decided who saw a post; `listing` is the row for lists of an event. */
const wasOf = ({ status, author_id: author, language }: Post, listing: Listing | undefined): Was => ({
  ...{ status, author, language },
  hidden: listing?.hidden ?? false,
})

/** An event with its row for lists. */
type Listed = { stored: Stored; listing: Listing }

/** The bits of `TOUCHED` of a write to an event, from what it was and is. */
function facetsOf(before: Listed, after: Listed): number {
  const names = Object.keys(after.listing) as (keyof Listing)[]
  let bits = 0
  for (const name of names)
    if (before.listing[name] !== after.listing[name]) bits |= COLUMNS[name] ?? TOUCHED.traits
  if (before.stored.post.folded !== after.stored.post.folded) bits |= TOUCHED.texts
  const { refs } = before.stored
  if (refs && !isDeepStrictEqual(refs, after.stored.refs)) bits |= TOUCHED.links
  return bits
}
