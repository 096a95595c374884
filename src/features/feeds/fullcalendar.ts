import type { FastifyInstance } from 'fastify'
import * as c from '../../../schemas/common.ts'
import { FullCalendarQuery } from '../../../schemas/feed.ts'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { placeOf, titleOf } from '../../calendar/formats/texts.ts'
import { filled, mediaUrl, permalink, seriesUrl } from '../../calendar/formats/urls.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { responses } from '../../kernel/openapi/responses.ts'
import { addDays, toEpoch, toWall, withOffset } from '../../kernel/time/dates.ts'
import type { Send } from './feed.ts'
import { ALL, type Finders, listWhole } from './finders.ts'
import type { Format } from './formats/format.ts'

/** The end of FullCalendar is exclusive: of days, the one after the last. */
const datesOf = (event: EventRecord, zone: string | undefined) => {
  const { all_day, start_date, end_date, utc_start_date, utc_end_date } = event
  if (all_day) return { start: start_date.slice(0, 10), end: addDays(end_date, 1).slice(0, 10) }
  const print = (wall: string, utc: string) =>
    withOffset(zone === undefined ? wall : toWall(toEpoch(utc, 'UTC'), zone), utc)
  return { start: print(start_date, utc_start_date), end: print(end_date, utc_end_date) }
}

/** An event as FullCalendar reads it (https://fullcalendar.io/docs/event-parsing). */
const entryOf = (event: EventRecord, base: string, zone: string | undefined) => ({
  id: String(event.id),
  title: titleOf(event),
  ...datesOf(event, zone),
  allDay: event.all_day,
  url: event.website || permalink(event, base),
  ...(event.event_status === 'cancelled' && { classNames: ['cancelled'] }),
  extendedProps: {
    status: event.event_status,
    attendance_mode: event.attendance_mode,
    timezone: event.timezone,
    language: event.language,
    ...filled({
      location: event.venues.map(placeOf).join('; '),
      organizer: event.organizers.map(({ title }) => title).join(', '),
      virtual_url: event.virtual_url,
      cost: event.cost.cost,
      image: event.image && mediaUrl(event.image.file, base),
      series: event.occurrence?.series_id,
      series_url: event.occurrence && seriesUrl(event.occurrence.series_id, base),
    }),
    categories: event.categories.map(({ slug }) => slug),
    tags: event.tags.map(({ slug }) => slug),
  },
})

/** The events of FullCalendar: a JSON list. Times are in `zone`, or in the zone of each event. */
export const fullCalendar = (zone: string | undefined): Format => ({
  extension: 'fullcalendar.json',
  type: 'application/json; charset=utf-8',
  open({ base }) {
    let separator = ''
    return {
      head: () => '[',
      event(event) {
        const text = separator + JSON.stringify(entryOf(event, base, zone))
        separator = ','
        return text
      },
      foot: () => ']',
    }
  },
})

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
          single: false,
          title: service.branding().name,
          description: service.branding().name,
          self,
          home: self,
          next: undefined,
          ids,
          all,
          selection,
        }
      })
    },
  })
}
