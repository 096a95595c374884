import { readUrl } from '../../../kernel/text/text.ts'
import { addDays, readZone } from '../../../kernel/time/dates.ts'
import { readMoment } from './moments.ts'
import { type Element, textIn } from './xml.ts'

/** What the program that wrote a feed says of an entry in its own way. Days are as `2027-05-14`, times as they stand there. */
export type Told = {
  title?: string
  first?: string
  last?: string
  /** The zone of the event. */
  zone?: string
  place?: string
  names?: string[]
  image?: string | undefined
  isOff?: boolean
}

/** An entry with only those of its members that namespaces have. */
export const within = (entry: Element, uri: RegExp): Element => ({
  ...entry,
  elements: entry.elements.filter((one) => uri.test(one.uri)),
})

/** The first and the last day of what lasts from one time to another, by the clock of a zone; a midnight ends the day before. */
function daysBetween(first: string, last: string, zone: string): Pick<Told, 'first' | 'last'> | undefined {
  const [start, end] = [readMoment(first, zone)?.wall, readMoment(last, zone)?.wall]
  if (start === undefined || end === undefined) return undefined
  const isMidnight = end > start && end.endsWith(' 00:00:00')
  return { first: start.slice(0, 10), last: (isMidnight ? addDays(end, -1) : end).slice(0, 10) }
}

/** Trumba has events of whole days by the clock of their place up to a midnight, while xCal has them in UTC. */
function ofTrumba(entry: Element): Told {
  const own = within(entry, /x-trumba$|cdo\b|xcal/i)
  if (!/^true$/i.test(textIn(own, 'cdo-alldayevent'))) return {}
  return daysBetween(textIn(own, 'localstart'), textIn(own, 'localend'), 'UTC') ?? {}
}

/** LiveWhale publishes an event as it begins, and adds the rest under names of its own. Its news and galleries are published when they are written. */
function ofLiveWhale(entry: Element, site: string): Told {
  const own = within(entry, /livewhale/i)
  const type = textIn(own, 'type')
  if (textIn(own, 'id', 'ends') + type === '' || !/^(?:event|$)/i.test(type)) return {}
  const zone = readZone(textIn(own, 'timezone')) ?? site
  const times = { first: textIn(entry, 'pubDate'), last: textIn(own, 'ends') }
  return {
    ...{ ...times, zone, isOff: textIn(own, 'is_canceled') === '1' },
    ...(textIn(own, 'all_day') === '1' && daysBetween(times.first, times.last || times.first, zone)),
    place: textIn(entry, 'featurename'),
    names: textIn(own, 'categories').split(/[|,]/),
    image: readUrl(textIn(own, 'image_full', 'image')),
  }
}

/** Localist publishes an event as it begins; its title is between its date and, if it has a place, the name of that: `May 14, 2027: Concert at Hall`. */
function ofLocalist(entry: Element): Told {
  const title = textIn(entry, 'title').replace(/^\p{Lu}\p{L}+\.? \d{1,2}, \d{4}: /u, '')
  const at = pointOf(entry) === undefined ? -1 : title.lastIndexOf(' at ')
  const named = at < 1 ? { title } : { title: title.slice(0, at), place: title.slice(at + 4).trim() }
  return { ...named, first: textIn(entry, 'pubDate') }
}

/** A feed of The Events Calendar, in which the date of publication is the start of the event. */
const OF_EVENTS_CALENDAR = /\/events\/(?:(?:category|tag)\/[^?#]+\/)?feed\/?(?:$|[?#])/

/** What is known of an entry by the program that wrote its feed, which comes from an address. `zone` is that of the site. */
export function toldBy(
  entry: Element,
  { generator, address, zone }: { generator: string; address: string; zone: string },
): Told {
  if (OF_EVENTS_CALENDAR.test(address)) return { first: textIn(entry, 'pubDate') }
  if (/^localist\b/i.test(generator)) return ofLocalist(entry)
  return { ...ofTrumba(entry), ...ofLiveWhale(entry, zone) }
}

/** Where an entry is, in degrees, by GeoRSS or the vocabulary of W3C. */
export function pointOf(entry: Element): { geo_lat: number; geo_lng: number } | undefined {
  const pair = textIn(entry, 'point') || `${textIn(entry, 'lat')} ${textIn(entry, 'long')}`
  const [lat, lng, ...more] = pair
    .trim()
    .split(/[ ,]+/)
    .map((text) => (text === '' ? Number.NaN : Number(text)))
  const isOnEarth = Math.abs(lat!) <= 90 && Math.abs(lng!) <= 180 && more.length === 0
  return isOnEarth ? { geo_lat: lat!, geo_lng: lng! } : undefined
}
