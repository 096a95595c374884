import { abbreviation, dateDetails, secondsOf } from '../../kernel/time/dates.ts'
import { recurrenceOf } from '../recurrence/recurrence.ts'
import { textOf } from '../recurrence/text.ts'
import { jsonLd } from './json-ld.ts'
import {
  type EventRecord,
  type MediaRow,
  type OrganizerRecord,
  type Own,
  type OwnEvent,
  type OwnOrganizer,
  type OwnSeries,
  type OwnVenue,
  type PostRecord,
  type SeriesRecord,
  shownDateUtc,
  type TermRecord,
  type TermRow,
  type VenueRecord,
} from './records.ts'
import {
  BASE,
  filled,
  HOST,
  mediaUrl,
  type Origin,
  open,
  permalink,
  place,
  print,
  ROOT,
  VENDOR,
} from './urls.ts'

const globalId = (id: number) => `${HOST}?id=${id}`
function postMembers(record: Own) {
  const members = {
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
  const { external } = record
  return external
    ? Object.assign(members, { source: external.source, external_id: external.external_id })
    : members
}

/** How a series repeats, as it is read and shown. */
function recurrenceMember({
  series,
  start_date: start,
  timezone: zone,
  all_day: allDay,
  language,
}: OwnSeries) {
  const { rrule, rdate, exdate, until, since } = series
  const text = textOf(recurrenceOf({ rrule, rdate, exdate }, { start, zone, allDay }), language)
  return { rrule, rdate, exdate, text, until, ...(since !== '' && { since }) }
}

/** The members that only a series and its occurrences have. */
function repeatingMembers(event: OwnEvent | OwnSeries) {
  if (event.kind === 'series') return { recurrence: recurrenceMember(event) }
  if (!event.occurrence) return undefined
  const { series_id: series, recurrence_id, overrides } = event.occurrence
  return { series, recurrence_id, overrides }
}

const eventMembers = (event: OwnEvent | OwnSeries) =>
  // Object.assign, because spreading into a literal of so many members takes V8 thirty times as long
  Object.assign(
    postMembers(event),
    {
      rest_url: `${ROOT}/${event.kind === 'event' ? 'events' : 'series'}/${event.id}`,
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
    {
      cost: event.cost.cost,
      cost_details: event.cost.cost_details,
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
      event_status_reason: event.event_status_reason,
      previous_start_date: event.previous_start_date,
      post_parent: event.parent_id ?? 0,
    },
    repeatingMembers(event),
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
  if (record.kind === 'event' || record.kind === 'series') return eventMembers(record)
  return record.kind === 'venue' ? venueMembers(record) : organizerMembers(record)
}

function postV1(record: VenueRecord | OrganizerRecord, single: boolean) {
  const { translations } = record
  return { ...ownMembers(record), translations, ...(single && { json_ld: jsonLd(record) }) }
}

function eventV1(event: EventRecord | SeriesRecord, single: boolean) {
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
  const members =
    record.kind === 'event' || record.kind === 'series' ? eventV1(record, single) : postV1(record, single)
  return Buffer.concat(place(Buffer.from(print(members)), origin))
}

/** The `image` member, which clients know without alternative texts: without smaller versions there is no `sizes` (reference §1.2). */
function imageMember(row: MediaRow | null) {
  if (!row) return false
  const sizes = mediaSizes(row)
  return {
    url: mediaUrl(row.file),
    id: row.id,
    extension: row.extension,
    width: row.width,
    height: row.height,
    filesize: row.filesize,
    ...(Object.keys(sizes).length > 0 && { sizes }),
  }
}

const mediaSizes = (row: MediaRow) =>
  Object.fromEntries(
    Object.entries(row.sizes).map(([name, size]) => [
      name,
      {
        width: size.width,
        height: size.height,
        'mime-type': row.mime_type,
        filesize: size.filesize,
        url: mediaUrl(size.file),
      },
    ]),
  )

/** The focal point of a picture that has none of its own. */
const CENTRE = { x: 0.5, y: 0.5 }

/** A media object (D43, R8), as bytes in parts. */
export const mediaV1 = (row: MediaRow, origin: Origin): Buffer[] =>
  place(
    Buffer.from(
      print({
        id: row.id,
        source_url: mediaUrl(row.file),
        url: mediaUrl(row.file),
        author: String(row.author_id),
        date_utc: row.date_utc,
        mime_type: row.mime_type,
        extension: row.extension,
        width: row.width,
        height: row.height,
        filesize: row.filesize,
        sizes: mediaSizes(row),
        alt_texts: row.alt_texts,
        focal_point: row.focal_point ?? CENTRE,
      }),
    ),
    origin,
  )

const COLLECTION = { category: 'categories', tag: 'tags' } as const

function termUrls(row: TermRow) {
  const collection = `${ROOT}/${COLLECTION[row.taxonomy]}`
  return {
    self: `${collection}/${row.id}`,
    collection,
    ...(row.parent_id !== 0 && { up: `${collection}/${row.parent_id}` }),
  }
}
const taxonomyOf = (row: TermRow) => (row.taxonomy === 'tag' ? 'post_tag' : `${VENDOR}_events_cat`)

const termMembers = (row: TermRow) => ({
  id: row.id,
  count: row.count,
  description: row.description,
  name: row.name,
  slug: row.slug,
  taxonomy: taxonomyOf(row),
  ...(row.taxonomy === 'category' && { parent: row.parent_id }),
  meta: [],
  url: `${BASE}/events/${row.taxonomy}/${row.slug}/`,
  urls: termUrls(row),
  language: row.language,
})

/** The members of a term as events show it (reference §1.2). */
const embeddedTerm = (row: TermRow) => ({
  name: row.name,
  slug: row.slug,
  term_group: 0,
  term_taxonomy_id: row.id,
  taxonomy: taxonomyOf(row),
  description: row.description,
  parent: row.parent_id,
  count: row.count,
  filter: 'raw',
  id: row.id,
  urls: termUrls(row),
})

/** A term as its own endpoints return it, as an open object without `translations` (reference §3.2). */
export const renderTerm = (row: TermRow) => open(termMembers(row))

/** A term as events show it, complete. */
export const renderEmbeddedTerm = (row: TermRow) => Buffer.from(print(embeddedTerm(row)))

/** A term as its own endpoints show it, as bytes. */
export const termV1 = (term: TermRecord, origin: Origin): Buffer =>
  Buffer.concat(place(Buffer.from(print({ ...termMembers(term), translations: term.translations })), origin))
