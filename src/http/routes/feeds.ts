import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { FeedQuery, feedQueryOf } from '../../../schemas/feed.ts'
import type { ErrorCode } from '../../errors.ts'
import { FORMATS, formatOf } from '../../formats/formats.ts'
import { checkReadable, findPost } from '../../store/records/posts.ts'
import { withArticle } from '../openapi/descriptions.ts'
import { capital, type OperationKind, responses } from '../openapi/responses.ts'
import { addTotals, MAX_PER_PAGE, noPage } from '../output/page.ts'
import { mountOf } from '../plugins/mounts.ts'
import { openEventList } from './event-list.ts'
import { family } from './family.ts'
import { type Found, openFeeds } from './feed.ts'
import { openSubjects, repeated, type Subject } from './feed-heads.ts'
import { findEvent } from './posts.ts'
import { absent } from './single.ts'

const ALL = { page: 1, per_page: Number.MAX_SAFE_INTEGER }

const TAG = 'Feeds'
/** Other endings are no routes. */
const ENDING = `:format(^(?:${FORMATS.map(({ extension }) => extension).join('|')})$)`
const FORMAT = Type.Object({
  format: c.StringEnum(
    FORMATS.map(({ extension }) => extension),
    { description: 'Extension of the format.', examples: [FORMATS[0]!.extension] },
  ),
})

/** What formats are described as in the document; others are text. */
const COMPONENTS: Record<string, TSchema> = {
  jsonfeed: Type.Ref('JsonFeed') as TSchema,
  jsonld: Type.Ref('LinkedData') as TSchema,
}
const CONTENT = Object.fromEntries(
  FORMATS.map(({ extension, type }) => [
    type.split(';')[0],
    { schema: COMPONENTS[extension] ?? { type: 'string' } },
  ]),
)
/** The responses of an operation that answers in a format. */
const inFormats = (kind: OperationKind, more: ErrorCode[]) => ({
  ...responses(kind, 'LinkedData', more),
  response: { 200: { description: 'The events in this format.', content: CONTENT } },
})

const LIST =
  'Returns all events of the list that `GET /events` describes, in the format of the extension. There are no pages unless `page` or `per_page` is sent. Many events are sent as they are read. A protected event shows its title and dates.'
const OF_RECORD: Record<Filter, string> = {
  categories:
    'Returns the events in this category or its descendants, as a list in the format of the extension.',
  tags: 'Returns the events with this tag, as a list in the format of the extension.',
  venue: 'Returns the events at this venue, as a list in the format of the extension.',
  organizer: 'Returns the events by this organizer, as a list in the format of the extension.',
}
const EVENT_ERRORS: ErrorCode[] = [
  'event-not-accessible',
  'event-no-longer-available',
  'event-password-protected',
]

/** The records that have a feed of their events, and the filter that selects these. */
const KINDS = [
  ['category', 'categories', 'categories'],
  ['tag', 'tags', 'tags'],
  ['venue', 'venues', 'venue'],
  ['organizer', 'organizers', 'organizer'],
] as const
type Filter = (typeof KINDS)[number][2]

/** Lists of events and single events in every format, by their extension. */
export const feedRoutes = family('feeds', async (app, service) => {
  const { store } = service
  const select = openEventList(service)
  const subjects = openSubjects(service)
  const send = openFeeds(service)
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
    const { ids, total } = await store.lists.list(selection, asked)
    const pages = Math.ceil(total / asked.per_page)
    if (ids.length === 0 && page > 1) throw noPage('event', page, pages)
    const urlOf = (page: number) =>
      rootOf(request) +
      path +
      repeated(request, isPaged ? { per_page: String(asked.per_page), page: String(page) } : {})
    const next = page < pages ? urlOf(page + 1) : undefined
    addTotals(reply, { total, pages, next, previous: page > 1 ? urlOf(page - 1) : undefined })
    return { single: false, ...(await about()), self: urlOf(page), next, ids, selection }
  }

  /** The record that a feed is of; throws the errors of its single read. */
  async function recordOf(name: (typeof KINDS)[number][0], request: FastifyRequest) {
    if (name === 'category' || name === 'tag') {
      const term = await store[name === 'category' ? 'categories' : 'tags'].find(keyOf(request))
      return { id: term.id, subject: subjects.term(term) }
    }
    const post = await findPost(store.db.read, name, keyOf(request), request.caller)
    checkReadable(post, request.caller)
    return { id: post.id, subject: subjects.post(post) }
  }

  const language = c.LanguageSelector(service.site.languages)
  const keyOf = (request: FastifyRequest) => ({
    ...(request.params as { id: number }),
    language: service.language(request),
  })
  const formatIn = (request: FastifyRequest) => formatOf((request.params as { format: string }).format)!

  app.route({
    method: 'GET',
    url: `/events.${ENDING}`,
    config: { operation: 'list' },
    schema: {
      operationId: 'feedEvents',
      tags: [TAG],
      summary: 'List events in a format',
      description: LIST,
      params: FORMAT,
      querystring: c.extend(FeedQuery, language),
      ...inFormats('list', ['event-archive-page-not-found']),
    },
    handler: (request, reply) => {
      const { extension } = formatIn(request)
      return send(request, reply, formatIn(request), () =>
        list(request, reply, `/events.${extension}`, () =>
          subjects.list(request.query as FeedQuery, request, `${rootOf(request)}/events${repeated(request)}`),
        ),
      )
    },
  })

  app.route({
    method: 'GET',
    url: `/events/:id.${ENDING}`,
    config: { operation: 'read' },
    schema: {
      operationId: 'feedEvent',
      tags: [TAG],
      summary: 'Read an event in a format',
      description: 'Returns one event in the format of the extension.',
      params: Type.Object({ id: c.PathId('event'), ...FORMAT.properties }),
      querystring: Type.Object({ ...VisitorPassword, ...language }),
      ...inFormats('read', ['rest-event-not-found', ...EVENT_ERRORS]),
    },
    handler: (request, reply) => {
      const { extension } = formatIn(request)
      return send(request, reply, formatIn(request), async () => {
        const opens = service.opens(request)
        const post = await findEvent(store, keyOf(request), { caller: request.caller, opens })
        const self = `${rootOf(request)}/events/${post.id}.${extension}`
        return { single: true, ...subjects.post(post), self, next: undefined, ids: [post.id], opens }
      })
    },
  })

  for (const [name, plural, filter] of KINDS)
    app.route({
      method: 'GET',
      url: `/${plural}/:id.${ENDING}`,
      config: { operation: 'list' },
      schema: {
        operationId: `feed${capital(name)}`,
        tags: [TAG],
        summary: `List the events of ${withArticle(name)} in a format`,
        description: OF_RECORD[filter],
        params: Type.Object({ id: c.PathId(name), ...FORMAT.properties }),
        querystring: c.extend(feedQueryOf(filter), language),
        ...inFormats('list', [
          absent(name),
          'event-archive-page-not-found',
          ...(filter === 'venue' || filter === 'organizer' ? [`${filter}-not-accessible` as const] : []),
        ]),
      },
      handler: (request, reply) => {
        const { extension } = formatIn(request)
        return send(request, reply, formatIn(request), async () => {
          const { id, subject } = await recordOf(name, request)
          Object.assign(request.query as object, { [filter]: [String(id)] })
          return list(request, reply, `/${plural}/${id}.${extension}`, async () => subject)
        })
      },
    })
})
