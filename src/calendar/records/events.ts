import type { Refs } from '../../../drizzle/tables.ts'
import type { EventInput } from '../../../schemas/event.ts'
import type { LinkInput } from '../../../schemas/links.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import type { Queries } from '../../kernel/database/db.ts'
import { forbidden, type Problems, refuse } from '../../kernel/errors.ts'
import { buildCost } from '../cost.ts'
import type { EventRow, Post, SeriesRow } from '../formats/records.ts'
import { canRead } from '../rights.ts'
import { previousStart, readSpan, type Span } from '../span.ts'
import { emitChanged } from './changed-fields.ts'
import { type Stored, searched } from './derived.ts'
import { checkPostInput, eventFields, linksAfter, shownOf, withInherited, withoutReturned } from './input.ts'
import { checkWithin } from './limited-rights.ts'
import {
  checkAuthor,
  checkNotInTrash,
  editable,
  findOwned,
  type Key,
  saveExternal,
  seekPost,
} from './posts.ts'
import { project } from './projection.ts'
import { LINK_KINDS, linksOf, NO_REFS, postRows, setLinks } from './rows.ts'
import { assignTerms } from './terms.ts'
import { organizerWrites, venueWrites } from './venues-and-organizers.ts'
import { type PostInput, savePost, textAfter, type Write } from './write.ts'

/** An event or a series as it is stored. */
export type StoredEvent = { post: Post; event: EventRow; refs: Refs }

/** An event or a series with all that is stored of it, by its row in `posts`. */
export async function findStored(tx: Queries, post: Post): Promise<StoredEvent> {
  const event = (await postRows.event.find(tx, post.id))!
  return { post, event, refs: await linksOf(tx, post.id) }
}

/** Writes the row of a series, or of a date of one, where there is such; gives what of them the event has. */
type SaveOwnRow = (written: StoredEvent) => Promise<Pick<Stored, 'series' | 'occurrence'>>
const SINGLE: SaveOwnRow = async () => ({ occurrence: null })

/** Writes an event or a series, whose input was checked before. `saveOwnRow` writes the row of a series, or of a date of one. */
export async function saveEvent(
  w: Write,
  kind: 'event' | 'series',
  { input, span }: { input: EventInput & PostInput; span: Span },
  self?: { post: Post; event: EventRow; row?: SeriesRow },
  saveOwnRow = SINGLE,
): Promise<StoredEvent> {
  const before = self ? await linksOf(w.tx, self.post.id) : NO_REFS
  const texts = searched.event({
    excerpt: textAfter(input.excerpt, self?.post.excerpt),
    description: textAfter(input.description, self?.post.description),
  })
  const post = await savePost(w, kind, input.title ?? self!.post.title, input, texts, self?.post)
  const { start_date, end_date, utc_start_date, utc_end_date, timezone, all_day } = span
  // absent keeps what is stored, null is the default
  const after = <N extends keyof EventRow & keyof EventInput>(name: N, fallback: EventRow[N]) =>
    (input[name] === undefined ? self?.event[name] : (input[name] as EventRow[N] | null)) ?? fallback
  const event: EventRow = {
    post_id: post.id,
    start_date,
    end_date,
    utc_start_date,
    utc_end_date,
    timezone,
    all_day,
    cost: after('cost', []),
    website: after('website', ''),
    show_map: after('show_map', false),
    show_map_link: after('show_map_link', false),
    hide_from_listings: after('hide_from_listings', false),
    sticky: after('sticky', false),
    featured: after('featured', false),
    ticketed: after('ticketed', false),
    event_status: after('event_status', 'scheduled'),
    attendance_mode: after('attendance_mode', 'offline'),
    virtual_url: after('virtual_url', ''),
    event_status_reason: after('event_status_reason', ''),
    previous_start_date: '',
  }
  if (self) event.previous_start_date = previousStart(self.event, event)
  await postRows.event.save(w.tx, event)
  const external = await saveExternal(w, post, input, !self)
  const refs = await saveLinks({ ...w, language: post.language }, post.id, input, before)
  checkWithin(w, post)
  const written = {
    post,
    event,
    refs,
    ...(external !== undefined && { external }),
    ...(await saveOwnRow({ post, event, refs })),
  }
  if (self) await emitChanged(w, { ...self, refs: before, series: self.row }, written)
  await project(w, 'post', { before: self && { post: self.post, refs: before }, after: written })
  return { post, event, refs }
}

/** Links the records in the input, and creates new ones in the language of the event; returns all links. */
async function saveLinks(w: Write, event: number, input: EventInput, before: Refs): Promise<Refs> {
  const after = { ...before }
  if (input.categories !== undefined)
    after.category = await assignTerms(w, 'category', input.categories ?? [])
  if (input.tags !== undefined) after.tag = await assignTerms(w, 'tag', input.tags ?? [])
  if (input.venue !== undefined)
    after.venue = await linkAll(input.venue, (venue) => venueWrites.inline(w, venue))
  if (input.organizer !== undefined)
    after.organizer = await linkAll(input.organizer, (organizer) => organizerWrites.inline(w, organizer))
  for (const kind of LINK_KINDS) {
    after[kind] = await linksAfter(w, kind, before[kind], [...new Set(after[kind])])
    await setLinks(w.tx, event, kind, before[kind], after[kind])
  }
  return after
}

async function linkAll<T>(
  given: LinkInput<T>[] | null,
  create: (input: T) => Promise<number>,
): Promise<number[]> {
  const ids: number[] = []
  for (const link of given ?? []) ids.push('create' in link ? await create(link.create) : link.id)
  return ids
}

/** Problems with the records that an input for a single event refers to, and with its dates in combination. */
export const checkSingle = async (w: Write, sent: EventWrite, key?: Key): Promise<Problems> =>
  (await readEventInput(w, 'event', sent, key && (await seekPost(w.tx, 'event', key, w.caller)))).problems

/** Creates a single event; returns its ID. A translation inherits from its original what it does not send. */
export async function createSingle(w: Write, sent: EventWrite): Promise<number> {
  const { input, span, problems } = await readEventInput(
    w,
    'event',
    sent.translation_of ? await inheritFields(w, sent) : sent,
  )
  refuse(problems)
  checkAuthors(w.caller, input)
  if (!span) throw forbidden(true, 'add a translation to this event')
  return (await saveEvent(w, 'event', { input, span: span as Span })).post.id
}

/** Changes the single event that was found by the key, if one was; returns its ID. */
export async function updateSingle(
  w: Write,
  key: Key,
  found: Post | undefined,
  sent: EventWrite,
): Promise<number> {
  const { event, input, span, problems } = await readEventInput(w, 'event', sent, found)
  // errors of the input come before the 404 of a missing event
  refuse(problems)
  const post = editable(w.caller, 'event', key, 'change', found)
  checkNotInTrash(post, input.status)
  checkAuthors(w.caller, input, post)
  return (await saveEvent(w, 'event', { input, span: span as Span }, { post, event: event! })).post.id
}

/** What is sent of an event, as it was read. */
export type EventWrite = EventInput & PostInput

/** The input of a new event with the shared fields that it inherits from its original. */
const inheritFields = (w: Write, sent: EventWrite): Promise<EventWrite> =>
  withInherited(w, 'event', sent, async (post, language) =>
    eventFields(w, await findStored(w.tx, post), language),
  )

/** Reads an input for a new event or series, or for one that was found: the members that change something, the resulting dates, and all problems. */
export async function readEventInput(w: Write, kind: 'event' | 'series', sent: EventWrite, found?: Post) {
  const event = found && (await postRows.event.find(w.tx, found.id))
  const input = event ? withoutReturned(w, sent, shownOfEvent(w, found!, event)) : sent
  const isDated = event || (input.start_date && input.end_date)
  const span = isDated ? readSpan(input, event, w.now, w.site.zone) : undefined
  const problems: Problems = {
    ...(await checkReferences(w, kind, input, found)),
    ...(span && 'problems' in span && span.problems),
  }
  return { event, input, span, problems }
}

/** The members of an event that responses show in another form than they are read. */
const shownOfEvent = ({ site }: Write, post: Post, { cost }: EventRow) => ({
  ...shownOf(post),
  title: post.title,
  cost: buildCost(cost, site.currency).cost,
})

/** Problems with the records that the input of an event refers to. */
async function checkReferences(
  w: Write,
  kind: 'event' | 'series',
  input: EventWrite,
  self?: Post,
): Promise<Problems> {
  const inside = { ...w, language: input.i18n_language ?? self?.language ?? w.language }
  return {
    ...(await checkPostInput(w, kind, input, self)),
    ...(await checkLinks(w, 'venue', input.venue, (venue) => venueWrites.check(inside, venue))),
    ...(await checkLinks(w, 'organizer', input.organizer, (organizer) =>
      organizerWrites.check(inside, organizer),
    )),
  }
}

/** Throws 403 if the event, or a record created inside it, gets another author without the right to do so (D39). */
export function checkAuthors(caller: Caller, input: EventInput & PostInput, self?: Post) {
  checkAuthor(caller, input.author, self)
  for (const link of [...(input.venue ?? []), ...(input.organizer ?? [])])
    if ('create' in link) checkAuthor(caller, link.create.author)
}

async function checkLinks<T>(
  w: Write,
  kind: 'venue' | 'organizer',
  given: LinkInput<T>[] | null | undefined,
  check: (input: T) => Promise<Problems>,
): Promise<Problems> {
  for (const link of given ?? []) {
    if ('create' in link) {
      const [problem] = Object.entries(await check(link.create))
      if (problem) return { [kind]: `${problem[0]}: ${problem[1]}` }
    } else {
      const post = await findOwned(w.tx, kind, link.id)
      if (!post || post.status === 'trash' || (w.caller && !canRead(w.caller, post)))
        return { [kind]: `There is no ${kind} with ID ${link.id}.` }
    }
  }
  return {}
}
