import { toOffsetDateTime } from '../rules/dates.ts'
import { stripHtml } from '../rules/html.ts'
import { toPlainText } from '../rules/text.ts'
import { filled, mediaUrl, permalink } from './json.ts'
import type { EventRow, Own, OwnEvent, OwnOrganizer, OwnVenue, PostRecord } from './records.ts'

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

function eventJsonLd(event: OwnEvent) {
  const { cost, cost_details } = event.cost
  const offers = () => ({
    '@type': 'Offer',
    price: cost_details.values.join(' – '),
    ...filled({ priceCurrency: event.currency ?? '' }),
    url: permalink(event),
    category: 'primary',
    availability: 'inStock',
    validFrom: toOffsetDateTime(event.date_utc || event.modified_utc, 'UTC'),
  })
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    ...thing(event, event.excerpt || event.description),
    url: permalink(event),
    eventAttendanceMode: `https://schema.org/${MODE[event.attendance_mode]}`,
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

/** The own members of a record for schema.org; for an event all except its place and organizer. */
export function ownJsonLd(record: Own): object {
  if (record.kind === 'event') return eventJsonLd(record)
  return record.kind === 'venue' ? venueJsonLd(record) : organizerJsonLd(record)
}

/** A record for schema.org; an event with its first venue and organizer. */
export function jsonLd(record: PostRecord): object {
  if (record.kind !== 'event') return ownJsonLd(record)
  const [venue] = record.venues
  const [organizer] = record.organizers
  return {
    ...eventJsonLd(record),
    location: venue ? venueJsonLd(venue) : false,
    ...(organizer && { organizer: organizerJsonLd(organizer) }),
  }
}
