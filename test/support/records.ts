import { buildCost } from '../../src/calendar/cost.ts'
import type {
  EventRecord,
  MediaRow,
  OrganizerRecord,
  SeriesDate,
  SeriesRecord,
  SeriesRow,
  TermRow,
  VenueRecord,
} from '../../src/calendar/formats/records.ts'
import type { Feed } from '../../src/features/feeds/formats/format.ts'
import { toUtc } from '../../src/kernel/time/dates.ts'

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
  ...{ sizes: {}, origin_url: null, date_utc: MADE, alt_texts: {}, captions: {}, focal_point: null },
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
    ...{ event_status_reason: '', previous_start_date: '' },
    ...{ venues: [], organizers: [], categories: [], tags: [] },
    ...given,
  }
}

/** A series whose first date is an event with what is given, and that repeats so. */
export function seriesRecord(given: Partial<EventRecord>, row: Partial<SeriesRow> = {}): SeriesRecord {
  const { occurrence: _, kind: __, ...event } = eventRecord({ id: 5, slug: 'concerts', ...given })
  return {
    ...event,
    kind: 'series',
    series: {
      ...{ post_id: event.id, rrule: 'FREQ=DAILY;COUNT=1', rdate: [], exdate: [], until: '', next_utc: null },
      ...{ since: '', ...row },
    },
  }
}

/** The event of a date of a series, which has what is given instead. */
export function dateRecord(
  series: SeriesRecord,
  recurrence_id: string,
  given: Partial<EventRecord> & { id: number },
): EventRecord {
  const { series: _, kind: __, utc_start_date: ___, utc_end_date: ____, ...pattern } = series
  const overrides = Object.keys(given).filter((name) => !['id', 'start_date', 'end_date'].includes(name))
  return eventRecord({
    ...pattern,
    slug: `date-${given.id}`,
    parent_id: series.id,
    occurrence: { post_id: given.id, series_id: series.id, recurrence_id, overrides },
    ...given,
  })
}

/** What a feed knows of an event of a series. */
export const seriesDate = ({ occurrence, ...event }: EventRecord): SeriesDate => {
  const { status, modified_utc, start_date, utc_start_date, utc_end_date } = event
  return { ...occurrence!, status, modified_utc, start_date, utc_start_date, utc_end_date }
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
