import { eventJsonLd, locationOf, organizerJsonLd, validFrom } from '../../../calendar/formats/json-ld.ts'
import type { EventRecord, SeriesRecord } from '../../../calendar/formats/records.ts'
import { contentOf, placeOf, publishedOf, summaryOf, titleOf } from '../../../calendar/formats/texts.ts'
import { BASE, filled, mediaUrl, permalink, print, seriesUrl } from '../../../calendar/formats/urls.ts'
import { addDays, toEpoch, toWall, withOffset } from '../../../kernel/time/dates.ts'
import { type Feed, type Format, uidOf, type Writer } from './format.ts'

/** Writes JSON in which events are a list, one by one, between a head and a foot. */
function jsonWriter(head: string, foot: string, print: (event: EventRecord) => string): Writer {
  let separator = ''
  return {
    head: () => head,
    event(event) {
      const text = separator + print(event)
      separator = ','
      return text
    },
    foot: () => foot,
  }
}

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
    const begin = JSON.stringify({ ...head, items: [] }).slice(0, -2)
    return jsonWriter(begin, ']}', (event) => JSON.stringify(itemOf(event, feed)))
  },
}

/** JSON-LD: one event is an object, a list is a graph. */
export const linkedData: Format = {
  extension: 'jsonld',
  type: 'application/ld+json; charset=utf-8',
  open({ single, base }: Feed) {
    const origin = JSON.stringify(base).slice(1, -1)
    const write = (value: object) => print(value).replaceAll(BASE, origin)
    if (single) return jsonWriter('', '', (event) => write({ '@context': CONTEXT, ...structuredData(event) }))
    const head = `{"@context":"${CONTEXT}","@graph":[`
    return jsonWriter(head, ']}', (event) => write(structuredData(event)))
  },
}

export const CONTEXT = 'https://schema.org'

/** The offers of an event: one for each price, or one with the words of the cost. */
function offersOf(event: EventRecord | SeriesRecord) {
  const { cost, prices } = event.cost
  if (cost === '') return undefined
  const offer = {
    '@type': 'Offer',
    url: event.website || permalink(event),
    availability: `https://schema.org/${event.event_status === 'cancelled' ? 'Discontinued' : 'InStock'}`,
    validFrom: validFrom(event),
    ...filled({ priceCurrency: event.currency }),
  }
  if (prices.length === 0) return [{ ...offer, description: cost }]
  return prices.map((price) => ({ ...offer, price }))
}

/** A list of one as that one, an empty one as nothing. */
const alone = <T>(list: T[]) => (list.length > 1 ? list : list[0])

/** The dates of an event that lasts all day, without their times. */
const daysOf = ({ startDate, endDate, previousStartDate }: Dated) => ({
  startDate: startDate.slice(0, 10),
  endDate: endDate?.slice(0, 10),
  previousStartDate: previousStartDate?.slice(0, 10),
})
type Dated = { startDate: string; endDate?: string; previousStartDate?: string }

/**
 * An event, or a series of them, with the members that search engines ask for, as far as they are known: those without a value are absent, whole days have no
 * times, offers have amounts, and all organizers are named. Who performs is not known. The caller adds `@context`.
 */
export function structuredData(event: EventRecord | SeriesRecord): object {
  const { '@context': _, performer: __, offers: ___, ...rest } = eventJsonLd(event)
  const location = locationOf(event)
  return filled({
    '@id': event.kind === 'series' ? seriesUrl(event.id) : permalink(event),
    identifier: String(event.id),
    ...rest,
    ...(event.all_day && daysOf(rest)),
    inLanguage: event.language,
    location: location && alone([location].flat().map((place) => filled({ ...place }))),
    organizer: alone(
      event.organizers.map((one) => filled({ ...organizerJsonLd(one), '@type': 'Organization' })),
    ),
    offers: offersOf(event),
    keywords: [...event.categories, ...event.tags].map(({ name }) => name).join(', '),
    sameAs: event.website,
  })
}

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
  open: ({ base }) => jsonWriter('[', ']', (event) => JSON.stringify(entryOf(event, base, zone))),
})
