import type { FastifyRequest } from 'fastify'
import type { EventQuery } from '../../../../schemas/event-query.ts'
import type { Service } from '../../../calendar/resource/service.ts'
import { checkSearch } from '../../../calendar/routes/event-list.ts'
import { readDay } from '../../../calendar/time/month.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import { MANY_WORDS, readQuery, readSearch, readWords } from '../../../kernel/text/search.ts'
import { toSlug } from '../../../kernel/text/text.ts'
import type { Filters } from '../html/parts/filters.ts'

/** A longer search has too many words in any case. */
const LONGEST = 1_000

/** The parameters of addresses of lists. */
export const LISTED = [
  ...(['page', 'q', 'search', 'category', 'tag', 'venue', 'language', 'online', 'free', 'when'] as const),
] as const
/** The parameters of addresses of lists whose days one may choose. */
export const DATED = [...LISTED, 'from', 'to'] as const

/** What a list is about, beside the filters of its address. */
export type Scope = Partial<Pick<EventQuery, 'venue' | 'organizer' | 'featured' | 'series'>>

/** Other names of filters in an address. */
export type Names = Partial<Record<string, string>>

/** A parameter of an address; undefined if it is absent or empty. */
export function textIn(request: FastifyRequest, name: string): string | undefined {
  const { [name]: given } = request.given
  return given?.values.at(-1)?.trim() || undefined
}

/** The filters and the page as an address spells them. Throws 400 for values that are none. */
function given(request: FastifyRequest, { site: { languages } }: Service, names: Names) {
  const text = (name: keyof Filters | 'page') => textIn(request, names[name] ?? name)
  const page = text('page') ?? '1'
  if (!/^[1-9]\d{0,5}$/.test(page)) throw invalid({ page: 'must be a whole number, 1 or more.' })
  const when = text('when')
  if (when !== undefined && when !== 'past' && when !== 'now') throw invalid({ when: 'must be past or now.' })
  const yes = (name: 'online' | 'free') => {
    const value = text(name)
    if (value !== undefined && value !== 'yes') throw invalid({ [name]: 'must be yes.' })
    return value as 'yes' | undefined
  }
  const [online, free] = [yes('online'), yes('free')]
  const [from, to] = [dayOf('from', text('from')), dayOf('to', text('to'))]
  if (from !== undefined && to !== undefined && to < from) throw invalid({ to: 'must not be before from.' })
  const language = text('language')
  if (language !== undefined && language !== 'all' && !languages.includes(language))
    throw invalid({ language: `must be all, or one of ${languages.join(', ')}.` })
  const [search, q] = [text('search'), text('q')]
  const problem = search && (search.length > LONGEST ? MANY_WORDS : checkSearch(readSearch(search)))
  if (problem) throw invalid({ search: problem })
  const unread = q && (q.length > LONGEST ? MANY_WORDS : checkSearch(readQuery(q)))
  if (unread) throw invalid({ q: unread })
  const [category, tag, venue] = [text('category'), text('tag'), text('venue')]
  const filters: Filters = { q, search, category, tag, venue, language, online, free, from, to, when }
  return { page: Number(page), filters }
}

/** A day of an address. */
function dayOf(name: string, text: string | undefined): string | undefined {
  const day = text && readDay(text)
  if (text && day === undefined) throw invalid({ [name]: 'must be a day, such as 2026-11-22.' })
  return day
}

/** The 404 of a filter that names nothing. */
const unnamed = (kind: 'category' | 'tag' | 'venue', name: string) =>
  new ApiError(`${kind}-not-found`, `There is no ${kind} "${name}".`, { name })

async function slugsOf({ store }: Service, kind: 'category' | 'tag', names: string) {
  const slugs = names.split(',').map((slug) => slug.trim())
  const found = await store.terms.seek(kind, slugs, undefined)
  return found.map((term, at) => {
    if (!term) throw unnamed(kind, slugs[at]!)
    return term.slug
  })
}

/** The venue of a slug or a name, or else the newest one whose texts have the words of it. */
async function venueOf({ store }: Service, name: string) {
  const seek = (key: { slug: string } | { id: number }) => store.posts.seek('venue', key, undefined)
  for (const slug of [name, toSlug(name)]) {
    const post = await seek({ slug })
    if (post?.status === 'publish') return post
  }
  if (name.length > LONGEST || readWords(name).length === 0) throw unnamed('venue', name)
  const filter = { page: 1, per_page: 1, search: name, has_events: true, only_with_upcoming: false }
  const [id] = (await store.venues.list(filter, undefined)).ids
  const found = id === undefined ? undefined : await seek({ id })
  if (!found) throw unnamed('venue', name)
  return found
}

/**
 * What an address asks for: the page, the filters with the slug of a venue that was named, and the query that they are. `scope` and
 * `fixed` are filters that stand in no parameter. Throws 400 for values that are none, and 404 for a name that nothing has.
 */
export async function readAddress(
  service: Service,
  request: FastifyRequest,
  { names = {}, scope = {}, fixed = {} }: { names?: Names | undefined; scope?: Scope; fixed?: Filters } = {},
) {
  const { page, filters } = given(request, service, names)
  const { q, search, category, tag, venue: name, online, free } = { ...filters, ...fixed }
  const query: Partial<EventQuery> = { ...scope }
  if (q !== undefined) query.q = q
  if (search !== undefined) query.search = search
  if (online !== undefined) query.attendance_mode = ['online', 'mixed']
  if (free !== undefined) query.free = true
  if (category !== undefined) query.categories = await slugsOf(service, 'category', category)
  if (tag !== undefined) query.tags = await slugsOf(service, 'tag', tag)
  if (name !== undefined) {
    const { id, slug } = await venueOf(service, name)
    query.venue = [id]
    filters.venue = slug
  }
  return { page, filters, query: query as EventQuery }
}
