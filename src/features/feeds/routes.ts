import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { FeedQuery, FullCalendarQuery, feedQueryOf } from '../../../schemas/feed.ts'
import { absent } from '../../calendar/resource/resource.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { parameterNames } from '../../kernel/input/query.ts'
import { capital, type OperationKind, responses, withArticle } from '../../kernel/openapi/responses.ts'
import { ICAL } from './addresses.ts'
import { ALL, type Filter, type Finders, KINDS, listWhole, openFinders } from './finders.ts'
import { FORMATS, formatOf } from './formats/formats.ts'
import { fullCalendar } from './formats/json.ts'
import { type Found, openFeeds, type Send } from './streaming.ts'

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
  series:
    'Returns the dates of this series, as a list in the format of the extension: all of them, unless dates are asked for. iCalendar has them as one event with its rule.',
}
const EVENT_ERRORS: ErrorCode[] = [
  'event-not-accessible',
  'event-no-longer-available',
  'event-password-protected',
]

/** Lists of events and single events in every format, by their extension. */
export const feedRoutes = family('feeds', async (app, service) => {
  const finders = openFinders(service)
  const send = openFeeds(service)
  addFullCalendar(app, service, finders, send)
  addSiteFeeds(app, service, finders, send)

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
      const format = formatIn(request)
      return send(request, reply, format, () => finders.all(request, reply, format.extension))
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
      const format = formatIn(request)
      return send(request, reply, format, () => finders.event(request, keyOf(request), format.extension))
    },
  })

  for (const kind of KINDS) {
    const [name, plural, filter] = kind
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
          ...(filter === 'categories' || filter === 'tags' ? [] : [`${filter}-not-accessible` as const]),
        ]),
      },
      handler: (request, reply) => {
        const format = formatIn(request)
        return send(request, reply, format, () =>
          finders.of(kind, request, reply, keyOf(request), format.extension),
        )
      },
    })
  }
})

/** iCalendar at the public addresses, where WordPress clients ask for it by `ical=1`. */
function addSiteFeeds(app: FastifyInstance, service: Service, finders: Finders, send: Send) {
  const language = c.LanguageSelector(service.site.languages)
  const extension = 'ics'
  const format = formatOf(extension)!
  const add = (
    path: string,
    operation: 'list' | 'read',
    querystring: TObject,
    find: (request: FastifyRequest, reply: FastifyReply) => Promise<Found>,
  ) =>
    app.route({
      method: 'GET',
      url: ICAL + path,
      config: { operation, parameters: parameterNames(c.extend(querystring, language)) },
      schema: { hide: true, querystring: c.extend(querystring, language) },
      handler: (request, reply) => send(request, reply, format, () => find(request, reply)),
    })
  const keyOf = (request: FastifyRequest) => ({
    ...(request.params as { slug: string }),
    language: service.language(request),
  })

  add('/events', 'list', FeedQuery, (request, reply) => finders.all(request, reply, extension))
  add('/event/:slug', 'read', Type.Object(VisitorPassword), (request) =>
    finders.event(request, keyOf(request), extension),
  )
  for (const kind of KINDS) {
    const [name] = kind
    const isTerm = name === 'category' || name === 'tag'
    add(`${isTerm ? '/events' : ''}/${name}/:slug`, 'list', FeedQuery, (request, reply) =>
      finders.of(kind, request, reply, keyOf(request), extension),
    )
  }
}

/** `/events.fullcalendar.json`: what a calendar of FullCalendar asks for with its own parameters. */
function addFullCalendar(app: FastifyInstance, service: Service, { select }: Finders, send: Send) {
  const { store } = service
  app.route({
    method: 'GET',
    url: '/events.fullcalendar.json',
    config: { operation: 'read', costs: true },
    schema: {
      operationId: 'feedFullCalendar',
      tags: [TAG],
      summary: 'List events for FullCalendar',
      description:
        'Returns all events between `start` and `end` as FullCalendar reads them; set this URL as its `events`. It takes all filters of `GET /events`. Without `start` and `end`, the dates are those of `GET /events`.',
      querystring: c.extend(FullCalendarQuery, c.LanguageSelector(service.site.languages)),
      ...responses('read', 'FullCalendarEvents'),
    },
    handler: (request, reply) => {
      const { start, end, timeZone, ...query } = request.query as FullCalendarQuery
      const window = {
        ...(start !== undefined && { ends_after: start }),
        ...(end !== undefined && { starts_before: end }),
      }
      // a window takes the place of the default dates
      if (start !== undefined || end !== undefined) query.when ??= 'all'
      return send(request, reply, fullCalendar(timeZone ?? undefined), async () => {
        const { selection } = await select({ ...query, ...ALL }, request, window)
        const { ids, all } = await listWhole(store, selection)
        const self = service.root(request) + request.url
        const title = service.branding().name
        const head = { single: false, title, description: title, self, home: self, next: undefined }
        return { head, ids, all, selection }
      })
    },
  })
}
