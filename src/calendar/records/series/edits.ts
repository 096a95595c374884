import { type ApplyTo, isToSeveral, type RecurrenceInput } from '../../../../schemas/recurrence.ts'
import { SHARED_FIELDS, SPAN_FIELDS } from '../../../../schemas/shared-fields.ts'
import { forbidden, type Problems, refuse } from '../../../kernel/errors.ts'
import type { EventRow, OccurrenceRow, Post } from '../../formats/records.ts'
import { hasDate, idOf, nextAfter, secondsOf } from '../../recurrence/expansion.ts'
import { occurrenceOf, split } from '../../recurrence/recurrence.ts'
import { canPublish } from '../../rights.ts'
import type { Span } from '../../span.ts'
import { emitChanged } from '../changed-fields.ts'
import {
  checkAuthors,
  checkSingle,
  createSingle,
  type EventWrite,
  findStored,
  readEventInput,
  saveEvent,
  updateSingle,
} from '../events.ts'
import { eventFields, pick, withInherited } from '../input.ts'
import { checkWithin } from '../limited-rights.ts'
import { checkNotInTrash, editable, findById, type Key, seekPost } from '../posts.ts'
import { project } from '../projection.ts'
import { linksOf, postRows } from '../rows.ts'
import { updatePost, type Write } from '../write.ts'
import { firstOf, readOrRefuse, readSent, recurrenceOf, withDate, without } from './dates.ts'
import { type StoredOccurrence, storedOccurrences, syncOccurrences, updateOccurrence } from './occurrences.ts'
import { differing, lengthOf, namedAs, spanFrom } from './overrides.ts'
import { findSeries, firstOccurrence, type Occurrence, occurrencesOf, type Series } from './rows.ts'
import {
  cancelDate,
  changeSeries,
  checkSeries,
  copySeries,
  endEarlier,
  insertSeries,
  type SeriesWrite,
  saveRecurrence,
  trashSeries,
} from './series.ts'

/** An input without what only series and their dates have. */
const alone = ({ recurrence: _, overrides: __, ...input }: EventWrite): EventWrite => input

/** The event that a URL names, and which date of which series it is; a single event costs no further query. */
async function findDate(w: Write, key: Key | undefined) {
  const found = key && (await seekPost(w.tx, 'event', key, w.caller))
  const row = found && found.parent_id !== null ? await postRows.occurrence.find(w.tx, found.id) : undefined
  return { found, row }
}

/** Problems of what is sent for a single event. */
async function checkRepetition(w: Write, sent: EventWrite, found?: Post, range?: ApplyTo): Promise<Problems> {
  const problems: Problems = {}
  if (isToSeveral(range)) problems.apply_to = 'must be this: the event is not a date of a series.'
  if (!sent.recurrence) return problems
  if (sent.post_parent)
    problems.post_parent = 'must not be sent: the parent of a date of a series is the series.'
  const { event, span } = await readEventInput(w, 'event', alone(sent), found)
  if (!span || 'problems' in span) return problems
  return { ...problems, ...readSent(w, sent.recurrence, { ...event, ...(span as Span) }).problems }
}

/** Problems of what is sent for a date of a series. */
function checkOccurrence(
  sent: EventWrite,
  found: Post,
  row: OccurrenceRow,
  range: ApplyTo | undefined,
): Problems {
  const problems: Problems = {}
  if (sent.post_parent !== undefined && sent.post_parent !== row.series_id)
    problems.post_parent = `must be ${row.series_id}, the series that the event is a date of; \`recurrence: null\` takes it out.`
  if (sent.i18n_language && sent.i18n_language !== found.language)
    problems.i18n_language = `must be ${found.language}, the language of its series.`
  if (sent.translation_of) problems.translation_of = `must be sent to the series, /series/${row.series_id}.`
  if (sent.recurrence && !isToSeveral(range))
    problems.recurrence = 'is that of all dates: send apply_to=following or apply_to=all as well.'
  return problems
}

/** What is sent for a date of a series, without what says that it is one. */
const ofDate = ({
  post_parent: _,
  i18n_language: __,
  translation_of: ___,
  ...input
}: EventWrite): EventWrite => input

/**
 * Problems with what is sent for an event, which may be a date of a series: with the records that it refers to, with its dates in
 * combination, and with its recurrence.
 */
export async function checkEvent(w: Write, sent: EventWrite, key?: Key, range?: ApplyTo): Promise<Problems> {
  const { found, row } = await findDate(w, key)
  if (!row)
    return { ...(await checkSingle(w, alone(sent), key)), ...(await checkRepetition(w, sent, found, range)) }
  const own = await checkSingle(w, alone(ofDate(sent)), { id: found!.id })
  return { ...own, ...checkOccurrence(sent, found!, row, range) }
}

/** Creates an event; with a recurrence a series, of which it is the first date. Returns its ID. */
export async function createEvent(w: Write, sent: EventWrite): Promise<number> {
  if (!sent.recurrence) return createSingle(w, alone(sent))
  if (sent.status === 'trash') refuse({ status: 'must not be trash where the event repeats.' })
  refuse({ ...(await checkSeries(w, alone(sent))), ...(await checkRepetition(w, sent)) })
  const { source, external_id, ...shared } = sent
  const { post } = await createSeries(w, { ...shared, post_parent: null })
  const { id } = (await firstOccurrence(w.tx, post.id)).post
  // another system has the event that is the answer
  return external_id ? updateEvent(w, { id }, { source, external_id } as EventWrite) : id
}

/** Changes an event; of a date of a series also those that follow, or all. Returns its ID. */
export async function updateEvent(
  w: Write,
  key: Key,
  sent: EventWrite,
  range: ApplyTo = 'this',
): Promise<number> {
  const { found, row } = await findDate(w, key)
  if (!row) {
    const problems = await checkRepetition(w, sent, found, range)
    // all that is wrong is reported together
    if (Object.keys(problems).length > 0) refuse({ ...(await checkSingle(w, alone(sent), key)), ...problems })
    const id = await updateSingle(w, key, found, alone(sent))
    return sent.recurrence ? repeat(w, id, sent.recurrence) : id
  }
  refuse(checkOccurrence(sent, found!, row, range))
  const post = editable(w.caller, 'event', key, 'change', found)
  checkNotInTrash(post, sent.status)
  const event = await postRows.event.find(w.tx, post.id)
  const own = { post, event: event!, row }
  const input = ofDate(sent)
  if (sent.recurrence === null) {
    await endSeries(w, own, range)
    const others = alone(input)
    return Object.keys(others).length === 0 ? post.id : updateEvent(w, { id: post.id }, others)
  }
  const edit = { this: changeThis, following: changeFollowing, all: changeAll }[range]
  await edit(w, own, input)
  return post.id
}

/** Makes a single event the first date of a new series. */
async function repeat(w: Write, id: number, sent: RecurrenceInput): Promise<number> {
  const post = (await findById(w.tx, 'event', id))!
  const event = await postRows.event.find(w.tx, id)
  const recurrence = readOrRefuse(w, sent, event!)
  const recurrence_id = event!.start_date.slice(0, event!.all_day ? 10 : 19)
  if (!hasDate(recurrence, recurrence_id))
    refuse({ 'recurrence.exdate': `must not have ${recurrence_id}, the date of this event.` })
  const series = await copySeries(w, { post, event: event!, refs: await linksOf(w.tx, id) }, recurrence)
  const row = { post_id: id, series_id: series.post.id, recurrence_id, overrides: [] }
  await syncOccurrences(w, series, [{ post, event: event!, row, stored: undefined }])
  await emitChanged(w, { post }, { post: { ...post, parent_id: series.post.id } })
  return id
}

/** Creates a series with its dates. A translation inherits the shared fields that it does not send from its original, with those of single dates. */
export async function createSeries(w: Write, sent: SeriesWrite): Promise<Series> {
  const input = await withInherited(w, 'series', sent, async (original, language) => {
    const series = await findSeries(w.tx, original.id)
    return eventFields(w, series, language, series.row)
  })
  if (!input.start_date || !input.end_date || !input.recurrence) {
    refuse(await checkSeries(w, input))
    throw forbidden(true, 'add a translation to this series')
  }
  const made = await insertSeries(w, input)
  if (sent.translation_of && !sent.recurrence && !sent.start_date)
    await inheritOverrides(w, sent.translation_of, made)
  return made
}

/** Gives the dates of a series the shared fields in which those of its original differ from theirs. */
async function inheritOverrides(w: Write, original: number, { post }: Series) {
  const own = await occurrencesOf(w.tx, post.id)
  for (const theirs of await occurrencesOf(w.tx, original)) {
    const names = sharedNamesOf(theirs.row.overrides)
    const date = own.find(({ row }) => row.recurrence_id === theirs.row.recurrence_id)
    if (names.length === 0 || date === undefined || theirs.post.status === 'trash') continue
    const fields = pick(await eventFields(w, await findStored(w.tx, theirs.post), post.language), names)
    await changeThis({ ...w, given: {} }, date, fields)
  }
}

/** The shared fields among the overrides of a date, with all that says when it takes place. */
const sharedNamesOf = (overrides: string[]): string[] =>
  [...SHARED_FIELDS.event, 'categories', 'tags'].filter(
    (name) =>
      overrides.includes(name) ||
      (overrides.some((one) => SPAN_FIELDS.includes(one)) && SPAN_FIELDS.includes(name)),
  )

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
async function changeThis(w: Write, own: Occurrence, sent: EventWrite) {
  const { status, overrides, ...rest } = sent
  if (status === 'trash') {
    if (sentNames(rest).length > 0 || overrides !== undefined)
      await changeThis(w, own, { ...rest, overrides })
    return cancelDate(w, await findSeries(w.tx, own.row.series_id), await reread(w, own))
  }
  let series = await findSeries(w.tx, own.row.series_id)
  const isBack = own.post.status === 'trash'
  if (isBack) series = await restoreDate(w, series, own)
  let found = own.post
  const kept = keptOf(own.row.overrides, sent)
  if (isBack || kept.length < own.row.overrides.length) {
    const row = { ...own.row, overrides: kept }
    const [before, after] = await updateOccurrence(w, series, { ...own, row }, own.row)
    checkWithin(w, own.post)
    await emitChanged(w, before, after)
    found = after.post
  }
  const { event, input, span, problems } = await readEventInput(w, 'event', withoutOwn(sent), found)
  refuse(problems)
  const isRestored = isBack && canPublish(w.caller) && input.status === found.status
  const names = sentNames(input).filter((name) => name !== 'status' || !isRestored)
  const isNamed = [input.slug, input.source, input.external_id].some((name) => name !== undefined)
  if (names.length === 0 && !isNamed && (overrides !== undefined || isBack)) return
  checkAuthors(w.caller, input, found)
  await saveEvent(
    w,
    'event',
    { input, span: span as Span },
    { post: found, event: event! },
    async (written) => {
      const row = { ...own.row, overrides: differing(series, written, { row: own.row, kept, names }) }
      await postRows.occurrence.save(w.tx, row)
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
  const { series_id } = (await postRows.occurrence.find(tx, own.post.id))!
  return (await storedOccurrences({ tx }, series_id)).find(({ post }) => post.id === own.post.id)!
}

/** Gives a series a date back that was taken out of it. */
async function restoreDate(w: Write, series: Series, { row }: Occurrence): Promise<Series> {
  if (series.post.status === 'trash')
    refuse({ status: `is that of its series, which is in the trash: restore /series/${series.post.id}.` })
  return saveRecurrence(w, series, withDate(recurrenceOf(series.row, series.event), row.recurrence_id))
}

/** Changes all dates of a series by what is sent for one of them. */
async function changeAll(w: Write, own: Occurrence, sent: EventWrite) {
  const series = await findSeries(w.tx, own.row.series_id)
  await changeAllOf(w, series, own, sent, await storedOccurrences(w, series.post.id))
}

async function changeAllOf(
  w: Write,
  of: Series,
  own: Occurrence,
  sent: EventWrite,
  occurrences: StoredOccurrence[],
) {
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
    occurrences.map((one) => {
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
async function changeFollowing(w: Write, own: Occurrence, sent: EventWrite) {
  const series = await findSeries(w.tx, own.row.series_id)
  editable(w.caller, 'series', { id: series.post.id }, 'change', series.post)
  const at = own.row.recurrence_id
  const recurrence = recurrenceOf(series.row, series.event)
  const { before, from } = split(own.post.status === 'trash' ? withDate(recurrence, at) : recurrence, at)
  const occurrences = await storedOccurrences(w, series.post.id)
  if (!before || !from || firstOf(before) === undefined) return changeAllOf(w, series, own, sent, occurrences)
  await endEarlier(w, series, before)
  const event = { ...series.event, ...spanFrom(from.start, lengthOf(series.event), series.event) }
  const rest = from.since ? { ...from, since: at } : from
  const next = await copySeries(w, { ...series, event }, rest, series.row.until)
  const later = occurrences.filter(({ row }) => row.recurrence_id >= at)
  await changeAllOf(w, next, own, sent, later)
}

/** Ends the repetition at one of its dates: for this one, which leaves; after it; or for all other dates. */
async function endSeries(w: Write, own: Occurrence, range: ApplyTo) {
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
  await postRows.occurrence.drop(w.tx, post.id)
  const after: Post = { ...post, parent_id: null }
  await updatePost(w.tx, after, post)
  const refs = await linksOf(w.tx, post.id)
  await emitChanged(w, { post }, { post: after })
  await project(w, 'post', { before: { post, refs }, after: { post: after, event, refs, occurrence: null } })
}
