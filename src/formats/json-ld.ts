import type { Cost } from '../rules/cost.ts'
import { currencyOf } from '../rules/currencies.ts'
import { toOffsetDateTime } from '../rules/dates.ts'
import { stripHtml } from '../rules/html.ts'
import { toPlainText } from '../rules/text.ts'
import { filled, mediaUrl, permalink } from './json.ts'
import type { EventRow, MediaRow, OrganizerRow, Post, VenueRow } from './v1.ts'

/** HTML as JSON-LD has it: text without anything that looks like a tag, also where the HTML shows one as text. */
const plain = (html: string) => toPlainText(stripHtml(html))

/** Private records are marked where their JSON-LD is shown, as recorded. */
const jsonLdName = (post: Post) => (post.status === 'private' ? `Private: ${post.title}` : post.title)

/** An event as schema.org has it; its links are added when it is read. */
export function eventJsonLd(
  post: Post,
  event: EventRow,
  image: MediaRow | null,
  { cost, cost_details }: Cost,
  currency: string,
) {
  const offers = () => ({
    '@type': 'Offer',
    price: cost_details.values.join(' – '),
    ...filled({ priceCurrency: currencyOf(event.cost, currency) ?? '' }),
    url: permalink(post),
    category: 'primary',
    availability: 'inStock',
    validFrom: toOffsetDateTime(post.date_utc || post.modified_utc, 'UTC'),
  })
  return {
    '@context': 'http://schema.org',
    '@type': 'Event',
    name: jsonLdName(post),
    description: plain(post.excerpt || post.description),
    ...(image && { image: mediaUrl(image.file) }),
    url: permalink(post),
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    eventStatus: 'https://schema.org/EventScheduled',
    startDate: toOffsetDateTime(event.start_date, event.timezone),
    endDate: toOffsetDateTime(event.end_date, event.timezone),
    ...(cost && { offers: offers() }),
    performer: 'Organization',
  }
}

/** A venue as schema.org has it. */
export function venueJsonLd(post: Post, venue: VenueRow, stateprovince: string, image: MediaRow | null) {
  const { address, city, country, zip, phone, website, geo_lat, geo_lng } = venue
  return {
    '@type': 'Place',
    name: jsonLdName(post),
    description: plain(post.description),
    ...(image && { image: mediaUrl(image.file) }),
    url: permalink(post),
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

/** An organizer as schema.org has it. */
export function organizerJsonLd(post: Post, organizer: OrganizerRow, image: MediaRow | null) {
  const { phone, website, email } = organizer
  return {
    '@type': 'Person',
    name: jsonLdName(post),
    description: plain(post.description),
    ...(image && { image: mediaUrl(image.file) }),
    url: website,
    telephone: phone,
    email,
    sameAs: website,
  }
}
