import { withOffset } from '../../rules/time/dates.ts'
import type { EventRecord } from '../records.ts'
import { placeOf } from '../texts.ts'
import { element } from './xml.ts'

/** The namespaces of what RSS and Atom say about events: the event module of RSS, and positions of GeoRSS. */
export const NAMESPACES = {
  'xmlns:ev': 'http://purl.org/rss/1.0/modules/event/',
  'xmlns:georss': 'http://www.georss.org/georss',
}

/** A time of an event; that of an event that lasts all day is a day. */
const momentOf = (wall: string, utc: string, isDay: boolean) =>
  isDay ? wall.slice(0, 10) : withOffset(wall, utc)

/** When and where an event takes place, as data. */
export function eventElements(event: EventRecord): string {
  const [venue] = event.venues
  const { geo_lat = null, geo_lng = null } = venue ?? {}
  return [
    element('ev:startdate', momentOf(event.start_date, event.utc_start_date, event.all_day)),
    element('ev:enddate', momentOf(event.end_date, event.utc_end_date, event.all_day)),
    element('ev:location', venue ? placeOf(venue) : ''),
    element('ev:organizer', event.organizers.map(({ title }) => title).join(', ')),
    element('georss:point', geo_lat !== null && geo_lng !== null ? `${geo_lat} ${geo_lng}` : ''),
  ].join('')
}
