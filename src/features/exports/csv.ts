import type { EventRecord } from '../../calendar/formats/records.ts'
import { mediaUrl } from '../../calendar/formats/urls.ts'
import { type Format, uidOf } from '../feeds/formats/format.ts'

/** The columns of a file of CSV, of which a reader may have any in any order. They are members of events, and those of a venue and an organizer. */
export const CSV_COLUMNS = [
  ...(['title', 'start_date', 'end_date', 'all_day', 'timezone', 'status', 'i18n_language', 'slug'] as const),
  ...(['description', 'excerpt', 'image', 'website', 'cost', 'categories', 'tags'] as const),
  ...(['venue', 'venue_address', 'venue_city', 'venue_province', 'venue_zip', 'venue_country'] as const),
  ...(['venue_phone', 'venue_website', 'venue_geo_lat', 'venue_geo_lng'] as const),
  ...(['organizer', 'organizer_email', 'organizer_phone', 'organizer_website'] as const),
  ...(['featured', 'sticky', 'hide_from_listings', 'show_map', 'show_map_link', 'ticketed'] as const),
  ...(['event_status', 'event_status_reason', 'attendance_mode', 'virtual_url'] as const),
  ...(['rrule', 'rdate', 'exdate', 'source', 'external_id'] as const),
] as const
export type CsvColumn = (typeof CSV_COLUMNS)[number]

/** What programs for tables take for a formula: it gets an apostrophe, which readers take away again. */
const FORMULA = /^[=+\-@\t\r]/

/** A value as a cell. */
function cellOf(value: string | number | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  const plain = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) || plain !== plain.trim() ? `"${plain.replace(/"/g, '""')}"` : plain
}

/** Names as one cell, divided by semicolons: one that has a comma is followed by a semicolon, too. */
function namesOf(all: { name: string }[]): string {
  const names = all.map(({ name }) => name.replace(/;/g, ',')).join('; ')
  return all.length === 1 && names.includes(',') ? `${names};` : names
}
const dayOf = (wall: string, allDay: boolean) => (allDay ? wall.slice(0, 10) : wall)

/** What an event has in each column, and more. */
function cellsOf(
  event: EventRecord,
  feed: Parameters<typeof uidOf>[1] & { base: string },
): Record<CsvColumn, unknown> {
  const { all_day, image, external, venues, organizers } = event
  const [venue] = venues
  const [organizer, ...others] = organizers
  const isOne = others.length === 0
  return {
    ...event,
    start_date: dayOf(event.start_date, all_day),
    end_date: dayOf(event.end_date, all_day),
    i18n_language: event.language,
    image: image && mediaUrl(image.file, feed.base),
    cost: event.cost.cost,
    categories: namesOf(event.categories),
    tags: namesOf(event.tags),
    venue: venue?.title,
    venue_address: venue?.address,
    venue_city: venue?.city,
    venue_province: venue?.province,
    venue_zip: venue?.zip,
    venue_country: venue?.country,
    venue_phone: venue?.phone,
    venue_website: venue?.website,
    venue_geo_lat: venue?.geo_lat,
    venue_geo_lng: venue?.geo_lng,
    organizer: namesOf(organizers.map(({ title: name }) => ({ name }))),
    organizer_email: isOne ? organizer?.email : '',
    organizer_phone: isOne ? organizer?.phone : '',
    organizer_website: isOne ? organizer?.website : '',
    rrule: '',
    rdate: '',
    exdate: '',
    ...(external ?? { source: '', external_id: uidOf(event, feed) }),
  }
}

const rowOf = (cells: readonly unknown[]) => `${cells.map((cell) => cellOf(cell as string)).join(',')}\r\n`

/** A table of events, a row each, that is read again by the same names of columns (RFC 4180). */
export const csv: Format = {
  extension: 'csv',
  type: 'text/csv; charset=utf-8',
  open: (feed) => ({
    head: () => rowOf(CSV_COLUMNS),
    event(event) {
      const cells = cellsOf(event, feed)
      return rowOf(CSV_COLUMNS.map((name) => cells[name]))
    },
    foot: () => '',
  }),
}
