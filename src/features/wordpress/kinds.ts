import type { TObject } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { EventQuery } from '../../../schemas/event-query.ts'
import { CategoryQuery } from '../../../schemas/term.ts'
import { VenueQuery } from '../../../schemas/venue.ts'
import type { Resource } from '../../calendar/resource/resource.ts'
import type { RecordRequest, Service } from '../../calendar/resource/service.ts'
import {
  categoryResource,
  eventResource,
  organizerResource,
  refuseParent,
  tagResource,
  venueResource,
} from '../../calendar/routes/records.ts'
import type { PostKind, Taxonomy, View } from '../../calendar/store.ts'
import { invalid } from '../../kernel/errors.ts'
import { readQuery } from '../../kernel/input/query.ts'
import {
  type Context,
  type Links,
  type Own,
  type PostType,
  postLinks,
  postShown,
  type TermBase,
  termLinks,
  termShown,
  type Where,
} from './formats.ts'
import {
  type Asked,
  knowsPictures,
  MOST,
  ORDERS,
  ofEvents,
  ofLinked,
  postQuery,
  termQuery,
  toPost,
  toTerm,
} from './requests.ts'

/** A page of IDs, and how many there are on all pages. */
export type Found = { ids: number[]; total: number } & Pick<View, 'occurrences'>

/** A kind of record as WordPress clients know it: the resource that it is, and how its requests and answers differ. */
export type Kind = {
  resource: Resource<never, never>
  /** Parameters of lists. */
  query: TObject
  /** A page of IDs. */
  list(asked: Asked, request: FastifyRequest): Promise<Found>
  /** A body in our members. */
  toInput(body: Record<string, unknown>, request: RecordRequest): Promise<Record<string, unknown>>
  show(own: Own, context: Context): object
  links(own: Own, where: Where): Links
  /** The kind of post, of those that can have pictures and terms. */
  type?: PostType
}

const NOTHING: Found = { ids: [], total: 0 }
/** What a list of ours takes if nothing else is asked for. */
const defaultsOf = (schema: TObject) => readQuery(schema, {}).value

/** The kinds of `wp/v2`, by their addresses there. */
export function openKinds(service: Service) {
  const { store, site } = service
  const { languages } = site

  /** The IDs that a list of posts is limited to; undefined where neither IDs nor slugs are given. */
  async function named(kind: PostKind, { slug, include }: Asked, request: FastifyRequest) {
    if (slug === undefined) return include
    const language = service.language(request)
    const found = await Promise.all(
      slugsIn(slug).map((slug) => store.posts.seek(kind, { slug, language }, request.caller)),
    )
    return found.flatMap((post) => (post && (include?.includes(post.id) ?? true) ? [post.id] : []))
  }
  const list = <Query>(resource: Resource<Query, never>, query: object, request: FastifyRequest) =>
    resource.list(query as Query, request)

  /** Those of some IDs that terms have, which the caller sees. */
  async function known(taxonomy: Taxonomy, ids: number[], { caller }: FastifyRequest): Promise<number[]> {
    if (ids.length === 0) return []
    return (await store.terms.seek(taxonomy, ids, caller)).flatMap((term) => (term ? [term.id] : []))
  }

  /** Filters by term without the IDs that no term has, unless they are all: WordPress passes over these. */
  async function termsOf(taxonomy: Taxonomy, given: string[] | undefined, request: FastifyRequest) {
    const isId = (key: string) => /^\d+$/.test(key)
    const ids = new Set(await known(taxonomy, given?.filter(isId).map(Number) ?? [], request))
    const left = given?.filter((key) => !isId(key) || ids.has(Number(key)))
    return left?.length === 0 ? given : left
  }

  const events = eventResource(service)
  const listEvents = async (sent: Asked, request: FastifyRequest): Promise<Found> => {
    const asked = { ...sent, status: sent.status ?? ['publish' as const] }
    const { page, per_page, search, tags, tribe_events_cat, categories = tribe_events_cat } = asked
    const { orderby = 'date', order } = asked
    const by = ORDERS[orderby]!
    const include = await named('event', asked, request)
    if (include?.length === 0) return NOTHING
    const within = {
      tags: await termsOf('tag', tags, request),
      categories: await termsOf('category', categories, request),
    }
    const { status, modified_after, modified_before, start_date, end_date, venue, organizer, featured } =
      asked
    return list(
      events,
      present({
        ...defaultsOf(EventQuery),
        page,
        per_page,
        when: 'all',
        orderby: by,
        order: order ?? (by === 'modified' ? 'desc' : 'asc'),
        search: search || undefined,
        ...within,
        include,
        status,
        modified_after,
        modified_before,
        start_date,
        end_date,
        venue,
        organizer,
        featured,
      }),
      request,
    )
  }

  const linked =
    (kind: 'venue' | 'organizer', resource: ReturnType<typeof venueResource>) =>
    async (sent: Asked, request: FastifyRequest): Promise<Found> => {
      const { page, per_page, search, modified_after, modified_before, status = ['publish'] } = sent
      const { exclude } = sent
      const include = await named(kind, sent, request)
      const own = {
        page,
        per_page,
        search: search || undefined,
        status,
        modified_after,
        modified_before,
        include,
        exclude,
      }
      return list(resource, present({ ...defaultsOf(VenueQuery), ...own }), request)
    }

  const terms = (taxonomy: Taxonomy, resource: ReturnType<typeof tagResource>) =>
    async function listTerms(sent: Asked, request: FastifyRequest): Promise<Found> {
      const { search, include: given, exclude: others, slug, ...asked } = sent
      const slugs = slug === undefined ? [] : slugsIn(slug)
      if (slugs.length > 1) {
        const each = slugs.map((slug) => listTerms({ ...sent, slug, page: 1, per_page: MOST }, request))
        const ids = (await Promise.all(each)).flatMap(({ ids }) => ids)
        return ids.length === 0 ? NOTHING : listTerms({ ...asked, include: ids }, request)
      }
      const include = given && (await known(taxonomy, given, request))
      const exclude = others && (await known(taxonomy, others, request))
      if (include?.length === 0) return NOTHING
      const own = {
        ...asked,
        search: search || undefined,
        slug,
        include,
        exclude: exclude?.length ? exclude : undefined,
      }
      return list(resource, present({ ...defaultsOf(CategoryQuery), ...own }), request)
    }

  const post = (type: PostType, resource: object, query: TObject, list: Kind['list']): Kind => ({
    type,
    resource: resource as Kind['resource'],
    query,
    list,
    toInput: (body, request) => toPost(type, body, knowsPictures(service, request)),
    show: (own, context) => postShown(type, own, context),
    links: (own, where) => postLinks(type, own, where),
  })
  const term = (base: TermBase, taxonomy: Taxonomy, resource: ReturnType<typeof tagResource>): Kind => ({
    resource: resource as Kind['resource'],
    query: termQuery(languages),
    list: terms(taxonomy, resource),
    async toInput(body) {
      if (taxonomy === 'tag') refuseParent(body)
      return toTerm(body)
    },
    show: (own) => termShown(base, own),
    links: (own, where) => termLinks(base, own, where),
  })

  const venues = venueResource(service)
  const organizers = organizerResource(service) as unknown as typeof venues
  const categories = categoryResource(service)
  return {
    tribe_events: post('tribe_events', events, postQuery(languages, ofEvents), listEvents),
    tribe_venue: post('tribe_venue', venues, postQuery(languages, ofLinked), linked('venue', venues)),
    tribe_organizer: post(
      'tribe_organizer',
      organizers,
      postQuery(languages, ofLinked),
      linked('organizer', organizers),
    ),
    tags: term('tags', 'tag', tagResource(service)),
    tribe_events_cat: term('tribe_events_cat', 'category', categories),
    categories: term('categories', 'category', categories),
  }
}

/** Members with a value. */
const present = (query: object) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))

/** The slugs of a list of them. */
function slugsIn(list: string): string[] {
  const slugs = list.split(',')
  if (slugs.length > MOST) throw invalid({ slug: `must have at most ${MOST} slugs.` })
  return slugs
}
