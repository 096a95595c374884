import { mediaUrl, permalink, seriesUrl } from '../../../calendar/formats/json.ts'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import { contentOf, titleOf } from '../../../calendar/formats/texts.ts'
import { toEpoch } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf } from './format.ts'
import { close, DECLARATION, element, empty, eventElements, NAMESPACES, open } from './xml.ts'

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
