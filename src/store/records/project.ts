import type { MediaRow, Post, TermRow } from '../../formats/records.ts'
import { type Operation, recordChange, refreshLinked } from '../sqlite/changes.ts'
import { dropSearch, saveSearch } from '../sqlite/text-index.ts'
import { joinPeers, postPeers, shownInEvents, shownToPeers, termPeers, unlinkAll } from './affected.ts'
import { type Stored, saveDocument } from './document.ts'
import { countedIn, recount } from './links.ts'
import type { Write } from './write.ts'

/** Where a write is made, and when. */
type Writing = Pick<Write, 'tx' | 'site' | 'now'>
/** How a record was, and how it is; absent where it was not there yet, or is gone. */
type Written<T> = { before?: T | undefined; after?: T | undefined }
/** What is written, by kind. `before.refs` may be left out where the write left the links of an event alone that is there still. */
type Kinds = {
  post: Stored
  term: TermRow
  media: Pick<MediaRow, 'id'>
  user: { id: number }
  token: { id: number }
}

/**
 * The end of every write: derives all that changes with one record. That is its document, its row for lists, the index of texts,
 * the counts of terms, the links to what is gone, its row in `changes`, and one for every other record whose answer is another than
 * before: translations show one another, events their venues, organizers and terms. What only counts (`count` of a term) is kept
 * right, and names nothing. To be called once for each record whose row was written, after that.
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

/** Of a record that no other shows, or only in what it shows of itself. */
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
  // no event has what is new, and none shows what lies in the trash
  if (before && [before, after].some((state) => state && state.post.status !== 'trash')) shown.push(id)
  await refreshLinked(w.tx, kind, shown, w.now)
  if (!after) await unlinkAll(w.tx, kind, id)
}

/** Keeps the sets of translations right that a post was in and is in; gives those whose answers changed with it and that events show. */
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
