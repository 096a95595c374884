import type { FastifyInstance } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { FullCalendarQuery } from '../../../schemas/feed.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import type { Send } from './feed.ts'
import { ALL, type Finders, listWhole } from './feed-finders.ts'
import { fullCalendar } from './formats/fullcalendar.ts'

/** `/events.fullcalendar.json`: what a calendar of FullCalendar asks for with its own parameters. */
export function addFullCalendar(app: FastifyInstance, service: Service, { select }: Finders, send: Send) {
  const { store } = service
  app.route({
    method: 'GET',
    url: '/events.fullcalendar.json',
    config: { operation: 'read', costs: true },
    schema: {
      operationId: 'feedFullCalendar',
      tags: ['Feeds'],
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
        return {
          ...{
            single: false,
            title: service.branding().name,
            description: service.branding().name,
            self,
            home: self,
            next: undefined,
          },
          ...{ ids, all, selection },
        }
      })
    },
  })
}
