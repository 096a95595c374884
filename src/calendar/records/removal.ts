import { count, eq, sql } from 'drizzle-orm'
import { media, posts, users } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import { type ApplyTo, isToSeveral } from '../../../schemas/recurrence.ts'
import { type Details, record } from '../../kernel/access/audit-log.ts'
import type { User } from '../../kernel/access/users.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { openPauses } from '../../kernel/database/queue.ts'
import { ApiError, type ErrorCode, invalid } from '../../kernel/errors.ts'
import type { Site } from '../../kernel/site.ts'
import { hasDates, type Post } from '../formats/records.ts'
import { hasDate } from '../recurrence/expansion.ts'
import { split } from '../recurrence/recurrence.ts'
import type { Documents, Json } from '../views/documents.ts'
import { emitChanged } from './changed-fields.ts'
import { findListing } from './derived.ts'
import { inside } from './limited-rights.ts'
import type { Guard } from './operations.ts'
import { editable, findById, findEditable, type Key, type PostKind, seekPost } from './posts.ts'
import { project } from './projection.ts'
import { linksOf, postRows } from './rows.ts'
import { firstOf, recurrenceOf, without } from './series/dates.ts'
import { storedOccurrences, syncOccurrences } from './series/occurrences.ts'
import { findSeries, type Occurrence, type Series } from './series/rows.ts'
import { cancelDate, endEarlier, saveRecurrence, trashSeries } from './series/series.ts'
import type { Terms } from './terms.ts'
import { editableDates, editableTranslations } from './translations.ts'
import type { View } from './visibility.ts'
import { trashedPost, updatePost, type Write } from './write.ts'

/** DELETE: moves a record to the trash, or deletes it permanently with `force` (D30). Returns it as it is in the trash, or was before. */
async function trashPost(w: Write, kind: PostKind, key: Key): Promise<Post> {
  const post = await findEditable(w, kind, key, 'delete')
  if (post.status === 'trash')
    throw new ApiError(
      `${kind}-is-in-trash` as ErrorCode,
      `This ${kind} is in the trash already; \`force=true\` deletes it permanently.`,
    )
  const trashed = trashedPost(w, post)
  await updatePost(w.tx, trashed, post)
  if (hasDates(kind)) await emitChanged(w, { post }, { post: trashed })
  await project(w, 'post', { before: { post }, after: { post: trashed } })
  return trashed
}

/** The ID of a record that the caller may change, and the status with which it comes back from the trash; none if it is not there. */
export async function formerStatus(
  w: Write,
  kind: PostKind,
  key: Key,
): Promise<{ id: number; status?: Status }> {
  const { id, status, untrashed_status } = await findEditable(w, kind, key, 'change')
  if (status !== 'trash') return { id }
  // a record that was made in the trash had none; when a scheduled one is published, its date says
  const former = untrashed_status ?? 'draft'
  return { id, status: former === 'future' ? 'publish' : former }
}

/** Children of a deleted event lose their parent. */
const detachChildren = prepared((db) =>
  db
    .update(posts)
    .set({ parent_id: null })
    .where(eq(posts.parent_id, sql.placeholder('id')))
    .returning()
    .prepare(),
)
/** Deletes the row of a post and everything that belongs to it. */
const deletePost = prepared((db) =>
  db
    .delete(posts)
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/**
 * Deletes a record permanently, with its links. Call it after the response has been assembled. `more` is what the audit log has of it
 * besides title and status.
 */
async function erasePost(w: Write, post: Post, more: Details = {}) {
  const { id, kind, title, status } = post
  await removePost(w, post)
  await record(w, 'record_deleted', { kind, id }, { title, status, ...more })
}

/** Deletes a record permanently, with its links, without an entry in the audit log. */
async function removePost(w: Pick<Write, 'tx' | 'site' | 'now' | 'caller'>, post: Post) {
  const { id } = post
  const refs = await linksOf(w.tx, id)
  const { listing } = (await findListing(w.tx, id)) ?? {}
  const orphans = await detachChildren(w.tx).execute({ id })
  await deletePost(w.tx).execute({ id })
  await project(w, 'post', { before: { post, refs, listing } })
  for (const child of orphans)
    await project(w, 'post', { before: { post: { ...child, parent_id: id } }, after: { post: child } })
}

/** Ends a series before a date, and moves the events from then on to the trash; all of it, if no date is left. */
async function endBefore(w: Write, series: Series, { row }: Pick<Occurrence, 'row'>) {
  if (!hasEarlier(series, row.recurrence_id)) return trashSeries(w, series)
  const { before } = split(recurrenceOf(series.row, series.event), row.recurrence_id)
  await syncOccurrences(w, await endEarlier(w, series, before!))
}

/** Whether a series has a date before one. */
function hasEarlier({ row, event }: Series, id: string): boolean {
  const first = firstOf(recurrenceOf(row, event))
  return first !== undefined && first < id
}

/** The series of an event and which date of it that is; undefined for a single event, to which nothing else than itself applies. */
async function dateOf(w: Write, post: Post, range: ApplyTo) {
  const row = post.parent_id === null ? undefined : await postRows.occurrence.find(w.tx, post.id)
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
  else await (range === 'this' ? cancelDate : endBefore)(w, date.series, date)
  return (await findById(w.tx, 'event', post.id))!
}

async function eraseEvent(w: Write, post: Post, range: ApplyTo) {
  const date = await dateOf(w, post, range)
  if (!date) return erasePost(w, post)
  const { row, series } = date
  if (range === 'this') {
    const recurrence = recurrenceOf(series.row, series.event)
    if (hasDate(recurrence, row.recurrence_id))
      await saveRecurrence(w, series, without(recurrence, row.recurrence_id))
    return erasePost(w, post)
  }
  mayDelete(w, series)
  if (range === 'all' || !hasEarlier(series, row.recurrence_id)) return eraseSeries(w, series.post)
  const later = (await storedOccurrences(w, series.post.id)).filter(
    (own) => own.row.recurrence_id >= row.recurrence_id,
  )
  await endBefore(w, series, date)
  const pause = openPauses(w.tx)
  for (const { post } of later) {
    await erasePost(w, (await findById(w.tx, 'event', post.id))!)
    await pause()
  }
}

/** Deletes a series with its dates. The audit log has one entry for it, with the number of dates. */
async function eraseSeries(w: Write, series: Post) {
  const pause = openPauses(w.tx)
  const dates = await storedOccurrences(w, series.id)
  for (const { post } of dates) {
    await removePost(w, post)
    await pause()
  }
  await erasePost(w, series, { dates: dates.length })
}

async function trashWholeSeries(w: Write, key: Key): Promise<Post> {
  const post = await findEditable(w, 'series', key, 'delete')
  if (post.status === 'trash') return trashPost(w, 'series', { id: post.id })
  await trashSeries(w, await findSeries(w.tx, post.id))
  return post
}

/**
 * Moves a record to the trash, and returns it: of a date of a series `range` says which dates go with it, and a series goes with all of its
 * dates. Throws 410 if it is there.
 */
export function trashRecord(w: Write, kind: PostKind, key: Key, range: ApplyTo = 'this'): Promise<Post> {
  if (kind === 'event') return trashEvent(w, key, range)
  return kind === 'series' ? trashWholeSeries(w, key) : trashPost(w, kind, key)
}

/** Deletes a record permanently, with what `trashRecord` moves with it. */
function eraseRecord(w: Write, post: Post, range: ApplyTo = 'this'): Promise<void> {
  if (post.kind === 'event') return eraseEvent(w, post, range)
  return post.kind === 'series' ? eraseSeries(w, post) : erasePost(w, post)
}

/**
 * What is removed with a record in all languages: those of its translations that the caller may edit. Of dates of a series and those that follow,
 * the same date of its translations; of all dates, the translations themselves.
 */
async function removedTranslations(w: Write, post: Post, range: ApplyTo = 'this'): Promise<Post[]> {
  const row =
    post.kind === 'event' && range !== 'this' ? await postRows.occurrence.find(w.tx, post.id) : undefined
  if (!row) return editableTranslations(w, post)
  if (range === 'all') return editableTranslations(w, (await findById(w.tx, 'series', row.series_id))!)
  return (await editableDates(w, row, range)).map((date) => date.post)
}

type Range = ApplyTo | undefined
/** What is to be removed, for whom, and how it is shown; with `all` in all languages. */
type Removal<K> = { context: Write; key: K; view: View; guard: Guard; range?: Range; all?: boolean }

/** Moves a record to the trash, with `all` in all languages. */
async function trashWithTranslations(
  w: Write,
  kind: PostKind,
  key: Key,
  { range, all }: Pick<Removal<Key>, 'range' | 'all'>,
) {
  const found = all ? await seekPost(w.tx, kind, key, w.caller) : undefined
  const others = found ? await removedTranslations(w, found, range) : []
  const post = await trashRecord(w, kind, key, range)
  for (const other of others)
    if (other.status !== 'trash')
      await trashRecord(w, other.kind, { id: other.id }, rangeFor(other, post, range))
  return post
}

/** Deletes a record permanently, with `all` in all languages. */
async function eraseWithTranslations(
  w: Write,
  post: Post,
  { range, all }: Pick<Removal<Key>, 'range' | 'all'>,
) {
  const others = all ? await removedTranslations(w, post, range) : []
  await eraseRecord(w, post, range)
  for (const other of others) await eraseRecord(w, other, rangeFor(other, post, range))
}

/** Series that are removed with one of their dates are removed whole. */
const rangeFor = (other: Post, post: Post, range: Range) => (other.kind === post.kind ? range : undefined)

/** Deletes records; each gives the record as it was before, or as it is in the trash. */
export function openRemoval(db: Pick<Db, 'write'>, documents: Documents) {
  return {
    /** Moves an event, venue or organizer to the trash, or deletes it permanently with `force` (D30). */
    async post(
      kind: PostKind,
      { context, key, view, guard, ...how }: Removal<Key>,
      force = false,
    ): Promise<Json | undefined> {
      const isLong = kind === 'series' || isToSeveral(how.range)
      if (!force) {
        const { id } = await (context.join ?? db.write)(
          (tx) => guard(tx, () => trashWithTranslations(inside(context, tx), kind, key, how)),
          isLong,
        )
        return (await documents.posts([id], view))[0]
      }
      const { id } = await findEditable(context, kind, key, 'delete')
      const [json] = await documents.posts([id], view)
      await (context.join ?? db.write)(
        (tx) =>
          guard(tx, async () => {
            const w = inside(context, tx)
            return eraseWithTranslations(w, await findEditable(w, kind, { id }, 'delete'), how)
          }),
        isLong,
      )
      return json
    },
    /** Deletes a term permanently. Its events get the term `heir` in its place, if there is one. */
    async term(
      terms: Pick<Terms, 'remove'>,
      { context, key: id, view, guard }: Removal<number>,
      heir: number | undefined,
    ): Promise<Json | undefined> {
      const [json] = await documents.terms([id], view)
      await (context.join ?? db.write)(
        (tx) => guard(tx, () => terms.remove(inside(context, tx), id, heir)),
        true,
      )
      return json
    },
  }
}

/** Moves the records of a user who is removed to another user. Throws 400 if there are some and no such user. */
export async function reassignRecords(tx: Queries, site: Site, from: User, to: number | undefined) {
  const [owned] = await tx.select({ total: count() }).from(posts).where(eq(posts.author_id, from.id))
  const [files] = await tx.select({ total: count() }).from(media).where(eq(media.author_id, from.id))
  const total = owned!.total + files!.total
  if (total === 0) return
  const [heir] =
    to === undefined || to === from.id ? [] : await tx.select().from(users).where(eq(users.id, to))
  if (!heir)
    throw invalid({
      reassign: `must be the ID of another user, who takes over the ${total} records of ${from.login}.`,
    })
  const w = { tx, site, now: site.clock() }
  const given = { author_id: heir.id }
  for (const post of await tx.update(posts).set(given).where(eq(posts.author_id, from.id)).returning())
    await project(w, 'post', { before: { post: { ...post, author_id: from.id } }, after: { post } })
  for (const row of await tx.update(media).set(given).where(eq(media.author_id, from.id)).returning())
    await project(w, 'media', { before: row, after: row })
}
