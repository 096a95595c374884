import * as feed from '../../../schemas/feed.ts'
import type { ServiceFeature } from '../host.ts'
import { calendarAt, FORMATTED, icalIn } from './addresses.ts'
import { FORMATS } from './formats/formats.ts'
import { feedRoutes } from './routes.ts'

/** Events as iCalendar, RSS, Atom, JSON Feed, JSON-LD and for FullCalendar. */
export const feeds: ServiceFeature = {
  name: 'feeds',
  tags: {
    Feeds:
      'Events in formats that calendar programs, feed readers and search engines read. `Accept` with the type of a format gives the same at the addresses of JSON.',
  },
  answers: [feed.JsonFeed, feed.LinkedData, feed.FullCalendarEvents],
  formats: {
    list: FORMATS,
    at: FORMATTED,
    asked: icalIn,
  },
  addToSite: (_, { rewrites }) => void rewrites.push(calendarAt),
  async plugin(app, { service }) {
    app.register(feedRoutes, { service })
  },
}
