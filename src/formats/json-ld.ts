import { toOffsetDateTime } from '../rules/dates.ts'
import { stripHtml } from '../rules/html.ts'
import { toPlainText } from '../rules/text.ts'
import { filled, mediaUrl, permalink, print } from './json.ts'
import type { EventRecord, EventRow, Own, OwnEvent, OwnOrganizer, OwnVenue, PostRecord } from './records.ts'

/** HTML as text for JSON-LD, without anything that looks like a tag, even if the HTML shows it as text. */
const plain = (html: string) => toPlainText(stripHtml(html))

/** The name in JSON-LD. That of a private record is marked, as in the reference. */
const nameOf = (record: Own) => (record.status === 'private' ? `Private: ${record.title}` : record.title)

/** The members of schema.org that all kinds share. */
function thing(record: Own, text: string) {
  const { image } = record
  return { name: nameOf(record), description: plain(text), ...(image && { image: mediaUrl(image.file) }) }
}

/** The names of states in schema.org. */
const STATUS: Record<EventRow['event_status'], string> = {
  scheduled: 'EventScheduled',
  cancelled: 'EventCancelled',
  postponed: 'EventPostponed',
  moved_online: 'EventMovedOnline',
}
const MODE: Record<EventRow['attendance_mode'], string> = {
  offline: 'OfflineEventAttendanceMode',
  online: 'OnlineEventAttendanceMode',
  mixed: 'MixedEventAttendanceMode',
}

/** How an event is attended: online if it moved there, whatever was planned. */
const modeOf = ({ event_status, attendance_mode }: OwnEvent) =>
  event_status === 'moved_online' ? 'online' : attendance_mode

/** The address online: that of the event, which a VirtualLocation must have, where no other is known. */
const virtualLocation = (event: OwnEvent) => ({
  '@type': 'VirtualLocation',
  url: event.virtual_url || permalink(event),
})

const validFrom = (event: OwnEvent) => toOffsetDateTime(event.date_utc || event.modified_utc, 'UTC')

/** What an event is, without where it takes place and who organizes it. */
function eventJsonLd(event: OwnEvent) {
  const { cost, cost_details } = event.cost
  const offers = () => ({
    '@type': 'Offer',
    price: cost_details.values.join(' – '),
    ...filled({ priceCurrency: event.currency ?? '' }),
    url: permalink(event),
    category: 'primary',
    ...(event.event_status !== 'cancelled' && { availability: 'inStock' }),
    validFrom: validFrom(event),
  })
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    ...thing(event, event.excerpt || event.description),
    url: permalink(event),
    eventAttendanceMode: `https://schema.org/${MODE[modeOf(event)]}`,
    eventStatus: `https://schema.org/${STATUS[event.event_status]}`,
    startDate: toOffsetDateTime(event.start_date, event.timezone),
    endDate: toOffsetDateTime(event.end_date, event.timezone),
    ...(cost && { offers: offers() }),
    performer: 'Organization',
  }
}

function venueJsonLd(venue: OwnVenue) {
  const { address, city, country, zip, stateprovince, phone, website, geo_lat, geo_lng } = venue
  return {
    '@type': 'Place',
    ...thing(venue, venue.description),
    url: permalink(venue),
    address: {
      '@type': 'PostalAddress',
      ...filled({
        streetAddress: address,
        addressLocality: city,
        addressRegion: stateprovince,
        postalCode: zip,
        addressCountry: country,
      }),
    },
    telephone: phone,
    sameAs: website,
    ...(geo_lat !== null &&
      geo_lng !== null && { geo: { '@type': 'GeoCoordinates', latitude: geo_lat, longitude: geo_lng } }),
  }
}

function organizerJsonLd(organizer: OwnOrganizer) {
  const { phone, website, email } = organizer
  return {
    '@type': 'Person',
    ...thing(organizer, organizer.description),
    url: website,
    telephone: phone,
    email,
    sameAs: website,
  }
}

/** A venue or an organizer for schema.org. */
export const linkedJsonLd = (record: OwnVenue | OwnOrganizer): object =>
  record.kind === 'venue' ? venueJsonLd(record) : organizerJsonLd(record)

/**
 * An event for schema.org as JSON text up to where its venue belongs: it ends with `:`, or with `,` where a list has to be closed after it.
 * If the event is attended online only, no venue belongs to it.
 */
export function openJsonLd(event: OwnEvent): string {
  const text = `${print(eventJsonLd(event)).slice(0, -1)},"location":`
  const virtual = print(virtualLocation(event))
  return { offline: text, online: text + virtual, mixed: `${text}[${virtual},` }[modeOf(event)]
}

/** Where an event takes place: `false` if that is not told, a list if it is attended there and online. */
function locationOf(event: EventRecord) {
  const [venue] = event.venues
  const place = venue && venueJsonLd(venue)
  const virtual = virtualLocation(event)
  return { offline: place ?? false, online: virtual, mixed: place ? [virtual, place] : [virtual] }[
    modeOf(event)
  ]
}

/** A record for schema.org, as the member `json_ld` shows it; an event with its first venue and organizer. */
export function jsonLd(record: PostRecord): object {
  if (record.kind !== 'event') return linkedJsonLd(record)
  const [organizer] = record.organizers
  return {
    ...eventJsonLd(record),
    location: locationOf(record),
    ...(organizer && { organizer: organizerJsonLd(organizer) }),
  }
}

// ---- for search engines

/** An amount as data; words such as "free" are none. */
const AMOUNT = /^(?:\d+(?:\.\d+)?|\.\d+)$/

/** The offers of an event: one for each amount, or one with the words of the cost. */
function offersOf(event: EventRecord) {
  const { cost, cost_details } = event.cost
  if (cost === '') return undefined
  const offer = {
    '@type': 'Offer',
    url: event.website || permalink(event),
    availability: `https://schema.org/${event.event_status === 'cancelled' ? 'Discontinued' : 'InStock'}`,
    validFrom: validFrom(event),
    ...filled({ priceCurrency: event.currency }),
  }
  const amounts = cost_details.values.filter((value) => AMOUNT.test(value))
  if (amounts.length === 0) return [{ ...offer, description: cost }]
  return amounts.map((price) => ({ ...offer, price: String(Number(price)) }))
}

/**
 * An event as search engines ask for it: members without a value are absent, days have no times, offers are numbers, and all
 * organizers are named. Who performs is not known. `@context` is the caller's.
 */
export function searchable(event: EventRecord): object {
  const { '@context': _, performer: __, offers: ___, ...rest } = eventJsonLd(event)
  const places = [locationOf(event) || []].flat()
  const day = (wall: string) => wall.slice(0, 10)
  return filled({
    '@id': permalink(event),
    identifier: String(event.id),
    ...rest,
    ...(event.all_day && { startDate: day(event.start_date), endDate: day(event.end_date) }),
    inLanguage: event.language,
    location: alone(places.map((one) => filled({ ...one }))),
    organizer: alone(
      event.organizers.map((one) => filled({ ...organizerJsonLd(one), '@type': 'Organization' })),
    ),
    offers: offersOf(event),
    keywords: [...event.categories, ...event.tags].map(({ name }) => name).join(', '),
    sameAs: event.website,
  })
}

/** A list of one as that one, an empty one as none. */
const alone = <T>(list: T[]) => (list.length > 1 ? list : list[0])
