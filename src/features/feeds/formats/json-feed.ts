import type { EventRecord } from '../../../calendar/formats/records.ts'
import { contentOf, publishedOf, summaryOf, titleOf } from '../../../calendar/formats/texts.ts'
import { filled, mediaUrl, permalink, seriesUrl } from '../../../calendar/formats/urls.ts'
import { withOffset } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf, type Writer } from './format.ts'

/** Where the member `_event` is explained, as the format wants it of each extension. */
const ABOUT = 'https://schema.org/Event'

/** The dates and the place as data, which JSON Feed has no members for. */
function eventOf(event: EventRecord, { base }: Feed) {
  const { start_date, end_date, timezone, all_day, venues, organizers, cost, occurrence } = event
  const [venue] = venues
  return {
    about: ABOUT,
    start: withOffset(start_date, event.utc_start_date),
    end: withOffset(end_date, event.utc_end_date),
    timezone,
    all_day,
    status: event.event_status,
    attendance_mode: event.attendance_mode,
    ...filled({
      location: venue && filled({ name: venue.title, address: venue.address, city: venue.city }),
      organizers: organizers.length > 0 && organizers.map(({ title }) => title),
      cost: cost.cost,
      virtual_url: event.virtual_url,
      series: occurrence && { id: occurrence.series_id, url: seriesUrl(occurrence.series_id, base) },
    }),
  }
}

function itemOf(event: EventRecord, feed: Feed) {
  const { image } = event
  return {
    id: uidOf(event, feed),
    url: permalink(event, feed.base),
    title: titleOf(event),
    content_html: contentOf(event),
    ...filled({
      external_url: event.website,
      summary: summaryOf(event),
      image: image && mediaUrl(image.file, feed.base),
      date_published: publishedOf(event),
    }),
    date_modified: withOffset(event.modified_utc, event.modified_utc),
    tags: [...event.categories, ...event.tags].map(({ name }) => name),
    language: event.language,
    ...(image && {
      attachments: [
        {
          url: mediaUrl(image.file, feed.base),
          mime_type: image.mime_type,
          size_in_bytes: image.filesize,
        },
      ],
    }),
    _event: eventOf(event, feed),
  }
}

/** JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/), with the dates of each event in `_event`. */
export const jsonFeed: Format = {
  extension: 'jsonfeed',
  type: 'application/feed+json; charset=utf-8',
  open(feed) {
    const head = {
      version: 'https://jsonfeed.org/version/1.1',
      title: feed.title,
      home_page_url: feed.home,
      feed_url: feed.self,
      description: feed.description,
      ...(feed.next !== undefined && { next_url: feed.next }),
      language: feed.language,
    }
    return jsonWriter(head, 'items', (event) => itemOf(event, feed))
  },
}

/** Writes a JSON object with a list at its end, entry by entry. */
function jsonWriter(head: object, list: string, entry: (event: EventRecord) => object): Writer {
  let separator = ''
  const begin = JSON.stringify({ ...head, [list]: [] }).slice(0, -2)
  return {
    head: () => begin,
    event(event) {
      const text = separator + JSON.stringify(entry(event))
      separator = ','
      return text
    },
    foot: () => ']}',
  }
}
