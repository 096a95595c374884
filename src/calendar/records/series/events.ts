import { type ApplyTo, isToSeveral, type RecurrenceInput } from '../../../../schemas/recurrence.ts'
import { type Problems, refuse } from '../../../kernel/errors.ts'
import type { OccurrenceRow, Post } from '../../formats/records.ts'
import { hasDate } from '../../recurrence/expansion.ts'
import type { Span } from '../../time/span.ts'
import { eventRow } from '../event-rows.ts'
import { type EventWrite, readEventInput, type openEvents } from '../events.ts'
import { checkNotInTrash, editable, findById, type Key, seekPost } from '../posts.ts'
import { linksOf } from '../projection/links.ts'
import { keepRevision } from '../revisions.ts'
import type { Write } from '../write.ts'
import { copySeries } from './copy.ts'
import { mustRead, readSent } from './dates.ts'
import { changeAll, changeFollowing, changeThis, endSeries } from './edits.ts'
import { syncOccurrences } from './follow.ts'
import { findOccurrenceRow, firstOccurrence } from './rows.ts'
import { checkSeries } from './series.ts'
import { createSeriesOrTranslation } from './taken.ts'

/** An input without what only series and their dates have. */
const alone = ({ recurrence: _, overrides: __, ...input }: EventWrite): EventWrite => input

/** The event that a URL names, and which date of which series it is; a single event costs no further query. */
async function seek(w: Write, key: Key | undefined) {
  const found = key && (await seekPost(w.tx, 'event', key, w.caller))
  const row = found && found.parent_id !== null ? await findOccurrenceRow(w.tx, found.id) : undefined
  return { found, row }
}

/** Problems of what is sent for a single event. */
async function checkSingle(w: Write, sent: EventWrite, found?: Post, range?: ApplyTo): Promise<Problems> {
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
function checkOccurrence(sent: EventWrite, found: Post, row: OccurrenceRow, range: ApplyTo | undefined): Problems {
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
const ofDate = ({ post_parent: _, i18n_language: __, translation_of: ___, ...input }: EventWrite): EventWrite => input

/** Events that may be dates of a series. `single` writes those that are none. */
export function openRepeatingEvents(single: ReturnType<typeof openEvents>) {
  return {
    /** Problems with the records that an input refers to, with its dates in combination, and with its recurrence. */
    async check(w: Write, sent: EventWrite, key?: Key, range?: ApplyTo): Promise<Problems> {
      const { found, row } = await seek(w, key)
      if (!row)
        return { ...(await single.check(w, alone(sent), key)), ...(await checkSingle(w, sent, found, range)) }
      const own = await single.check(w, alone(ofDate(sent)), { id: found!.id })
      return { ...own, ...checkOccurrence(sent, found!, row, range) }
    },
    /** Creates an event; with a recurrence a series, of which it is the first date. */
    async create(w: Write, sent: EventWrite): Promise<number> {
      if (!sent.recurrence) return single.create(w, alone(sent))
      if (sent.status === 'trash') refuse({ status: 'must not be trash where the event repeats.' })
      refuse({ ...(await checkSeries(w, alone(sent))), ...(await checkSingle(w, sent)) })
      const { source, external_id, ...shared } = sent
      const { post } = await createSeriesOrTranslation(w, { ...shared, post_parent: null })
      const { id } = (await firstOccurrence(w.tx, post.id)).post
      // another system has the event that is the answer
      return external_id ? this.update(w, { id }, { source, external_id } as EventWrite) : id
    },
    /** Changes an event; of a date of a series also those that follow, or all. */
    async update(w: Write, key: Key, sent: EventWrite, range: ApplyTo = 'this'): Promise<number> {
      const { found, row } = await seek(w, key)
      if (!row) {
        const problems = await checkSingle(w, sent, found, range)
        // all that is wrong is told together
        if (Object.keys(problems).length > 0)
          refuse({ ...(await single.check(w, alone(sent), key)), ...problems })
        const id = await single.update(w, key, found, alone(sent))
        return sent.recurrence ? repeat(w, id, sent.recurrence) : id
      }
      refuse(checkOccurrence(sent, found!, row, range))
      const post = editable(w.caller, 'event', key, 'change', found)
      checkNotInTrash(post, sent.status)
      const [event] = await eventRow(w.tx).execute({ id: post.id })
      const own = { post, event: event!, row }
      const input = ofDate(sent)
      if (sent.recurrence === null) {
        await endSeries(w, own, range)
        const others = alone(input)
        return Object.keys(others).length === 0 ? post.id : this.update(w, { id: post.id }, others)
      }
      const edit = { this: changeThis, following: changeFollowing, all: changeAll }[range]
      await edit(w, own, input)
      return post.id
    },
  }

  /** Makes a single event the first date of a new series. */
  async function repeat(w: Write, id: number, sent: RecurrenceInput): Promise<number> {
    const post = (await findById(w.tx, 'event', id))!
    const [event] = await eventRow(w.tx).execute({ id })
    const recurrence = mustRead(w, sent, event!)
    const recurrence_id = event!.start_date.slice(0, event!.all_day ? 10 : 19)
    if (!hasDate(recurrence, recurrence_id))
      refuse({ 'recurrence.exdate': `must not have ${recurrence_id}, the date of this event.` })
    const series = await copySeries(w, { post, event: event!, refs: await linksOf(w.tx, id) }, recurrence)
    const row = { post_id: id, series_id: series.post.id, recurrence_id, overrides: [] }
    await syncOccurrences(w, series, [{ post, event: event!, row, stored: undefined }])
    await keepRevision(w, { post }, { post: { ...post, parent_id: series.post.id } })
    return id
  }
}
