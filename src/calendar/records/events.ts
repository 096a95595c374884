import type { EventInput } from '../../../schemas/event.ts'
import type { LinkInput } from '../../../schemas/links.ts'
import { type Caller, canRead } from '../../kernel/access/roles.ts'
import { forbidden, type Problems, refuse } from '../../kernel/errors.ts'
import { buildCost } from '../cost/cost.ts'
import type { EventRow, Post } from '../formats/records.ts'
import { readSpan, type Span } from '../time/span.ts'
import { eventRow, findStored, saveEvent } from './event-rows.ts'
import { eventFields, withInherited } from './facts/facts.ts'
import { checkPostInput, shownOf, withoutReturned } from './input.ts'
import { organizerWrites } from './organizers.ts'
import { checkAuthor, checkNotInTrash, editable, findOwned, type Key, seekPost } from './posts.ts'
import { venueWrites } from './venues.ts'
import type { PostInput, Write } from './write.ts'

export function openEvents() {
  return {
    /** Problems with the records that an input refers to, and with its dates in combination. */
    check: async (w: Write, sent: EventWrite, key?: Key): Promise<Problems> =>
      (await readEventInput(w, 'event', sent, key && (await seekPost(w.tx, 'event', key, w.caller)))).problems,
    async create(w: Write, sent: EventWrite): Promise<number> {
      const { input, span, problems } = await readEventInput(
        w,
        'event',
        sent.translation_of ? await inheritFields(w, sent) : sent,
      )
      refuse(problems)
      checkAuthors(w.caller, input)
      if (!span) throw forbidden(true, 'add a translation to this event')
      return (await saveEvent(w, 'event', { input, span: span as Span })).post.id
    },
    /** Changes the event that was found by the key, if one was. */
    async update(w: Write, key: Key, found: Post | undefined, sent: EventWrite): Promise<number> {
      const { event, input, span, problems } = await readEventInput(w, 'event', sent, found)
      // errors of the input come before the 404 of a missing event
      refuse(problems)
      const post = editable(w.caller, 'event', key, 'change', found)
      checkNotInTrash(post, input.status)
      checkAuthors(w.caller, input, post)
      return (await saveEvent(w, 'event', { input, span: span as Span }, { post, event: event! })).post.id
    },
  }
}

export type EventWrite = EventInput & PostInput

/** The input of a new event with the facts that it takes from its original. */
const inheritFields = (w: Write, sent: EventWrite): Promise<EventWrite> =>
  withInherited(w, 'event', sent, async (post, language) => eventFields(w, await findStored(w.tx, post), language))

/** Reads an input for a new event or series, or for one that was found: the members that change something, the resulting dates, and all problems. */
export async function readEventInput(w: Write, kind: 'event' | 'series', sent: EventWrite, found?: Post) {
  const [event] = found ? await eventRow(w.tx).execute({ id: found.id }) : []
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
async function checkReferences(w: Write, kind: 'event' | 'series', input: EventWrite, self?: Post): Promise<Problems> {
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
