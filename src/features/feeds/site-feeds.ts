import { type TObject, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { VisitorPassword } from '../../../schemas/event-query.ts'
import { FeedQuery } from '../../../schemas/feed.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { parameterNames } from '../../kernel/input/query.ts'
import { ICAL } from '../../kernel/output/negotiation.ts'
import type { Found, Send } from './feed.ts'
import { type Finders, KINDS } from './feed-finders.ts'
import { formatOf } from './formats/formats.ts'

/** iCalendar at the public addresses, where WordPress clients ask for it by `ical=1`. */
export function addSiteFeeds(app: FastifyInstance, service: Service, finders: Finders, send: Send) {
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
