import type { Post } from '../../formats/records.ts'
import { findById, type Key, type PostKind, seekPost } from '../posts.ts'
import { syncOccurrences } from '../series/follow.ts'
import { findSeries } from '../series/rows.ts'
import type { SeriesWrite } from '../series/series.ts'
import { seriesWrites } from '../series/writes.ts'
import type { Write } from '../write.ts'
import type { Fields } from './facts.ts'
import { editableTranslations, sharedFieldsOf, inputToShare, isTimed, namesToShare } from './sets.ts'

export type Update<I> = (w: Write, key: Key, sent: I) => Promise<number>

/** A write to another record of the set: nothing of it was sent as it is shown, and nobody hears of what it ignored. */
export const forTranslation = (w: Write): Write => ({ ...w, given: {}, ignored: [] })

/** A write to a set of translations, in which these series are still to follow. */
export const withTranslations = (w: Write, pending: number[] = []): Write => ({
  ...w,
  translations: { pending: new Set(pending), begun: new Map() },
})

/** Updates a record; returns it with the names of the facts that its set is to have as well. */
export async function updateFirst<I extends object>(
  w: Write,
  kind: PostKind,
  key: Key,
  sent: I,
  update: Update<I>,
): Promise<{ post: Post; names: string[] }> {
  const found = await seekPost(w.tx, kind, key, w.caller)
  const before = found ? await sharedFieldsOf(w, found, found.language) : {}
  const id = await update(w, key, sent)
  const post = (await findById(w.tx, kind, id))!
  const after = await sharedFieldsOf(w, post, post.language)
  return { post, names: namesToShare(kind, sent as Fields, before, after) }
}

/** Updates of venues or organizers, with `all` of their translations that the caller may edit as well. */
export const openLinkedSets =
  <I extends object>(kind: 'venue' | 'organizer', update: Update<I>) =>
  async (w: Write, key: Key, sent: I, all = false): Promise<number> => {
    if (!all) return update(w, key, sent)
    const { post, names } = await updateFirst(w, kind, key, sent, update)
    for (const other of await editableTranslations(w, post)) {
      const input = await inputToShare(w, post, other, names)
      if (input) await update(forTranslation(w), { id: other.id }, input as I)
    }
    return post.id
  }

/** Applies facts of a series to others of its set. If it has other dates by now, these are brought together with those of the others. */
export async function shareSeries(w: Write, from: Post, names: string[], others: Post[], timed: boolean) {
  for (const other of others) {
    w.translations!.pending.delete(other.id)
    const input = await inputToShare(w, from, other, names)
    if (input) await seriesWrites.update(forTranslation(w), { id: other.id }, input as SeriesWrite)
    else if (timed) await syncOccurrences(w, await findSeries(w.tx, other.id))
  }
}

/** Updates a series, with `all` its translations that the caller may edit as well. */
export async function updateSeriesSet(w: Write, key: Key, sent: SeriesWrite, all = false): Promise<number> {
  if (!all) return seriesWrites.update(w, key, sent)
  const found = await seekPost(w.tx, 'series', key, w.caller)
  const timed = isTimed(sent as Fields) && sent.translation_of === undefined
  const pending = found && timed ? await editableTranslations(w, found) : []
  const ids = pending.map(({ id }) => id)
  const together = withTranslations(w, ids)
  const { post, names } = await updateFirst(together, 'series', key, sent, seriesWrites.update)
  await shareSeries(together, post, names, await editableTranslations(w, post), timed)
  return post.id
}
