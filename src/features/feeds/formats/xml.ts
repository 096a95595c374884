import type { EventRecord } from '../../../calendar/formats/records.ts'
import { placeOf } from '../../../calendar/formats/texts.ts'
import { withOffset } from '../../../kernel/time/dates.ts'

/** What XML 1.0 can not contain, not even escaped: most control characters, and halves of pairs. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML, also inside of quotes. What XML forbids is left out. */
const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"]/g, (character) => ESCAPES[character]!)

type Attributes = Record<string, string>

const begin = (name: string, attributes: Attributes) =>
  name +
  Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
    .join('')

/** An element with text; nothing if there is none. */
export const element = (name: string, text: string, attributes: Attributes = {}): string =>
  text && `<${begin(name, attributes)}>${escapeXml(text)}</${name}>\n`

/** An element without content. */
export const empty = (name: string, attributes: Attributes): string => `<${begin(name, attributes)}/>\n`

/** The beginning of an element with others inside, and its end. */
export const open = (name: string, attributes: Attributes = {}): string => `<${begin(name, attributes)}>\n`
export const close = (name: string): string => `</${name}>\n`

/** The first line of every document. */
export const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

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
