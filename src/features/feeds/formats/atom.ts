import { createHash } from 'node:crypto'
import { mediaUrl, permalink, seriesUrl } from '../../../calendar/formats/json.ts'
import type { EventRecord } from '../../../calendar/formats/records.ts'
import { contentOf, publishedOf, summaryOf, titleOf } from '../../../calendar/formats/texts.ts'
import { withOffset } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf } from './format.ts'
import { close, DECLARATION, element, empty, eventElements, NAMESPACES, open } from './xml.ts'

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
