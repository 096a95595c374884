import type { OperationKind } from './responses.ts'

type Name = 'event' | 'venue' | 'organizer' | 'category' | 'tag'

const PAGES =
  'Follow `next_rest_url` until it is absent to see every match once; `total` counts all pages. A `per_page` above 50 counts as 50, and a page beyond the end is 404.'
const STORED =
  '`date` and `modified` are in the time zone of the site, `date_utc` and `modified_utc` in UTC, all `YYYY-MM-DD HH:MM:SS`.'
const EVENT_TIMES =
  '`start_date` and `end_date` are wall clocks of the time zone of the event, `utc_start_date` and `utc_end_date` the same in UTC.'
const TIMES: Record<Name, string> = {
  event: `${EVENT_TIMES} ${STORED}`,
  venue: `${STORED} \`geo_lat\` and \`geo_lng\` are degrees.`,
  organizer: STORED,
  category: 'Terms have no dates; `count` is the number of published events.',
  tag: 'Terms have no dates; `count` is the number of published events.',
}

const LISTS: Record<Name, string> = {
  event:
    'Events in the order of their start. Without date filters from yesterday to the day 24 months ahead, in the time zone of the site. A filter that is a date without offset is a wall clock of the event, and counts as a whole day unless `strict_dates`; `geoloc_radius` is in kilometres.',
  venue: 'Venues, with the places and coordinates that events show.',
  organizer: 'Organizers, with the ways to reach them.',
  category: 'Categories; those without published events only with `hide_empty=false`.',
  tag: 'Tags; those without published events only with `hide_empty=false`.',
}
const CREATES: Record<Name, string> = {
  event:
    'A date with an offset or `Z` is converted to the time zone of the event, one without is its wall clock. Venues, organizers, categories and tags may be given by ID, or created along with the event; one that can not be taken means that nothing is created.',
  venue: 'Always makes a new venue; a slug that is taken gets a number.',
  organizer: 'Always makes a new organizer; a slug that is taken gets a number.',
  category: 'The name has to be new beside its siblings. Needs the role author or above.',
  tag: 'The name has to be new. Needs the role editor or above.',
}
const READS: Record<Name, string> = {
  event:
    'One event with its venues, organizers and terms. With `i18n_language`, or below `/ca`, `/en` or `/es`, its translation, where there is one. A protected event needs its `password`, unless the caller may edit it.',
  venue:
    'One venue. With `i18n_language`, or below `/ca`, `/en` or `/es`, its translation, where there is one.',
  organizer:
    'One organizer. With `i18n_language`, or below `/ca`, `/en` or `/es`, its translation, where there is one.',
  category:
    'One category. With `i18n_language`, or below `/ca`, `/en` or `/es`, its translation, where there is one.',
  tag: 'One tag. With `i18n_language`, or below `/ca`, `/en` or `/es`, its translation, where there is one.',
}
const TO_TRASH =
  'Moves the record to the trash, from where an update with a `status` brings it back; with `force=true` deletes it for good.'
const DELETES: Record<Name, string> = {
  event: TO_TRASH,
  venue: `${TO_TRASH} Events then lose this venue and keep their others.`,
  organizer: `${TO_TRASH} Events then lose this organizer and keep their others.`,
  category: 'Deletes the category for good; its children move up to its parent.',
  tag: 'Deletes the tag for good.',
}
const IGNORED =
  'Fields that are unknown are ignored, and named in the header `X-Ignored-Fields`, as `venue.adress` inside what is linked; categories and tags that are made in `X-Created-Terms`. Forms (`application/x-www-form-urlencoded` with bracket syntax, `multipart/form-data`) are taken as well as JSON.'

const ADDRESSED =
  'The record is the one that a read of this address with the same `i18n_language` shows; its language changes only by `i18n_language` in the body.'

const IF_MATCH =
  'With `If-Match` and the `ETag` of a read only if the record is still the same; otherwise 412 and nothing happens.'

/** What the document says of an operation of a resource, with units and time zones. */
export function descriptionOf(kind: OperationKind, name: Name): string {
  const words: Record<OperationKind, string[]> = {
    list: [LISTS[name], TIMES[name], PAGES],
    create: [CREATES[name], IGNORED, TIMES[name]],
    read: [READS[name], TIMES[name]],
    update: [
      'Changes the fields that are sent and keeps the others; PATCH, PUT and POST do the same.',
      ADDRESSED,
      IF_MATCH,
      IGNORED,
      TIMES[name],
    ],
    delete: [DELETES[name], ADDRESSED, IF_MATCH, 'The answer shows the record.', TIMES[name]],
  }
  return words[kind].join('\n\n')
}
