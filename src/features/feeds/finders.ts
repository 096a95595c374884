import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventQuery } from '../../../schemas/event-query.ts'
import type { FeedQuery } from '../../../schemas/feed.ts'
import type { TermRow } from '../../calendar/formats/records.ts'
import { pageOfTerm, pathIn, permalink, queryOf } from '../../calendar/formats/urls.ts'
import { addTotals, noPage } from '../../calendar/resource/envelope.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { canRead } from '../../calendar/rights.ts'
import { openEventList } from '../../calendar/routes/event-query.ts'
import type { Key, Selection } from '../../calendar/store.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { ApiError } from '../../kernel/errors.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import { stripHtml } from '../../kernel/text/html.ts'
import type { Feed } from './formats/format.ts'
import { type Found, WHOLE } from './streaming.ts'

/** All events of a list on one page. */
export const ALL = { page: 1, per_page: Number.MAX_SAFE_INTEGER }

/** The first events of a selection, the number of all, and what finds these if there are more. */
export async function listWhole({ lists }: Pick<Service['store'], 'lists'>, selection: Selection) {
  const { ids, total } = await lists.list(selection, { page: 1, per_page: WHOLE })
  return { ids, total, all: total > WHOLE ? async () => (await lists.list(selection, ALL)).ids : undefined }
}

/** The events of a page, which may be long. */
async function listPage({ lists }: Pick<Service['store'], 'lists'>, selection: Selection, asked: typeof ALL) {
  const { ids, total } = await lists.list(selection, asked)
  return { ids, total, all: ids.length > WHOLE ? async () => ids : undefined }
}

/** The records that have a feed of their events: name, plural, and the filter that selects these. */
export const KINDS = [
  ['category', 'categories', 'categories'],
  ['tag', 'tags', 'tags'],
  ['venue', 'venues', 'venue'],
  ['organizer', 'organizers', 'organizer'],
  ['series', 'series', 'series'],
] as const
type Kind = (typeof KINDS)[number]
export type Filter = Kind[2]

/** Finds the events of feeds, and what these are of. `extension` is that of the format, for the addresses in the head. */
export function openFinders(service: Service) {
  const { store } = service
  const select = openEventList(service)
  const subjects = openSubjects(service)
  const homeOf = openHomes(service)
  const rootOf = (request: FastifyRequest) => (mountOf(request) ? service.root(request) : service.home)

  /** The events of a list, or of the page that was asked for. */
  async function list(
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    about: () => Promise<Subject>,
  ): Promise<Found> {
    const query = request.query as FeedQuery
    const isPaged = query.page !== undefined || query.per_page !== undefined
    const { page = 1, per_page = 12 } = query
    const asked = isPaged ? { page, per_page } : ALL
    const { selection } = await select({ ...query, ...asked }, request)
    const { ids, total, all } = isPaged
      ? await listPage(store, selection, asked)
      : await listWhole(store, selection)
    const pages = Math.ceil(total / asked.per_page)
    if (ids.length === 0 && page > 1) throw noPage('event', page, pages)
    const urlOf = (page: number) => {
      const paging: Record<string, string> = isPaged
        ? { per_page: String(asked.per_page), page: String(page) }
        : {}
      return rootOf(request) + path + repeated(request, paging)
    }
    const next = page < pages ? urlOf(page + 1) : undefined
    addTotals(reply, { total, pages, next, previous: page > 1 ? urlOf(page - 1) : undefined })
    return { head: { single: false, ...(await about()), self: urlOf(page), next }, ids, all, selection }
  }

  async function termOf(taxonomy: 'category' | 'tag', key: Key, caller: Caller): Promise<TermRow> {
    if ('id' in key) return store[taxonomy === 'category' ? 'categories' : 'tags'].find(key, caller)
    const [term] = await store.terms.seek(taxonomy, [key.slug], caller)
    if (term) return term
    throw new ApiError(`${taxonomy}-not-found`, `There is no ${taxonomy} with the slug "${key.slug}".`)
  }

  /** A record with its events; throws the errors of its single read. */
  async function recordOf(name: Kind[0], key: Key, { caller }: FastifyRequest) {
    if (name === 'category' || name === 'tag') {
      const term = await termOf(name, key, caller)
      return { id: term.id, subject: subjects.term(term) }
    }
    const post = await store.posts.readable(name, key, caller)
    return { id: post.id, subject: subjects.post(post) }
  }

  return {
    select,
    /** All events. */
    all: (request: FastifyRequest, reply: FastifyReply, extension: string) =>
      list(request, reply, `/events.${extension}`, async () => {
        const query = request.query as FeedQuery
        const own = `${rootOf(request)}/events${repeated(request)}`
        return subjects.list(query, request, await homeOf(query, request, own))
      }),
    /** One event; throws the errors of its single read. */
    async event(request: FastifyRequest, key: Key, extension: string): Promise<Found> {
      const opens = service.opens(request)
      const post = await store.posts.open(key, { caller: request.caller, opens })
      const self = `${rootOf(request)}/events/${post.id}.${extension}`
      return { head: { single: true, ...subjects.post(post), self, next: undefined }, ids: [post.id], opens }
    },
    /** The events of a record. */
    async of(
      [name, plural, filter]: Kind,
      request: FastifyRequest,
      reply: FastifyReply,
      key: Key,
      extension: string,
    ): Promise<Found> {
      const { id, subject } = await recordOf(name, key, request)
      Object.assign(request.query as object, only(filter, id, request.query as FeedQuery))
      return list(request, reply, `/${plural}/${id}.${extension}`, async () => subject)
    },
  }
}
/** The filters that select the events of a record. A series has all of its dates, unless some were asked for. */
function only(filter: Filter, id: number, query: FeedQuery): Partial<FeedQuery> {
  if (filter !== 'series') return { [filter]: [String(id)] }
  const isDated = WINDOW.some((name) => query[name] !== undefined)
  return { series: id, ...(!isDated && { when: 'all' }) }
}
const WINDOW = [
  'start_date',
  'end_date',
  'starts_before',
  'starts_after',
  'ends_before',
  'ends_after',
  'when',
] as const

export type Finders = ReturnType<typeof openFinders>

/** What a feed is of, in words and by its address. */
type Subject = Pick<Feed, 'title' | 'description' | 'home'>

/** Parameters that a feed does not repeat in its own address: they are passwords, or said by its path. */
const NOT_REPEATED = ['password', 'page', 'per_page']

/** The query of a request as it was sent, without page and password; dates in words stay words. */
function repeated({ given }: FastifyRequest, more: Record<string, string> = {}): string {
  const pairs = Object.entries(given)
    .filter(([name]) => !NOT_REPEATED.includes(name))
    .map(([name, { values }]): [string, string] => [name, values.join(',')])
  const text = new URLSearchParams([...pairs, ...Object.entries(more)]).toString()
  return text && `?${text}`
}

/**
 * The address where people see the events of a list: that of the page, with the filters that pages have too; without pages, that of the
 * list in the API, `own`.
 */
function openHomes({ store, base, pageLanguages: languages, language }: Service) {
  return async (query: Filters, request: FastifyRequest, own: string): Promise<string> => {
    if (!languages) return own
    const { search, q, categories = [], tags = [], venue = [] } = query
    const only = async (taxonomy: 'category' | 'tag', keys: string[]) =>
      // pages are for everybody
      keys.length === 1 ? (await store.terms.seek(taxonomy, keys, undefined))[0]?.slug : undefined
    const post = venue.length === 1 ? await store.posts.byId('venue', venue[0]!) : undefined
    const filters = {
      search,
      q,
      category: await only('category', categories),
      tag: await only('tag', tags),
      venue: post?.status === 'publish' ? post.slug : undefined,
    }
    const path = pathIn({ path: base, languages }, language(request) ?? languages[0]!, '/events/')
    return path + queryOf(filters)
  }
}
type Filters = Omit<EventQuery, 'page' | 'per_page'>

/** Finds out what feeds are of. Their titles begin with the name of the site. */
function openSubjects({ store, base, branding }: Service) {
  const nameOf = async (kind: 'venue' | 'organizer', id: number, { caller }: FastifyRequest) => {
    const post = await store.posts.find(kind, { id }, caller)
    return canRead(caller, post) ? post.title : ''
  }
  const termNames = async (taxonomy: 'category' | 'tag', keys: string[], { caller }: FastifyRequest) =>
    (await store.terms.seek(taxonomy, keys, caller))
      .filter((term) => term !== undefined)
      .map(({ name }) => name)

  return {
    /** Of a list: the site, and what its filters name. */
    async list(
      query: Omit<EventQuery, 'page' | 'per_page'>,
      request: FastifyRequest,
      home: string,
    ): Promise<Subject> {
      const names = (kind: 'venue' | 'organizer', ids: number[] = []) =>
        Promise.all(ids.map((id) => nameOf(kind, id, request)))
      const parts = [
        await termNames('category', query.categories ?? [], request),
        await termNames('tag', query.tags ?? [], request),
        await names('venue', query.venue),
        await names('organizer', query.organizer),
        [query.search, query.q].flatMap((text) => (text === undefined ? [] : [`“${text}”`])),
      ]
      const filters = parts.map((some) => some.filter(Boolean).join(', ')).filter(Boolean)
      const site = branding().name
      const title = filters.length === 0 ? site : `${site}: ${filters.join(' · ')}`
      return { title, description: title, home }
    },
    /** Of a venue, an organizer or an event. */
    post: ({ title, description, ...post }: Parameters<typeof permalink>[0] & Texts): Subject => ({
      title: `${branding().name}: ${title}`,
      description: stripHtml(description) || title,
      home: permalink(post, base),
    }),
    /** Of a category or tag. */
    term: ({ name, description, taxonomy, slug }: Term): Subject => ({
      title: `${branding().name}: ${name}`,
      description: stripHtml(description) || name,
      home: base + pageOfTerm({ taxonomy, slug }),
    }),
  }
}
type Texts = { title: string; description: string }
type Term = Pick<TermRow, 'name' | 'description' | 'taxonomy' | 'slug'>
