import type { ApplyTo } from '../../../../schemas/recurrence.ts'
import { canPublish } from '../../../kernel/access/roles.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { EventRow, Post } from '../../formats/records.ts'
import { idOf, nextAfter, secondsOf } from '../../recurrence/expansion.ts'
import { occurrenceOf } from '../../recurrence/occurrences.ts'
import { split } from '../../recurrence/split.ts'
import type { Span } from '../../time/span.ts'
import { findStored, saveEvent } from '../event-rows.ts'
import { checkAuthors, type EventWrite, readEventInput } from '../events.ts'
import { checkWithin } from '../limits.ts'
import { editable, findById } from '../posts.ts'
import { linksOf } from '../projection/links.ts'
import { project } from '../projection/project.ts'
import { keepRevision } from '../revisions.ts'
import { updatePost, type Write } from '../write.ts'
import { copySeries, endEarlier, saveRecurrence } from './copy.ts'
import { firstOf, recurrenceOf, withDate, without } from './dates.ts'
import { type StoredOccurrence, syncOccurrences, storedOccurrences } from './follow.ts'
import { lengthOf, namedAs, spanFrom } from './members.ts'
import { updateOccurrence } from './occurrence.ts'
import { differing } from './overrides.ts'
import { cancelDate, trashSeries } from './removal.ts'
import {
  dropOccurrenceRow,
  findOccurrenceRow,
  findSeries,
  type Occurrence,
  type Series,
  saveOccurrenceRow,
} from './rows.ts'
import { changeSeries } from './series.ts'

/** The members that tell of the event itself, and not of what it shows. */
const OWN = [
  ...['slug', 'post_parent', 'i18n_language', 'translation_of', 'recurrence', 'overrides'],
  ...['source', 'external_id'],
]
const DATES = ['start_date', 'end_date', 'timezone', 'all_day']

/** The members that were sent, as overrides name them. */
const sentNames = (input: object): string[] => [
  ...new Set(
    Object.entries(input)
      .filter(([name, value]) => value !== undefined && !OWN.includes(name))
      .map(([name]) => namedAs(name)),
  ),
]

/** Changes one date of a series: what is sent and differs from the series is its own from now on. */
export async function changeThis(w: Write, own: Occurrence, sent: EventWrite) {
  const { status, overrides, ...rest } = sent
  if (status === 'trash') {
    if (sentNames(rest).length > 0 || overrides !== undefined)
      await changeThis(w, own, { ...rest, overrides })
    return cancelDate(w, await findSeries(w.tx, own.row.series_id), await reread(w, own))
  }
  let series = await findSeries(w.tx, own.row.series_id)
  const isBack = own.post.status === 'trash'
  if (isBack) series = await restoreDate(w, series, own)
  const kept = keptOf(own.row.overrides, sent)
  if (isBack || kept.length < own.row.overrides.length) {
    const before = await findStored(w.tx, own.post)
    await updateOccurrence(w, series, { ...own, row: { ...own.row, overrides: kept } }, own.row)
    checkWithin(w, own.post)
    await keepRevision(w, before, await findStored(w.tx, (await findById(w.tx, 'event', own.post.id))!))
  }
  const found = await findById(w.tx, 'event', own.post.id)
  const { event, input, span, problems } = await readEventInput(w, 'event', withoutOwn(sent), found)
  refuse(problems)
  const isRestored = isBack && canPublish(w.caller) && input.status === found!.status
  const names = sentNames(input).filter((name) => name !== 'status' || !isRestored)
  const isNamed = [input.slug, input.source, input.external_id].some((name) => name !== undefined)
  if (names.length === 0 && !isNamed && (overrides !== undefined || isBack)) return
  checkAuthors(w.caller, input, found)
  await saveEvent(
    w,
    'event',
    { input, span: span as Span },
    { post: found!, event: event! },
    async (written) => {
      const row = { ...own.row, overrides: differing(series, written, { row: own.row, kept, names }) }
      await saveOccurrenceRow(w.tx, row)
      return { occurrence: row }
    },
  )
}

/** The overrides that stay of those that there are: those that are sent, if any are. */
const keptOf = (names: string[], { overrides }: EventWrite) =>
  overrides === undefined ? names : names.filter((name) => overrides?.includes(name))

const withoutOwn = ({ overrides: _, recurrence: __, ...input }: EventWrite): EventWrite => input

/** An occurrence as it is stored by now. */
async function reread({ tx }: Write, own: Occurrence): Promise<Occurrence> {
  const { series_id } = (await findOccurrenceRow(tx, own.post.id))!
  return (await storedOccurrences({ tx }, series_id)).find(({ post }) => post.id === own.post.id)!
}

/** Gives a series a date back that was taken out of it. */
async function restoreDate(w: Write, series: Series, { row }: Occurrence): Promise<Series> {
  if (series.post.status === 'trash')
    refuse({ status: `is that of its series, which is in the trash: restore /series/${series.post.id}.` })
  return saveRecurrence(w, series, withDate(recurrenceOf(series.row, series.event), row.recurrence_id))
}

/** Changes all dates of a series by what is sent for one of them. */
export async function changeAll(w: Write, own: Occurrence, sent: EventWrite) {
  const series = await findSeries(w.tx, own.row.series_id)
  await changeAllOf(w, series, own, sent, await storedOccurrences(w, series.post.id))
}

async function changeAllOf(w: Write, of: Series, own: Occurrence, sent: EventWrite, followers: StoredOccurrence[]) {
  editable(w.caller, 'series', { id: of.post.id }, 'change', of.post)
  const isBack = own.post.status === 'trash' && of.post.status !== 'trash'
  const series = isBack ? await restoreDate(w, of, own) : of
  const found = await findById(w.tx, 'event', own.post.id)
  const { event, input, span, problems } = await readEventInput(w, 'event', withoutOwn(sent), found)
  refuse(problems)
  checkAuthors(w.caller, input, series.post)
  const pattern = patternAfter(series, { event: event!, row: own.row }, span as Span, sent)
  const left = own.row.overrides.filter((name) => ![...sentNames(sent), ...pattern.names].includes(name))
  // what was sent as it is shown is what this date has
  const shown = Object.entries({ ...found, ...event }).filter(([name]) => name in sent && !(name in input))
  const names = [...shown, ...Object.entries(input)].filter(([name]) => ![...OWN, ...DATES].includes(name))
  if (input.slug && input.slug !== found!.slug) w.ignored.push('slug')
  for (const name of ['source', 'external_id'] as const) if (input[name] !== undefined) w.ignored.push(name)
  await changeSeries(
    w,
    series,
    { input: Object.fromEntries(names), span: pattern.span },
    sent.recurrence ?? undefined,
    followers.map((one) => {
      const overrides = one.post.id === own.post.id ? left : one.row.overrides
      return { ...one, row: { ...one.row, overrides: keptOf(overrides, sent) } }
    }),
  )
}

/** When a series begins if one of its dates is moved, and the members of that date which follow from then on. */
function patternAfter(
  series: Series,
  { event: was, row }: { event: EventRow; row: Occurrence['row'] },
  to: Span,
  sent: EventWrite,
) {
  const { event } = series
  const isMoved = ['start_date', 'timezone', 'all_day'].some(
    (name) => sent[name as keyof EventWrite] !== undefined,
  )
  const isLonger = sent.end_date !== undefined || lengthOf(to) !== lengthOf(was)
  const names = [...(isMoved ? ['start_date'] : []), ...(isLonger ? ['end_date'] : [])]
  if (names.length === 0) return { span: event as Span, names }
  const { start } = occurrenceOf({ zone: event.timezone, allDay: event.all_day } as never, row.recurrence_id)
  const distance = isMoved ? secondsOf(to.start_date) - secondsOf(start) : 0
  const wall = idOf(secondsOf(event.start_date) + distance, false)
  return { span: spanFrom(wall, lengthOf(isLonger ? to : event), isMoved ? to : event), names }
}

/** Ends a series before one of its dates, with which a new one begins that has what is sent. */
export async function changeFollowing(w: Write, own: Occurrence, sent: EventWrite) {
  const series = await findSeries(w.tx, own.row.series_id)
  editable(w.caller, 'series', { id: series.post.id }, 'change', series.post)
  const at = own.row.recurrence_id
  const recurrence = recurrenceOf(series.row, series.event)
  const { before, from } = split(own.post.status === 'trash' ? withDate(recurrence, at) : recurrence, at)
  const followers = await storedOccurrences(w, series.post.id)
  if (!before || !from || firstOf(before) === undefined) return changeAllOf(w, series, own, sent, followers)
  await endEarlier(w, series, before)
  const event = { ...series.event, ...spanFrom(from.start, lengthOf(series.event), series.event) }
  const rest = from.since ? { ...from, since: at } : from
  const next = await copySeries(w, { ...series, event }, rest, series.row.until)
  const later = followers.filter(({ row }) => row.recurrence_id >= at)
  await changeAllOf(w, next, own, sent, later)
}

/** Ends the repetition at one of its dates: for this one, which leaves; after it; or for all other dates. */
export async function endSeries(w: Write, own: Occurrence, range: ApplyTo) {
  const series = await findSeries(w.tx, own.row.series_id)
  const recurrence = recurrenceOf(series.row, series.event)
  const id = own.row.recurrence_id
  if (range !== 'this') editable(w.caller, 'series', { id: series.post.id }, 'change', series.post)
  if (range === 'following') {
    const next = nextAfter(recurrence, id)
    const { before } = next === undefined ? {} : split(recurrence, next)
    if (before) await syncOccurrences(w, await endEarlier(w, series, before))
    return
  }
  await detach(w, own)
  const rest = await saveRecurrence(w, series, without(recurrence, id))
  if (range === 'all') await trashSeries(w, rest)
}

/** Makes a date of a series a single event. */
async function detach(w: Write, { post, event }: Occurrence) {
  await dropOccurrenceRow(w.tx, post.id)
  const after: Post = { ...post, parent_id: null }
  await updatePost(w.tx, after, post)
  const refs = await linksOf(w.tx, post.id)
  await keepRevision(w, { post }, { post: after })
  await project(w, 'post', { before: { post, refs }, after: { post: after, event, refs, occurrence: null } })
}
