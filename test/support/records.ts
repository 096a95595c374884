import type { Feed } from '../../src/formats/format.ts'
import type {
  EventRecord,
  MediaRow,
  OrganizerRecord,
  TermRow,
  VenueRecord,
} from '../../src/formats/records.ts'
import { buildCost } from '../../src/rules/cost.ts'
import { toUtc } from '../../src/rules/time/dates.ts'

const MADE = '2026-11-01 08:00:00'
const POST = {
  ...{
    status: 'publish' as const,
    title: '',
    slug: '',
    description: '',
    excerpt: '',
    author_id: 1,
    language: 'en',
  },
  ...{ parent_id: null, date: MADE, date_utc: MADE, modified: MADE, modified_utc: MADE },
  ...{ image: null, translations: {}, website: '' },
}

/** A venue with what is given, and without what is not. */
export const venueRecord = (given: Partial<VenueRecord>): VenueRecord => ({
  ...{
    ...POST,
    kind: 'venue',
    id: 20,
    post_id: 20,
    address: '',
    city: '',
    country: '',
    province: '',
    state: '',
    zip: '',
  },
  ...{ phone: '', stateprovince: '', show_map: true, show_map_link: true, geo_lat: null, geo_lng: null },
  ...given,
})

/** An organizer with what is given, and without what is not. */
export const organizerRecord = (given: Partial<OrganizerRecord>): OrganizerRecord => ({
  ...{ ...POST, kind: 'organizer', id: 30, post_id: 30, phone: '', email: '' },
  ...given,
})

/** A category with what is given. */
export const termRecord = (given: Partial<TermRow>): TermRow => ({
  ...{
    id: 40,
    taxonomy: 'category',
    name: 'Term',
    folded_name: 'term',
    slug: 'term',
    description: '',
    parent_id: 0,
    hidden: false,
  },
  ...{ language: 'en', translation_group: null, count: 1, modified_utc: '' },
  ...given,
})

/** A picture in JPEG. */
export const pictureRow = (file: string): MediaRow => ({
  ...{
    id: 50,
    author_id: 1,
    file,
    mime_type: 'image/jpeg',
    extension: 'jpg',
    width: 800,
    height: 600,
    filesize: 1,
  },
  ...{ sizes: {}, origin_url: null, date_utc: MADE, alt_texts: {} },
})

/** An event of two hours with what is given; its times of UTC follow from the local ones. */
export function eventRecord(given: Partial<EventRecord>): EventRecord {
  const zone = given.timezone ?? 'Europe/Madrid'
  const start = given.start_date ?? '2026-11-28 18:00:00'
  const end = given.end_date ?? '2026-11-28 20:00:00'
  return {
    ...{
      ...POST,
      kind: 'event',
      occurrence: null,
      id: 10,
      title: 'Concert',
      slug: 'concert',
      closed: false,
      protected: false,
    },
    ...{ start_date: start, end_date: end, timezone: zone, all_day: false },
    ...{ utc_start_date: toUtc(start, zone), utc_end_date: toUtc(end, zone) },
    ...{ cost: buildCost([], 'EUR'), currency: 'EUR', show_map: false, show_map_link: false },
    ...{ hide_from_listings: false, sticky: false, featured: false, ticketed: false },
    ...{ event_status: 'scheduled', attendance_mode: 'offline', virtual_url: '' },
    ...{ venues: [], organizers: [], categories: [], tags: [] },
    ...given,
  }
}

/** What a feed of all events says of itself. */
export const FEED: Feed = {
  ...{ single: false, title: 'calendar.test', description: '', language: 'en', timezone: 'Europe/Madrid' },
  ...{ self: 'http://calendar.test/events.ics', home: 'http://calendar.test/', base: 'http://calendar.test' },
  ...{
    host: 'calendar.test',
    site: '6e8bc430-9c3a-11d9-9669-0800200c9a66',
    next: undefined,
    updated: Date.parse('2026-11-20T10:00:00Z'),
  },
}
