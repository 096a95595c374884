import { isDeepStrictEqual } from 'node:util'
import { and, eq, sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import type { ApplyTo } from '../../../schemas/recurrence.ts'
import { SHARED_FIELDS, SHARED_IF_CHANGED, SPAN_FIELDS } from '../../../schemas/shared-fields.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { type Db, prepared, type Queries } from '../../kernel/database/db.ts'
import { toWall } from '../../kernel/time/dates.ts'
import type { OccurrenceRow, Post } from '../formats/records.ts'
import { canEdit, canReadAll } from '../rights.ts'
import { type EventWrite, findStored } from './events.ts'
import { eventFields, type Fields, linkedFields, pick } from './input.ts'
import { findById, type Key, type PostKind, seekPost } from './posts.ts'
import { postRows } from './rows.ts'
import { updateEvent } from './series/edits.ts'
import { syncOccurrences } from './series/occurrences.ts'
import { findSeries, translatedDatesOf } from './series/rows.ts'
import { type SeriesWrite, updateSeries } from './series/series.ts'
import { organizerWrites, venueWrites } from './venues-and-organizers.ts'
import type { Reading, Write } from './write.ts'

/** The shared fields of a record, for a record in a language. */
async function sharedFieldsOf(w: Reading, post: Post, language: string): Promise<Fields> {
  if (post.kind === 'venue') return linkedFields(post, await venueWrites.rowOf(w.tx, post.id))
  if (post.kind === 'organizer') return linkedFields(post, await organizerWrites.rowOf(w.tx, post.id))
  const row = post.kind === 'series' ? await postRows.series.find(w.tx, post.id) : undefined
  return eventFields(w, await findStored(w.tx, post), language, row)
}

const groupMembers = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(
      and(
        eq(posts.translation_group, sql.placeholder('group')),
        eq(posts.kind, sql.placeholder('kind')),
        sql`${posts.id} <> ${sql.placeholder('id')}`,
      ),
    )
    .orderBy(posts.id)
    .prepare(),
)

/** The other records in the translation group of a record, in any status. */
const translationsOf = async (
  tx: Queries,
  { id, kind, translation_group: group }: Pick<Post, 'id' | 'kind' | 'translation_group'>,
): Promise<Post[]> => (group === null ? [] : groupMembers(tx).execute({ id, kind, group }))

/** Those of them that a caller may edit. */
export const editableTranslations = async ({ tx, caller }: Reading, post: Post): Promise<Post[]> =>
  (await translationsOf(tx, post)).filter((other) => canEdit(caller, other))

/** The names of some fields that differ. */
const differing = (one: Fields, other: Fields, names: readonly string[]): string[] =>
  names.filter((name) => name in one && name in other && !isDeepStrictEqual(one[name], other[name]))

/**
 * The names of the fields that a write to a record applies to its translations: those that were sent, and those of places and of publication
 * that it changed.
 * When it takes place is shared as a whole, as is how it repeats.
 */
function namesToShare(kind: PostKind, sent: Fields, before: Fields, after: Fields): string[] {
  const given = (names: readonly string[]) => names.filter((name) => sent[name] !== undefined)
  const fields = given(SHARED_FIELDS[kind])
  const span = isTimed(sent) ? SPAN_FIELDS : []
  const own = differing(before, after, given(SHARED_IF_CHANGED[kind]))
  const publication = own.some((name) => PUBLICATION.includes(name)) ? PUBLICATION : []
  return [...new Set([...fields, ...span, ...own, ...publication])]
}

/** Whether a write says when a record takes place. */
const isTimed = (sent: Fields) => [...SPAN_FIELDS, 'recurrence'].some((name) => sent[name] !== undefined)

const PUBLICATION = ['date', 'date_utc']

/** What a translation is to be sent, so that it has those fields that a write to another shares; undefined if it has them. */
async function inputToShare(w: Write, from: Post, to: Post, names: string[]): Promise<Fields | undefined> {
  const wanted = await sharedFieldsOf(w, from, to.language)
  const isRestored = names.includes('status') && wanted.status !== 'trash'
  if (to.status === 'trash' && !isRestored) return undefined
  const changed = differing(wanted, await sharedFieldsOf(w, to, to.language), names)
  if (changed.length === 0) return undefined
  // one that is published at a later time waits for it in all languages
  const waits =
    wanted.status === 'future' || (wanted.status === 'publish' && to.date_utc > toWall(w.now, 'UTC'))
  const publication = changed.includes('status') && waits ? PUBLICATION : []
  const isMoved = changed.some((name) => SPAN_FIELDS.includes(name))
  const rule = names.includes('recurrence') ? ['recurrence'] : []
  return pick(wanted, [...changed, ...publication, ...(isMoved ? [...SPAN_FIELDS, ...rule] : [])])
}

/** Of a record that a caller may edit: the shared fields in which its translations differ, by language. Who sees less of one does not get it. */
export function openDifferences({ read }: Pick<Db, 'read'>) {
  return async (
    kind: PostKind,
    id: number,
    caller: Caller,
  ): Promise<[language: string, names: string[]][]> => {
    const w = { tx: read, caller }
    const post = await findById(read, kind, id)
    if (!post || !canEdit(caller, post)) return []
    const found: [string, string[]][] = []
    for (const other of await translationsOf(read, post)) {
      if (other.status === 'trash' || !canReadAll(caller, other)) continue
      const own = await sharedFieldsOf(w, other, other.language)
      const names = differing(await sharedFieldsOf(w, post, other.language), own, SHARED_FIELDS[kind])
      if (names.length > 0) found.push([other.language, names])
    }
    return found.sort(([one], [other]) => (one < other ? -1 : 1))
  }
}

type Update<I> = (w: Write, key: Key, sent: I) => Promise<number>

/** A write to another record of the group: nothing of it was sent as it is shown, and what it ignores is not reported. */
const forTranslation = (w: Write): Write => ({ ...w, given: {}, ignored: [] })

/** A write to a translation group, in which the occurrences of these series are still to be synchronized. */
const withTranslations = (w: Write, pending: number[] = []): Write => ({
  ...w,
  translations: { pending: new Set(pending), begun: new Map() },
})

/** Updates a record; returns it with the names of the fields that its translations are to have as well. */
async function updateFirst<I extends object>(
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

/** Updates a venue or organizer, and the translations of it that the caller may edit; returns its ID. */
export async function updateLinkedTranslations<I extends object>(
  kind: 'venue' | 'organizer',
  update: Update<I>,
  w: Write,
  key: Key,
  sent: I,
): Promise<number> {
  const { post, names } = await updateFirst(w, kind, key, sent, update)
  for (const other of await editableTranslations(w, post)) {
    const input = await inputToShare(w, post, other, names)
    if (input) await update(forTranslation(w), { id: other.id }, input as I)
  }
  return post.id
}

/** Applies fields of a series to its translations. If it has other dates by now, these join the groups of those of the others. */
async function shareSeries(w: Write, from: Post, names: string[], others: Post[], timed: boolean) {
  for (const other of others) {
    w.translations!.pending.delete(other.id)
    const input = await inputToShare(w, from, other, names)
    if (input) await updateSeries(forTranslation(w), { id: other.id }, input as SeriesWrite)
    else if (timed) await syncOccurrences(w, await findSeries(w.tx, other.id))
  }
}

/** Updates a series, and the translations of it that the caller may edit; returns its ID. */
export async function updateSeriesTranslations(w: Write, key: Key, sent: SeriesWrite): Promise<number> {
  const found = await seekPost(w.tx, 'series', key, w.caller)
  const timed = isTimed(sent as Fields) && sent.translation_of === undefined
  const pending = found && timed ? await editableTranslations(w, found) : []
  const ids = pending.map(({ id }) => id)
  const together = withTranslations(w, ids)
  const { post, names } = await updateFirst(together, 'series', key, sent, updateSeries)
  await shareSeries(together, post, names, await editableTranslations(w, post), timed)
  return post.id
}

type Range = ApplyTo | undefined
/** What is sent for an event, and for which dates of its series. */
type SentEvent = { input: EventWrite; range: Range }

/** Updates an event, and the translations of it that the caller may edit; returns its ID. */
export async function updateEventTranslations(
  w: Write,
  key: Key,
  input: EventWrite,
  range?: Range,
): Promise<number> {
  const found = await seekPost(w.tx, 'event', key, w.caller)
  const row = found && (await postRows.occurrence.find(w.tx, found.id))
  if (!row) return updateOne(w, key, { input, range })
  const isDivided = range === 'following' || input.recurrence === null
  const update = isDivided ? divide : range === 'all' ? updateAll : updateDate
  await update(w, { found, row }, { input, range })
  return found.id
}

/** A date of a series, as it was found. */
type FoundDate = { found: Post; row: OccurrenceRow }

/** Applies fields of an event to other events, by changes of these alone. */
async function shareEvent(w: Write, from: Post, names: string[], others: Post[], more: EventWrite = {}) {
  for (const other of others) {
    const row = await postRows.occurrence.find(w.tx, other.id)
    const input = await inputToShare(w, from, other, names)
    const isLeft = row ? await isSeriesTrashed(w, row) : other.status === 'trash' && !input
    const whole: EventWrite = { ...input, ...(!row && more) }
    if (!isLeft && Object.keys(whole).length > 0)
      await updateEvent(forTranslation(w), { id: other.id }, whole)
  }
}

/** Whether the series of a date is in the trash, from where none of its dates comes back alone. */
const isSeriesTrashed = async ({ tx }: Write, { series_id }: OccurrenceRow) =>
  (await findById(tx, 'series', series_id))!.status === 'trash'

/** An update of an event that applies to these dates of its series. */
const ranged =
  (range: Range): Update<EventWrite> =>
  (w, key, sent) =>
    updateEvent(w, key, sent, range)

/** Updates a single event. If it repeats from now on, so do the others, and their series are translations of one another. */
async function updateOne(w: Write, key: Key, { input, range }: SentEvent) {
  const together = withTranslations(w)
  const update = ranged(range)
  const { post, names } = await updateFirst(together, 'event', key, input, update)
  const more = input.recurrence ? { recurrence: input.recurrence } : {}
  await shareEvent(together, post, names, await editableTranslations(w, post), more)
  return post.id
}

/** Updates one date of a series. */
async function updateDate(w: Write, { found, row }: FoundDate, { input }: SentEvent) {
  const others = await editableTranslations(w, found)
  const { post, names } = await updateFirst(w, 'event', { id: found.id }, input, updateEvent)
  const given = input.overrides === undefined ? [] : await droppedOverrides(w, row)
  await shareEvent(w, post, [...names, ...given], others)
}

/** The shared fields in which a date no longer overrides its series. */
async function droppedOverrides({ tx }: Write, was: OccurrenceRow): Promise<string[]> {
  const { overrides } = (await postRows.occurrence.find(tx, was.post_id))!
  const left = was.overrides.filter((name) => !overrides.includes(name))
  const isTimed = left.some((name) => SPAN_FIELDS.includes(name))
  return SHARED_FIELDS.event.filter((name) => left.includes(name) || (isTimed && SPAN_FIELDS.includes(name)))
}

/** Updates all dates of a series. What the same date has of its own in other languages gives way, as in this one. */
async function updateAll(w: Write, { found, row }: FoundDate, { input, range }: SentEvent) {
  const others = await editableTranslations(w, (await findById(w.tx, 'series', row.series_id))!)
  const timed = isTimed(input as Fields)
  const ids = others.map(({ id }) => id)
  const together = withTranslations(w, timed ? ids : [])
  const update = ranged(range)
  const { post, names } = await updateFirst(together, 'event', { id: found.id }, input, update)
  const series = (await findById(w.tx, 'series', row.series_id))!
  await shareSeries(together, series, input.recurrence ? [...names, 'recurrence'] : names, others, timed)
  await shareEvent(together, post, names, await editableTranslations(w, post))
}

/** Divides or ends a series at one of its dates, and its translations at the same one. */
async function divide(w: Write, { found, row }: FoundDate, { input, range }: SentEvent) {
  const dates = await editableDates(w, row, range)
  const ids = dates.map(({ series }) => series)
  const together = withTranslations(w, ids)
  const update = ranged(range)
  const { post, names } = await updateFirst(together, 'event', { id: found.id }, input, update)
  const { recurrence } = input
  for (const { post: other, series } of dates) {
    together.translations!.pending.delete(series)
    const fields = pick(await sharedFieldsOf(w, post, other.language), names)
    await update(
      forTranslation(together),
      { id: other.id },
      { ...fields, ...(recurrence !== undefined && { recurrence }) },
    )
  }
}

/** The same date of translated series, where the caller may edit it and, for more than this date, its series. */
export async function editableDates(
  w: Reading,
  { series_id, recurrence_id }: OccurrenceRow,
  range: Range = 'this',
) {
  const dates: { post: Post; series: number }[] = []
  const own = (await findById(w.tx, 'series', series_id))!
  for (const { id, series } of await translatedDatesOf(w.tx, own, recurrence_id)) {
    const post = (await findById(w.tx, 'event', id))!
    const whole = (await findById(w.tx, 'series', series))!
    const mayEdit = canEdit(w.caller, post) && (range === 'this' || canEdit(w.caller, whole))
    if (mayEdit) dates.push({ post, series })
  }
  return dates
}
