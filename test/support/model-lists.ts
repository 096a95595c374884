import { eq } from 'drizzle-orm'
import { events, links, posts, terms, venues } from '../../drizzle/tables.ts'
import type { EventStates } from '../../schemas/event-states.ts'
import { defaultWindow } from '../../src/calendar/routes/event-query.ts'
import { hasTerm, readQuery } from '../../src/kernel/text/search.ts'
import { fold } from '../../src/kernel/text/text.ts'
import type { World } from './model.ts'

/** IDs and number of what the plain tables say that a list of everyone's shows; terms by ID, whole days. */
export type Wanted = {
  page: number
  per_page: number
  start_date?: string
  end_date?: string
  language?: string
  featured?: boolean
  event_status?: EventStates['event_status'][]
  attendance_mode?: EventStates['attendance_mode'][]
  /** UTC. */
  modified_after?: string
  modified_before?: string
  categories?: number[]
  tags?: number[]
  venue?: number[]
  organizer?: number[]
  search?: string
  q?: string
  when?: 'upcoming' | 'ongoing' | 'past' | 'all'
  orderby?: 'start' | 'end' | 'modified' | 'title'
  order?: 'asc' | 'desc'
}

/** What the plain tables of the reference say that a list shows. */
export async function expected({ reference: { store }, clock }: World, wanted: Wanted) {
  const db = store.db.read
  const all = await db.select().from(posts)
  const open = new Set(all.filter(({ status }) => status === 'publish').map(({ id }) => id))
  const rows = await db
    .select()
    .from(posts)
    .innerJoin(events, eq(events.post_id, posts.id))
    .where(eq(posts.kind, 'event'))
  const allLinks = await db.select().from(links)
  const linked = new Set(allLinks.map((l) => `${l.event_id} ${l.kind} ${l.target_id}`))
  const allTerms = await db.select().from(terms)
  const below = new Map<number, number[]>()
  for (const { id, parent_id } of allTerms) below.set(parent_id, [...(below.get(parent_id) ?? []), id])
  const tree = (ids: number[]): number[] => ids.flatMap((id) => [id, ...tree(below.get(id) ?? [])])
  const names = namesOf(all, allTerms, await db.select().from(venues))
  const named = new Map<number, string[]>()
  for (const { event_id, kind, target_id } of wanted.q === undefined ? [] : allLinks)
    named.set(event_id, [...(named.get(event_id) ?? []), ...names(kind, target_id)])
  const { start, end } = defaultWindow(clock.now, store.site.zone)
  const from = wanted.start_date ? `${wanted.start_date} 00:00:00` : wanted.when ? '' : start
  const to = wanted.end_date ? `${wanted.end_date} 23:59:59` : wanted.when ? '~' : end
  const minute = `${new Date(clock.now).toISOString().slice(0, 16).replace('T', ' ')}:00`
  const has = (id: number, kind: string, ids: number[] | undefined) =>
    ids?.some((target) => linked.has(`${id} ${kind} ${target}`)) ?? true
  const isBlanked = (['featured', 'categories', 'tags', 'venue', 'organizer'] as const).some(
    (name) => wanted[name] !== undefined,
  )
  const ids = rows
    .filter(
      ({ posts: post, events: event }) =>
        post.status === 'publish' &&
        // what a password protects is not filtered by
        (!isBlanked || post.password_hash === null) &&
        !event.hide_from_listings &&
        event.start_date >= from &&
        event.end_date <= to &&
        isAt(wanted.when, event, minute) &&
        (wanted.language === undefined || post.language === wanted.language) &&
        (wanted.featured === undefined || event.featured === wanted.featured) &&
        (wanted.event_status?.includes(event.event_status) ?? true) &&
        (wanted.attendance_mode?.includes(event.attendance_mode) ?? true) &&
        post.modified_utc > (wanted.modified_after?.replace(/[TZ]/g, ' ').trim() ?? '') &&
        post.modified_utc < (wanted.modified_before?.replace(/[TZ]/g, ' ').trim() ?? '~') &&
        has(post.id, 'category', wanted.categories && tree(wanted.categories)) &&
        has(post.id, 'tag', wanted.tags) &&
        // a place or host that not everyone may see is not found by
        has(
          post.id,
          'venue',
          wanted.venue?.filter((id) => open.has(id)),
        ) &&
        has(
          post.id,
          'organizer',
          wanted.organizer?.filter((id) => open.has(id)),
        ) &&
        finds(post, wanted.search) &&
        isAsked(post, named.get(post.id) ?? [], wanted.q),
    )
    .sort((a, b) => compare(keyOf(wanted, a), keyOf(wanted, b)) || a.posts.id - b.posts.id)
    .map(({ posts: { id } }) => id)
  if ((wanted.order ?? (wanted.orderby === 'modified' ? 'desc' : 'asc')) === 'desc') ids.reverse()
  const skip = (wanted.page - 1) * wanted.per_page
  return { total: ids.length, ids: ids.slice(skip, skip + wanted.per_page) }
}
type Rows = { posts: typeof posts.$inferSelect; events: typeof events.$inferSelect }
/** What a list is ordered by. */
const keyOf = ({ orderby = 'start' }: Wanted, { posts: post, events: event }: Rows): string =>
  ({
    start: event.start_date,
    end: event.end_date,
    modified: post.modified_utc,
    title: post.folded_title,
  })[orderby]
/** Whether an event has ended, or is under way, at the beginning of a minute. */
function isAt(
  when: Wanted['when'],
  { utc_start_date: start, utc_end_date: end }: Rows['events'],
  now: string,
) {
  if (when === 'past') return end <= now
  if (when === 'upcoming') return end > now
  return when !== 'ongoing' || (start <= now && end > now)
}
/** Whether one word, or none after a "-", is in what everyone may find an event by. */
function finds({ password_hash, folded, folded_title }: typeof posts.$inferSelect, search = ''): boolean {
  const text = password_hash === null ? folded : folded_title
  return search.startsWith('-') ? !text.includes(search.slice(1)) : text.includes(search)
}
/** The folded names by which everyone can find what is linked to a record: of a category also those above it. */
function namesOf(
  all: (typeof posts.$inferSelect)[],
  allTerms: (typeof terms.$inferSelect)[],
  allVenues: (typeof venues.$inferSelect)[],
) {
  const cities = new Map(allVenues.map(({ post_id, city }) => [post_id, city]))
  const shown = new Map(all.filter(({ status }) => status === 'publish').map((post) => [post.id, post]))
  const byId = new Map(allTerms.map((term) => [term.id, term]))
  const ofTerm = (id: number): string[] => {
    const term = byId.get(id)
    return term ? [...(term.hidden ? [] : [term.name]), ...ofTerm(term.parent_id)] : []
  }
  const ofPost = (id: number) => (shown.has(id) ? [shown.get(id)!.title, cities.get(id) ?? ''] : [])
  return (kind: string, id: number) =>
    (kind === 'category' || kind === 'tag' ? ofTerm(id) : ofPost(id)).map(fold)
}
/** Whether what a person typed stands in the texts of an event or in names, none of which a password protects. */
function isAsked(post: typeof posts.$inferSelect, names: string[], q: string | undefined): boolean {
  if (q === undefined) return true
  const lines = post.password_hash === null ? [post.folded, ...names] : [post.folded_title]
  const { wanted, unwanted } = readQuery(q)
  const has = (term: (typeof wanted)[number]) => lines.some((line) => hasTerm(line, term))
  return wanted.every(has) && !unwanted.some(has)
}
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
