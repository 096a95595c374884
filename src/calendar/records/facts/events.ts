import { SHARED_FIELDS, SPAN_FIELDS } from '../../../../schemas/shared-fields.ts'
import type { ApplyTo } from '../../../../schemas/recurrence.ts'
import { canEdit } from '../../../kernel/access/roles.ts'
import type { OccurrenceRow, Post } from '../../formats/records.ts'
import type { EventWrite } from '../events.ts'
import { findById, type Key, seekPost } from '../posts.ts'
import type { openRepeatingEvents } from '../series/events.ts'
import { findOccurrenceRow, translatedDatesOf } from '../series/rows.ts'
import type { Write } from '../write.ts'
import { type Fields, pick } from './facts.ts'
import { editableTranslations, sharedFieldsOf, inputToShare, isTimed } from './sets.ts'
import { forTranslation, shareSeries, withTranslations, updateFirst } from './writes.ts'

type Range = ApplyTo | undefined
type Events = Pick<ReturnType<typeof openRepeatingEvents>, 'update'>
/** What is sent for an event, and for which dates of its series. */
type SentEvent = { input: EventWrite; range: Range }

/** Updates of events, with `all` of their translations that the caller may edit as well. */
export const openEventSets =
  (events: Events) =>
  async (w: Write, key: Key, input: EventWrite, range?: Range, all = false): Promise<number> => {
    if (!all) return events.update(w, key, input, range)
    const found = await seekPost(w.tx, 'event', key, w.caller)
    const row = found && (await findOccurrenceRow(w.tx, found.id))
    if (!row) return updateOne(events, w, key, { input, range })
    const isDivided = range === 'following' || input.recurrence === null
    const update = isDivided ? divide : range === 'all' ? updateAll : updateDate
    await update(events, w, { found, row }, { input, range })
    return found.id
  }

/** A date of a series, as it was found. */
type FoundDate = { found: Post; row: OccurrenceRow }

/** Applies facts of an event to other events, by changes of these alone. */
async function shareEvent(
  events: Events,
  w: Write,
  from: Post,
  names: string[],
  others: Post[],
  more: EventWrite = {},
) {
  for (const other of others) {
    const row = await findOccurrenceRow(w.tx, other.id)
    const input = await inputToShare(w, from, other, names)
    const isLeft = row ? await isSeriesTrashed(w, row) : other.status === 'trash' && !input
    const whole: EventWrite = { ...input, ...(!row && more) }
    if (!isLeft && Object.keys(whole).length > 0) await events.update(forTranslation(w), { id: other.id }, whole)
  }
}

/** Whether the series of a date is in the trash, from where none of its dates comes back alone. */
const isSeriesTrashed = async ({ tx }: Write, { series_id }: OccurrenceRow) =>
  (await findById(tx, 'series', series_id))!.status === 'trash'

/** Updates a single event. If it repeats from now on, so do the others, and their series are translations of one another. */
async function updateOne(events: Events, w: Write, key: Key, { input, range }: SentEvent) {
  const together = withTranslations(w)
  const update = (own: Write, to: Key, sent: EventWrite) => events.update(own, to, sent, range)
  const { post, names } = await updateFirst(together, 'event', key, input, update)
  const more = input.recurrence ? { recurrence: input.recurrence } : {}
  await shareEvent(events, together, post, names, await editableTranslations(w, post), more)
  return post.id
}

/** Updates one date of a series. */
async function updateDate(events: Events, w: Write, { found, row }: FoundDate, { input }: SentEvent) {
  const others = await editableTranslations(w, found)
  const { post, names } = await updateFirst(w, 'event', { id: found.id }, input, events.update.bind(events))
  const given = input.overrides === undefined ? [] : await droppedOverrides(w, row)
  await shareEvent(events, w, post, [...names, ...given], others)
}

/** The facts in which a date no longer overrides its series. */
async function droppedOverrides({ tx }: Write, was: OccurrenceRow): Promise<string[]> {
  const { overrides } = (await findOccurrenceRow(tx, was.post_id))!
  const left = was.overrides.filter((name) => !overrides.includes(name))
  const isTimed = left.some((name) => SPAN_FIELDS.includes(name))
  return SHARED_FIELDS.event.filter((name) => left.includes(name) || (isTimed && SPAN_FIELDS.includes(name)))
}

/** Updates all dates of a series. What the same date has of its own in other languages gives way, as in this one. */
async function updateAll(events: Events, w: Write, { found, row }: FoundDate, { input, range }: SentEvent) {
  const others = await editableTranslations(w, (await findById(w.tx, 'series', row.series_id))!)
  const timed = isTimed(input as Fields)
  const ids = others.map(({ id }) => id)
  const together = withTranslations(w, timed ? ids : [])
  const update = (own: Write, to: Key, sent: EventWrite) => events.update(own, to, sent, range)
  const { post, names } = await updateFirst(together, 'event', { id: found.id }, input, update)
  const series = (await findById(w.tx, 'series', row.series_id))!
  await shareSeries(together, series, input.recurrence ? [...names, 'recurrence'] : names, others, timed)
  await shareEvent(events, together, post, names, await editableTranslations(w, post))
}

/** Divides or ends a series at one of its dates, and others of its set at the same one. */
async function divide(events: Events, w: Write, { found, row }: FoundDate, { input, range }: SentEvent) {
  const dates = await editableDates(w, row, range)
  const ids = dates.map(({ series }) => series)
  const together = withTranslations(w, ids)
  const update = (own: Write, to: Key, sent: EventWrite) => events.update(own, to, sent, range)
  const { post, names } = await updateFirst(together, 'event', { id: found.id }, input, update)
  const { recurrence } = input
  for (const { post: other, series } of dates) {
    together.translations!.pending.delete(series)
    const facts = pick(await sharedFieldsOf(w, post, other.language), names)
    await update(
      forTranslation(together),
      { id: other.id },
      { ...facts, ...(recurrence !== undefined && { recurrence }) },
    )
  }
}

/** The same date of translated series, where the caller may edit it and, for more than this date, its series. */
export async function editableDates(
  w: Pick<Write, 'tx' | 'caller'>,
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
