import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FeedQuery } from '../../../../schemas/feed.ts'
import type { TermRow } from '../../../formats/records.ts'
import type { Caller } from '../../../rules/roles.ts'
import type { Key, Selection } from '../../../store/store.ts'
import { ApiError } from '../../../support/errors.ts'
import { addTotals, MAX_PER_PAGE, noPage } from '../../resource/page.ts'
import type { Service } from '../../resource/service.ts'
import { mountOf } from '../../server/mounts.ts'
import { openEventList } from '../events/event-list.ts'
import { type Found, WHOLE } from './feed.ts'
import { openHomes, openSubjects, repeated, type Subject } from './feed-heads.ts'

/** All events of a list on one page. */
export const ALL = { page: 1, per_page: Number.MAX_SAFE_INTEGER }

/** The first events of a selection, the number of all, and what finds these if there are more. */
export async function listWhole({ lists }: Pick<Service['store'], 'lists'>, selection: Selection) {
  const { ids, total } = await lists.list(selection, { page: 1, per_page: WHOLE })
  return { ids, total, all: total > WHOLE ? async () => (await lists.list(selection, ALL)).ids : undefined }
}

/** The records that have a feed of their events: name, plural, and the filter that selects these. */
export const KINDS = [
  ['category', 'categories', 'categories'],
  ['tag', 'tags', 'tags'],
  ['venue', 'venues', 'venue'],
  ['organizer', 'organizers', 'organizer'],
] as const
export type Kind = (typeof KINDS)[number]
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
    const asked = isPaged ? { page, per_page: Math.min(per_page, MAX_PER_PAGE) } : ALL
    const { selection } = await select({ ...query, ...asked }, request)
    const { ids, total, all } = isPaged
      ? { ...(await store.lists.list(selection, asked)), all: undefined }
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
    return { single: false, ...(await about()), self: urlOf(page), next, ids, all, selection }
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
      return { single: true, ...subjects.post(post), self, next: undefined, ids: [post.id], opens }
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
      Object.assign(request.query as object, { [filter]: [String(id)] })
      return list(request, reply, `/${plural}/${id}.${extension}`, async () => subject)
    },
  }
}
export type Finders = ReturnType<typeof openFinders>
