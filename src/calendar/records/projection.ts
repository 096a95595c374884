import { isDeepStrictEqual } from 'node:util'
import { and, eq, inArray, ne, notInArray, sql } from 'drizzle-orm'
import { documents, links, posts, type Refs, terms } from '../../../drizzle/tables.ts'
import { ALL, type Operation, recordChange, TOUCHED, type Was } from '../../kernel/database/changes.ts'
import { prepared, type Queries } from '../../kernel/database/db.ts'
import { toWall } from '../../kernel/time/dates.ts'
import type { MediaRow, Post, TermRow } from '../formats/records.ts'
import { dropSearch, saveSearch } from '../search/indexing.ts'
import { findListing, type Listing, type Stored, saveDocument } from './derived.ts'
import { type Refreshing, refreshLinked, refreshPosts, refreshTerms } from './refresh.ts'
import type { LinkKind } from './rows.ts'
import { withDescendants } from './term-keys.ts'
import type { ServiceWrite } from './write.ts'

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
  w: ServiceWrite,
  kind: K,
  written: Written<Kinds[K]>,
): Promise<void> => PROJECTIONS[kind](w, written)

const PROJECTIONS: { [K in keyof Kinds]: (w: ServiceWrite, written: Written<Kinds[K]>) => Promise<void> } = {
  post: projectPost,
  term: projectTerm,
  media: projectMedia,
  user: (w, written) => note(w, 'user', written),
  token: (w, written) => note(w, 'token', written),
}

/** Who writes when, for the rows of other records. */
const by = ({ now, caller }: ServiceWrite, touched = 0): Refreshing => ({ now, by: caller?.id, touched })

/** The bit of a write that changes nothing of what everybody sees. */
const unseen = ({ before, after }: Written<{ post: Pick<Post, 'status'> }>) =>
  before?.post.status === 'publish' || after?.post.status === 'publish' ? 0 : TOUCHED.unseen

/** Records the change of one record, without refreshing others. */
async function note(
  w: ServiceWrite,
  kind: string,
  { before, after }: Written<{ id: number; hidden?: boolean }>,
  was?: Was,
) {
  const operation = before ? (after ? 'update' : 'delete') : 'create'
  const { id, hidden } = (after ?? before)!
  const touched = ALL | (hidden ? TOUCHED.unseen : 0)
  await recordChange(w.tx, { kind, id, operation, ...by(w, touched), was })
}

async function projectPost(w: ServiceWrite, { before, after }: Written<Stored>) {
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
  const shown = await projectTranslations(w, before?.post, after?.post, hides)
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
async function projectEvent(w: ServiceWrite, { before, after }: Written<Stored>, refs: Refs | undefined) {
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

const addToCount = prepared((db) =>
  db
    .update(terms)
    .set({ count: sql`${terms.count} + ${sql.placeholder('by')}` })
    .where(eq(terms.id, sql.placeholder('id')))
    .prepare(),
)

/** Updates the counts of terms after a change of the status or links of an event; returns the terms whose counts changed. */
async function recount(tx: Queries, before: number[], after: number[]): Promise<number[]> {
  const left = before.filter((id) => !after.includes(id))
  const joined = after.filter((id) => !before.includes(id))
  for (const id of left) await addToCount(tx).execute({ id, by: -1 })
  for (const id of joined) await addToCount(tx).execute({ id, by: 1 })
  return [...left, ...joined]
}

/** The terms that count an event with these links: published ones are counted, also those under a password (D38). */
const countedIn = (post: Pick<Post, 'status'> | undefined, { category, tag }: Refs): number[] =>
  post?.status === 'publish' ? [...category, ...tag] : []

/** The terms that everybody sees in an event with these links. */
const shownIn = (post: Pick<Post, 'status' | 'password_hash'> | undefined, refs: Refs): number[] =>
  post?.password_hash === null ? countedIn(post, refs) : []

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
async function refreshChildren(w: ServiceWrite, id: number, hides: number) {
  const children = await childrenOf(w.tx).execute({ id })
  await refreshPosts(
    w.tx,
    children.map((child) => child.id),
    by(w, TOUCHED.traits | hides),
  )
}

/** The pages of records show the alternative texts of their picture, those of protected ones not to everybody. A record that loses its picture is written itself. */
async function projectMedia(w: ServiceWrite, { before, after }: Written<Kinds['media']>) {
  await note(w, 'media', { before, after })
  if (before && after) await refreshPosts(w.tx, await postsWith(w.tx, after.id), by(w), true)
}

/** Updates the translation groups of a post; returns the records that events show and whose responses changed. */
async function projectTranslations(
  w: ServiceWrite,
  was: Post | undefined,
  is: Post | undefined,
  hides: number,
): Promise<number[]> {
  if (is && is.translation_group !== null && is.translation_group !== was?.translation_group)
    await joinTranslations(w.tx, is)
  if (shownToTranslations(was) === shownToTranslations(is)) return []
  const peers = await postTranslations(w.tx, was, is)
  const ids = peers.map(({ id }) => id)
  await refreshPosts(w.tx, ids, by(w, hides))
  return ids
}

async function projectTerm(w: ServiceWrite, { before, after }: Written<TermRow>) {
  const { id, taxonomy, hidden } = (after ?? before)!
  const groupOf = (term: TermRow | undefined) =>
    term && term.translation_group !== null ? `${term.translation_group} ${term.language}` : ''
  const peers = groupOf(before) === groupOf(after) ? [] : await termTranslations(w.tx, before, after)
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
  event_id: 0,
  modified: 0,
  status: TOUCHED.sight,
  author_id: TOUCHED.sight,
  language: TOUCHED.sight,
  hidden: TOUCHED.sight,
  starts: TOUCHED.dates,
  ends: TOUCHED.dates,
  utc_starts: TOUCHED.dates,
  utc_ends: TOUCHED.dates,
  // filters on what a password protects find the event otherwise
  protected: TOUCHED.traits | TOUCHED.links | TOUCHED.texts,
}

/** What decided who saw a post; `listing` is the row for lists of an event. */
const wasOf = ({ status, author_id: author, language }: Post, listing: Listing | undefined): Was => ({
  status,
  author,
  language,
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

type Grouped = { id: number; translation_group: number | null }

/** The translation groups of a record before and after a write. */
const groupsOf = (was: Grouped | undefined, is: Grouped | undefined) =>
  [was, is].flatMap((record) => record?.translation_group ?? [])

/** The other posts in the translation groups of a post, before and after a write. */
async function postTranslations(tx: Queries, was: Post | undefined, is: Post | undefined) {
  const groups = groupsOf(was, is)
  return tx
    .select({ id: posts.id, kind: posts.kind, status: posts.status })
    .from(posts)
    .where(and(inArray(posts.translation_group, groups), ne(posts.id, (is ?? was)!.id)))
}

/** The other terms in the translation groups of a term, before and after a write. */
async function termTranslations(tx: Queries, was: TermRow | undefined, is: TermRow | undefined) {
  const groups = groupsOf(was, is)
  return tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(inArray(terms.translation_group, groups), ne(terms.id, (is ?? was)!.id)))
}

/** The posts that have a picture. */
const postsWith = async (tx: Queries, image: number): Promise<number[]> =>
  (await tx.select({ id: posts.id }).from(posts).where(eq(posts.image_id, image))).map(({ id }) => id)

/** The members of a translation that the other posts of its set show; none if it is in the trash. */
const shownToTranslations = (post: Post | undefined) =>
  post === undefined || post.translation_group === null || post.status === 'trash'
    ? ''
    : [post.translation_group, post.language, post.status === 'publish' || post.author_id].join(' ')

/** Stores a new translation group in the documents of its records: the first one was in no set before. */
async function joinTranslations(tx: Queries, { id, translation_group: group }: Post) {
  const others = tx
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.translation_group, group!), ne(posts.id, id)))
  await tx
    .update(documents)
    .set({ translation_group: group })
    .where(and(inArray(documents.post_id, others), sql`${documents.translation_group} is not ${group}`))
}

/** The members of a term that events show, except its count. */
const shownInEvents = (term: TermRow | undefined) =>
  term && JSON.stringify([term.name, term.slug, term.description, term.parent_id])

/** Removes the links to a deleted record from all events and their documents. */
async function unlinkAll(tx: Queries, kind: LinkKind, target: number) {
  const path = `$.${kind}`
  const left = sql`(select json_group_array(value) from json_each(${documents.refs}, ${path}) where value <> ${target})`
  const linked = and(eq(links.kind, kind), eq(links.target_id, target))
  await tx
    .update(documents)
    .set({ refs: sql`json_set(${documents.refs}, ${path}, json(${left}))` })
    .where(inArray(documents.post_id, tx.select({ id: links.event_id }).from(links).where(linked)))
  await tx.delete(links).where(linked)
}

const hiddenAmong = prepared((db) =>
  db
    .select({ id: terms.id })
    .from(terms)
    .where(
      and(
        eq(terms.hidden, true),
        sql`${terms.id} in (select value from json_each(${sql.placeholder('ids')}))`,
      ),
    )
    .prepare(),
)

/** These terms and all above them: an event shows the parent of its category. */
const withAncestors = (ids: number[]) =>
  sql`(with recursive above(id) as (select value from json_each(${JSON.stringify(ids)})
    union select parent_id from terms join above using (id) where parent_id <> 0) select id from above)`

/**
 * Shows hidden terms to everybody, with all above them, when an event that everybody sees has them. Whoever follows is told of them as
 * new, and of their translations, which show them from now on. Returns the terms that were hidden.
 */
async function revealTerms(tx: Queries, ids: number[], how: Refreshing): Promise<number[]> {
  if (ids.length === 0) return []
  const hidden = await hiddenAmong(tx).execute({ ids: JSON.stringify(ids) })
  if (hidden.length === 0) return []
  const shown = await tx
    .update(terms)
    .set({ hidden: false, modified_utc: toWall(how.now, 'UTC') })
    .where(and(eq(terms.hidden, true), sql`${terms.id} in ${withAncestors(hidden.map(({ id }) => id))}`))
    .returning()
  // not seen before, so without what it was
  for (const { id, taxonomy } of shown)
    await recordChange(tx, { kind: taxonomy, id, operation: 'publish', ...how, touched: ALL })
  const revealed = shown.map(({ id }) => id)
  const groups = shown.flatMap(({ translation_group }) => translation_group ?? [])
  const peers = await tx
    .select({ id: terms.id })
    .from(terms)
    .where(and(inArray(terms.translation_group, groups), notInArray(terms.id, revealed)))
  await refreshTerms(
    tx,
    peers.map(({ id }) => id),
    'refresh',
    how,
  )
  return revealed
}
