import { createHash } from 'node:crypto'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import { contentOf, placeOf, publishedOf, summaryOf, titleOf } from '../../../calendar/formats/texts.ts'
import { mediaUrl, permalink, seriesUrl } from '../../../calendar/formats/urls.ts'
import { toEpoch, withOffset } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf } from './format.ts'

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
const element = (name: string, text: string, attributes: Attributes = {}): string =>
  text && `<${begin(name, attributes)}>${escapeXml(text)}</${name}>\n`

/** An element without content. */
const empty = (name: string, attributes: Attributes): string => `<${begin(name, attributes)}/>\n`

/** The beginning of an element with others inside, and its end. */
const open = (name: string, attributes: Attributes = {}): string => `<${begin(name, attributes)}>\n`
const close = (name: string): string => `</${name}>\n`

/** The first line of every document. */
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'

/** The namespaces of what RSS and Atom say about events: the event module of RSS, and positions of GeoRSS. */
const NAMESPACES = {
  'xmlns:ev': 'http://purl.org/rss/1.0/modules/event/',
  'xmlns:georss': 'http://www.georss.org/georss',
}

/** A time of an event; that of an event that lasts all day is a day. */
const momentOf = (wall: string, utc: string, isDay: boolean) =>
  isDay ? wall.slice(0, 10) : withOffset(wall, utc)

/** When and where an event takes place, as data. */
function eventElements(event: EventRecord): string {
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

/** A date of RFC 822; empty if there is none. */
const dateOf = (utc: string) => utc && new Date(toEpoch(utc, 'UTC')).toUTCString()

function itemOf(event: EventRecord, feed: Feed): string {
  const { image } = event
  const terms = [...event.categories, ...event.tags]
  return [
    open('item'),
    element('title', titleOf(event)),
    element('link', permalink(event, feed.base)),
    element('guid', uidOf(event, feed), { isPermaLink: 'false' }),
    element('pubDate', dateOf(event.date_utc)),
    ...terms.map(({ name }) => element('category', name)),
    element('description', contentOf(event)),
    image
      ? empty('enclosure', {
          url: mediaUrl(image.file, feed.base),
          length: String(image.filesize),
          type: image.mime_type,
        })
      : '',
    event.occurrence
      ? empty('atom:link', { rel: 'collection', href: seriesUrl(event.occurrence.series_id, feed.base) })
      : '',
    eventElements(event),
    close('item'),
  ].join('')
}

/** RSS 2.0 (https://www.rssboard.org/rss-specification), with the dates of each event in the event module. */
export const rss: Format = {
  extension: 'rss',
  type: 'application/rss+xml; charset=utf-8',
  open: (feed) => ({
    head: () =>
      [
        DECLARATION,
        open('rss', { version: '2.0', 'xmlns:atom': 'http://www.w3.org/2005/Atom', ...NAMESPACES }),
        open('channel'),
        element('title', feed.title),
        element('link', feed.home),
        element('description', feed.description),
        element('language', feed.language),
        element('lastBuildDate', feed.updated === undefined ? '' : new Date(feed.updated).toUTCString()),
        element('generator', 'Almanac'),
        element('docs', 'https://www.rssboard.org/rss-specification'),
        element('ttl', '60'),
        empty('atom:link', { rel: 'self', type: 'application/rss+xml', href: feed.self }),
        feed.next === undefined ? '' : empty('atom:link', { rel: 'next', href: feed.next }),
      ].join(''),
    event: (event) => itemOf(event, feed),
    foot: () => close('channel') + close('rss'),
  }),
}

const TYPE = 'application/atom+xml'

/** The identifier of an entry, a UUID of its name (RFC 9562 §5.5): it stays when the address of the event changes. */
function urnOf(event: EventRecord, feed: Feed): string {
  const hash = createHash('sha1').update(uidOf(event, feed)).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash.toString('hex'))!
  return `urn:uuid:${parts.join('-')}`
}

const person = (name: string) => open('author') + element('name', name) + close('author')

function entryOf(event: EventRecord, feed: Feed): string {
  const { image } = event
  return [
    open('entry', { 'xml:lang': event.language }),
    element('id', urnOf(event, feed)),
    element('title', titleOf(event)),
    element('updated', withOffset(event.modified_utc, event.modified_utc)),
    element('published', publishedOf(event)),
    ...event.organizers.map(({ title }) => person(title)),
    empty('link', { rel: 'alternate', type: 'text/html', href: permalink(event, feed.base) }),
    event.website && empty('link', { rel: 'related', href: event.website }),
    event.occurrence
      ? empty('link', { rel: 'collection', href: seriesUrl(event.occurrence.series_id, feed.base) })
      : '',
    image
      ? empty('link', {
          rel: 'enclosure',
          type: image.mime_type,
          length: String(image.filesize),
          href: mediaUrl(image.file, feed.base),
        })
      : '',
    ...event.categories.map(({ slug, name }) => empty('category', { term: slug, label: name })),
    ...event.tags.map(({ slug, name }) => empty('category', { term: slug, label: name })),
    element('summary', summaryOf(event)),
    element('content', contentOf(event), { type: 'html' }),
    eventElements(event),
    close('entry'),
  ].join('')
}

/** Atom (RFC 4287), with the dates of each event in the event module of RSS. */
export const atom: Format = {
  extension: 'atom',
  type: `${TYPE}; charset=utf-8`,
  open: (feed) => ({
    head: () =>
      [
        DECLARATION,
        open('feed', { xmlns: 'http://www.w3.org/2005/Atom', ...NAMESPACES, 'xml:lang': feed.language }),
        element('id', feed.self),
        element('title', feed.title),
        element('subtitle', feed.description),
        element('updated', new Date(feed.updated ?? 0).toISOString()),
        person(feed.host),
        empty('link', { rel: 'self', type: TYPE, href: feed.self }),
        empty('link', { rel: 'alternate', href: feed.home }),
        feed.next === undefined ? '' : empty('link', { rel: 'next', type: TYPE, href: feed.next }),
        element('generator', 'Almanac'),
      ].join(''),
    event: (event) => entryOf(event, feed),
    foot: () => close('feed'),
  }),
}
