import { abbreviation, dateDetails, secondsOf } from '../../rules/time/dates.ts'
import { filled, HOST, type Origin, permalink, place, print, ROOT } from '../json.ts'
import { jsonLd } from '../json-ld.ts'
import {
  type EventRecord,
  type OrganizerRecord,
  type Own,
  type OwnEvent,
  type OwnOrganizer,
  type OwnVenue,
  type PostRecord,
  shownDateUtc,
  type VenueRecord,
} from '../records.ts'
import { imageMember } from './media.ts'
import { embeddedTerm } from './terms.ts'

const globalId = (id: number) => `${HOST}?id=${id}`
function postMembers(record: Own) {
  return {
    id: record.id,
    global_id: globalId(record.id),
    global_id_lineage: [globalId(record.id)],
    author: String(record.author_id),
    status: record.status,
    date: record.date,
    date_utc: shownDateUtc(record),
    modified: record.modified,
    modified_utc: record.modified_utc,
    url: permalink(record),
    language: record.language,
  }
}

const eventMembers = (event: OwnEvent) =>
  // Object.assign, because spreading into a literal of so many members takes V8 thirty times as long
  Object.assign(
    postMembers(event),
    {
      rest_url: `${ROOT}/events/${event.id}`,
      title: event.title,
      description: event.description,
      excerpt: event.excerpt,
      slug: event.slug,
      image: imageMember(event.image),
      all_day: event.all_day,
      start_date: event.start_date,
      start_date_details: dateDetails(event.start_date),
      end_date: event.end_date,
      end_date_details: dateDetails(event.end_date),
      utc_start_date: event.utc_start_date,
      utc_start_date_details: dateDetails(event.utc_start_date),
      utc_end_date: event.utc_end_date,
      utc_end_date_details: dateDetails(event.utc_end_date),
      timezone: event.timezone,
      timezone_abbr: abbreviation(secondsOf(event.utc_start_date) * 1000, event.timezone),
    },
    event.cost,
    {
      website: event.website,
      show_map: event.show_map,
      show_map_link: event.show_map_link,
      hide_from_listings: event.hide_from_listings,
      sticky: event.sticky,
      featured: event.featured,
      ticketed: event.ticketed,
      event_status: event.event_status,
      attendance_mode: event.attendance_mode,
      virtual_url: event.virtual_url,
      post_parent: event.parent_id ?? 0,
    },
  )

function venueMembers(venue: OwnVenue) {
  const { address, city, country, province, state, zip, phone, website, stateprovince } = venue
  const { description, slug, image, geo_lat, geo_lng } = venue
  return {
    ...postMembers(venue),
    venue: venue.title,
    ...filled({ description, slug, image: imageMember(image) }),
    ...filled({ address, city, country, province, state, zip, phone, website, stateprovince }),
    ...filled({ geo_lat, geo_lng }),
    show_map: venue.show_map,
    show_map_link: venue.show_map_link,
  }
}

function organizerMembers(organizer: OwnOrganizer) {
  const { description, slug, image, phone, website, email } = organizer
  return {
    ...postMembers(organizer),
    organizer: organizer.title,
    ...filled({ description, slug, image: imageMember(image), phone, website, email }),
  }
}

/** The own members of a record, which precede `translations` and the linked records. */
export function ownMembers(record: Own): object {
  if (record.kind === 'event') return eventMembers(record)
  return record.kind === 'venue' ? venueMembers(record) : organizerMembers(record)
}

function postV1(record: VenueRecord | OrganizerRecord, single: boolean) {
  const { translations } = record
  return { ...ownMembers(record), translations, ...(single && { json_ld: jsonLd(record) }) }
}

function eventV1(event: EventRecord, single: boolean) {
  const venues = event.venues.map((venue) => postV1(venue, single))
  return {
    ...eventMembers(event),
    translations: event.translations,
    ...(event.protected && { protected: true }),
    categories: event.categories.map(embeddedTerm),
    tags: event.tags.map(embeddedTerm),
    venue: venues.length === 1 ? venues[0] : venues,
    organizer: event.organizers.map((organizer) => postV1(organizer, single)),
    custom_fields: [],
    ...(single && { json_ld: jsonLd(event) }),
  }
}

/** A record as a list shows it, or with `single` as a single read does: the same bytes as from stored fragments. */
export function recordV1(
  record: PostRecord,
  { origin, single }: { origin: Origin; single: boolean },
): Buffer {
  const members = record.kind === 'event' ? eventV1(record, single) : postV1(record, single)
  return Buffer.concat(place(Buffer.from(print(members)), origin))
}
