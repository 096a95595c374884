import { eq } from 'drizzle-orm'
import { terms } from '../../../drizzle/tables.ts'
import type { MediaRow, Post, TermRow } from '../../formats/records.ts'
import { toWall } from '../../rules/dates.ts'
import { type Operation, recordChange, refreshLinked } from '../sqlite/changes.ts'
import { dropSearch, saveSearch } from '../sqlite/text-index.ts'
import { joinPeers, postPeers, shownInEvents, shownToPeers, termPeers, unlinkAll } from './affected.ts'
import { type Stored, saveDocument } from './document.ts'
import { countedIn, recount } from './links.ts'
import type { Write } from './write.ts'

/** The transaction and time of a write. */
type Writing = Pick<Write, 'tx' | 'site' | 'now'>
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
 * the counts of terms, links to deleted records, its row in `changes`, and one for every other record whose response
 * changed: translations show one another, events their venues, organizers and terms. Counts (`count` of a term) are kept
 * right, but name no record. Call it once for each written record, after writing its row.
 */
export const project = <K extends keyof Kinds>(
  w: Writing,
  kind: K,
  written: Written<Kinds[K]>,
): Promise<void> => PROJECTIONS[kind](w, written)

const PROJECTIONS: { [K in keyof Kinds]: (w: Writing, written: Written<Kinds[K]>) => Promise<void> } = {
  post: projectPost,
  term: projectTerm,
  media: (w, written) => note(w, 'media', written),
  user: (w, written) => note(w, 'user', written),
  token: (w, written) => note(w, 'token', written),
}

/** Records the change of one record, without refreshing others. */
async function note({ tx, now }: Writing, kind: string, { before, after }: Written<{ id: number }>) {
  await recordChange(tx, kind, (after ?? before)!.id, before ? (after ? 'update' : 'delete') : 'create', now)
}

async function projectPost(w: Writing, { before, after }: Written<Stored>) {
  const { id, kind } = (after ?? before)!.post
  const refs = after && (await saveDocument(w.tx, w.site, after))
  if (kind === 'event') {
    await recount(
      w.tx,
      countedIn(before?.post, (before?.refs ?? refs)!),
      countedIn(after?.post, (refs ?? before?.refs)!),
    )
    if (after) saveSearch(w.tx, after.post, before?.post)
    else dropSearch(w.tx, before!.post)
  }
  await recordChange(w.tx, kind, id, operationOn(before?.post, after?.post), w.now)
  const shown = await projectPeers(w, before?.post, after?.post)
  if (kind === 'event') return
  // no event has a new record, and none shows one in the trash
  if (before && [before, after].some((state) => state && state.post.status !== 'trash')) shown.push(id)
  await refreshLinked(w.tx, kind, shown, w.now)
  if (!after) await unlinkAll(w.tx, kind, id)
}

/** Updates the sets of translations of a post; returns the records that events show and whose responses changed. */
async function projectPeers(w: Writing, was: Post | undefined, is: Post | undefined): Promise<number[]> {
  if (is && is.translation_group !== null && is.translation_group !== was?.translation_group)
    await joinPeers(w.tx, is)
  if (shownToPeers(was) === shownToPeers(is)) return []
  const peers = await postPeers(w.tx, was, is)
  for (const { id, kind } of peers) await recordChange(w.tx, kind, id, 'refresh', w.now)
  return peers.filter(({ status }) => status !== 'trash').map(({ id }) => id)
}

async function projectTerm(w: Writing, { before, after }: Written<TermRow>) {
  const { id, taxonomy } = (after ?? before)!
  const setOf = (term: TermRow | undefined) =>
    term && term.translation_group !== null ? `${term.translation_group} ${term.language}` : ''
  const peers = setOf(before) === setOf(after) ? [] : await termPeers(w.tx, before, after)
  const isShownAnew = shownInEvents(before) !== shownInEvents(after)
  // sent as it was
  if (!isShownAnew && peers.length === 0 && before?.language === after?.language) return
  const modified_utc = toWall(w.now, 'UTC')
  if (after) await w.tx.update(terms).set({ modified_utc }).where(eq(terms.id, id))
  await note(w, taxonomy, { before, after })
  for (const peer of peers) await recordChange(w.tx, taxonomy, peer.id, 'refresh', w.now)
  if (before && isShownAnew) await refreshLinked(w.tx, taxonomy, [id], w.now)
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
