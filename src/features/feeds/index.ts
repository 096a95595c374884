import * as feed from '../../../schemas/feed.ts'
import type { ServiceFeature } from '../host.ts'
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
  formats: FORMATS,
  async plugin(app, { service }) {
    app.register(feedRoutes, { service })
  },
}
