import { eq, sql } from 'drizzle-orm'
import { events, type Refs } from '../../../drizzle/tables.ts'
import type { EventInput } from '../../../schemas/event.ts'
import type { LinkInput } from '../../../schemas/links.ts'
import { columnsOf, excludedOf, prepared, type Queries } from '../../kernel/database/db.ts'
import type { EventRow, Post, SeriesRow } from '../formats/records.ts'
import { previousStart } from '../time/former.ts'
import type { Span } from '../time/span.ts'
import { saveExternal } from './externals.ts'
import { linksAfter } from './input.ts'
import { checkWithin } from './limits.ts'
import { organizerWrites } from './organizers.ts'
import { type Stored, searched } from './projection/derived.ts'
import { LINK_KINDS, linksOf, NO_REFS, setLinks } from './projection/links.ts'
import { project } from './projection/project.ts'
import { keepRevision } from './revisions.ts'
import { assignTerms } from './terms/terms.ts'
import { venueWrites } from './venues.ts'
import { type PostInput, savePost, textAfter, type Write } from './write.ts'

/** The row of an event, or of the pattern of a series. */
export const eventRow = prepared((db) =>
  db
    .select()
    .from(events)
    .where(eq(events.post_id, sql.placeholder('id')))
    .prepare(),
)
export const upsertEvent = prepared((db) =>
  db
    .insert(events)
    .values(columnsOf(events))
    .onConflictDoUpdate({ target: events.post_id, set: excludedOf(events) })
    .prepare(),
)

/** An event or a series as it is stored. */
export type StoredEvent = { post: Post; event: EventRow; refs: Refs }

/** An event or a series with all that is stored of it, by its row in `posts`. */
export async function findStored(tx: Queries, post: Post): Promise<StoredEvent> {
  const [event] = await eventRow(tx).execute({ id: post.id })
  return { post, event: event!, refs: await linksOf(tx, post.id) }
}

/** What is stored of an event or a series beside its row in `events`. */
type Beside = (written: StoredEvent) => Promise<Pick<Stored, 'series' | 'occurrence'>>
const SINGLE: Beside = async () => ({ occurrence: null })

/** Writes an event or a series, whose input was checked before. `beside` writes the row of a series, or of a date of one. */
export async function saveEvent(
  w: Write,
  kind: 'event' | 'series',
  { input, span }: { input: EventInput & PostInput; span: Span },
  self?: { post: Post; event: EventRow; row?: SeriesRow },
  beside = SINGLE,
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
  await upsertEvent(w.tx).execute(event)
  const external = await saveExternal(w, post, input, !self)
  const refs = await saveLinks({ ...w, language: post.language }, post.id, input, before)
  checkWithin(w, post)
  const written = {
    post,
    event,
    refs,
    ...(external !== undefined && { external }),
    ...(await beside({ post, event, refs })),
  }
  if (self) await keepRevision(w, { ...self, refs: before, series: self.row }, written)
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
