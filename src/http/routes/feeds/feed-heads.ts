import type { FastifyRequest } from 'fastify'
import type { EventQuery } from '../../../../schemas/event-query.ts'
import type { Feed } from '../../../formats/format.ts'
import { pathIn, queryOf } from '../../../formats/html/view.ts'
import { permalink } from '../../../formats/json.ts'
import { canRead } from '../../../rules/roles.ts'
import { stripHtml } from '../../../rules/text/html.ts'
import type { Service } from '../../resource/service.ts'

/** What a feed is of, in words and by its address. */
export type Subject = Pick<Feed, 'title' | 'description' | 'home'>

/** Parameters that a feed does not repeat in its own address: they are passwords, or said by its path. */
const NOT_REPEATED = ['password', 'page', 'per_page']

/** The query of a request as it was sent, without page and password; dates in words stay words. */
export function repeated({ given }: FastifyRequest, more: Record<string, string> = {}): string {
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
export function openHomes({ store, base, pages, language }: Service) {
  return async (query: Filters, request: FastifyRequest, own: string): Promise<string> => {
    if (!pages) return own
    const { search, categories = [], tags = [], venue = [] } = query
    const only = async (taxonomy: 'category' | 'tag', keys: string[]) =>
      // pages are for everybody
      keys.length === 1 ? (await store.terms.seek(taxonomy, keys, undefined))[0]?.slug : undefined
    const post = venue.length === 1 ? await store.posts.byId('venue', venue[0]!) : undefined
    const filters = {
      search,
      category: await only('category', categories),
      tag: await only('tag', tags),
      venue: post?.status === 'publish' ? post.slug : undefined,
    }
    const { languages } = pages.front
    const path = pathIn({ path: base, languages }, language(request) ?? languages[0]!, '/events/')
    return path + queryOf(filters)
  }
}
type Filters = Omit<EventQuery, 'page' | 'per_page'>

/** Finds out what feeds are of. Their titles begin with the name of the site. */
export function openSubjects({ store, base, name: site }: Service) {
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
        query.search === undefined ? [] : [`“${query.search}”`],
      ]
      const filters = parts.map((some) => some.filter(Boolean).join(', ')).filter(Boolean)
      const title = filters.length === 0 ? site : `${site}: ${filters.join(' · ')}`
      return { title, description: title, home }
    },
    /** Of a venue, an organizer or an event. */
    post: ({ title, description, ...post }: Parameters<typeof permalink>[0] & Texts): Subject => ({
      title: `${site}: ${title}`,
      description: stripHtml(description) || title,
      home: permalink(post, base),
    }),
    /** Of a category or tag. */
    term: ({ name, description, taxonomy, slug }: Term): Subject => ({
      title: `${site}: ${name}`,
      description: stripHtml(description) || name,
      home: `${base}/events/${taxonomy}/${slug}/`,
    }),
  }
}
type Texts = { title: string; description: string }
type Term = { name: string; description: string; taxonomy: string; slug: string }
