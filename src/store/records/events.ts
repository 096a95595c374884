import { eq, sql } from 'drizzle-orm'
import { events, type Refs } from '../../../drizzle/tables.ts'
import type { EventInput } from '../../../schemas/event.ts'
import type { LinkInput } from '../../../schemas/links.ts'
import type { EventRow, Post } from '../../formats/records.ts'
import { buildCost } from '../../rules/cost.ts'
import { type Caller, canRead } from '../../rules/roles.ts'
import { readSpan, type Span } from '../../rules/time/span.ts'
import { type Problems, refuse } from '../../support/errors.ts'
import { columnsOf, excludedOf, prepared } from '../sqlite/db.ts'
import { checkPostInput, linksAfter, shownOf, withoutReturned } from './input.ts'
import { organizerWrites } from './organizers.ts'
import { checkAuthor, checkNotInTrash, editable, findOwned, type Key, seekPost } from './posts.ts'
import { searched } from './projection/derived.ts'
import { LINK_KINDS, linksOf, NO_REFS, setLinks } from './projection/links.ts'
import { project } from './projection/project.ts'
import { assignTerms } from './terms/terms.ts'
import { venueWrites } from './venues.ts'
import { type PostInput, savePost, textAfter, type Write } from './write.ts'

export function openEvents() {
  return {
    /** Problems with the records that an input refers to, and with its dates in combination. */
    check: async (w: Write, sent: Input, key?: Key): Promise<Problems> => (await look(w, sent, key)).problems,
    async create(w: Write, sent: Input): Promise<number> {
      const { input, span, problems } = await look(w, sent)
      refuse(problems)
      checkAuthors(w.caller, input)
      return (await save(w, input, span as Span)).id
    },
    async update(w: Write, key: Key, sent: Input): Promise<number> {
      const { found, event, input, span, problems } = await look(w, sent, key)
      // errors of the input come before the 404 of a missing event
      refuse(problems)
      const post = editable(w.caller, 'event', key, 'change', found)
      checkNotInTrash(post, input.status)
      checkAuthors(w.caller, input, post)
      return (await save(w, input, span as Span, { post, event: event! })).id
    },
  }
}

type Input = EventInput & PostInput

/** Reads an input for the event with a key: the members that change something, the resulting dates, and all problems. */
async function look(w: Write, sent: Input, key?: Key) {
  const found = key && (await seekPost(w.tx, 'event', key, w.caller))
  const [event] = found ? await eventRow(w.tx).execute({ id: found.id }) : []
  const input = event ? withoutReturned(w, sent, shownOfEvent(w, found!, event)) : sent
  const isDated = event || (input.start_date && input.end_date)
  const span = isDated ? readSpan(input, event, w.now, w.site.zone) : undefined
  const problems: Problems = {
    ...(await checkEvent(w, input, found)),
    ...(span && 'problems' in span && span.problems),
  }
  return { found, event, input, span, problems }
}

/** The members of an event that responses show in another form than they are read. */
const shownOfEvent = ({ site }: Write, post: Post, { cost }: EventRow) => ({
  ...shownOf(post),
  title: post.title,
  cost: buildCost(cost, site.currency).cost,
})

/** Problems with the records that the input of an event refers to. */
async function checkEvent(w: Write, input: Input, self?: Post): Promise<Problems> {
  const inside = { ...w, language: input.i18n_language ?? self?.language ?? w.language }
  return {
    ...(await checkPostInput(w, 'event', input, self)),
    ...(await checkLinks(w, 'venue', input.venue, (venue) => venueWrites.check(inside, venue))),
    ...(await checkLinks(w, 'organizer', input.organizer, (organizer) =>
      organizerWrites.check(inside, organizer),
    )),
  }
}

/** Throws 403 if the event, or a record created inside it, gets another author without the right to do so (D39). */
function checkAuthors(caller: Caller, input: EventInput & PostInput, self?: Post) {
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

const eventRow = prepared((db) =>
  db
    .select()
    .from(events)
    .where(eq(events.post_id, sql.placeholder('id')))
    .prepare(),
)
const upsertEvent = prepared((db) =>
  db
    .insert(events)
    .values(columnsOf(events))
    .onConflictDoUpdate({ target: events.post_id, set: excludedOf(events) })
    .prepare(),
)

async function save(
  w: Write,
  input: EventInput & PostInput,
  span: Span,
  self?: { post: Post; event: EventRow },
): Promise<Post> {
  const before = self ? await linksOf(w.tx, self.post.id) : NO_REFS
  const texts = searched.event({
    excerpt: textAfter(input.excerpt, self?.post.excerpt),
    description: textAfter(input.description, self?.post.description),
  })
  const post = await savePost(w, 'event', input.title ?? self!.post.title, input, texts, self?.post)
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
  }
  await upsertEvent(w.tx).execute(event)
  const refs = await saveLinks({ ...w, language: post.language }, post.id, input, before)
  await project(w, 'post', {
    before: self && { post: self.post, refs: before },
    after: { post, event, refs },
  })
  return post
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
