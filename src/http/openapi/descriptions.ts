import type { OperationKind } from './responses.ts'

type Name = 'event' | 'venue' | 'organizer' | 'category' | 'tag'

const PAGES =
  'Follow `next_rest_url` until it is absent to read every match exactly once. `total` counts the matches on all pages. A page beyond the last one returns 404.'
const STORED =
  '`date` and `modified` are in the site time zone; `date_utc` and `modified_utc` are in UTC. The format is `YYYY-MM-DD HH:MM:SS`.'
const EVENT_TIMES =
  '`start_date` and `end_date` are local times in the time zone of the event; `utc_start_date` and `utc_end_date` are the same times in UTC.'
const TIMES: Record<Name, string> = {
  event: `${EVENT_TIMES} ${STORED}`,
  venue: `${STORED} \`geo_lat\` and \`geo_lng\` are in degrees.`,
  organizer: STORED,
  category: 'Terms have no dates; `count` is the number of published events.',
  tag: 'Terms have no dates; `count` is the number of published events.',
}

const WINDOW =
  'Without date filters, the list covers yesterday to the day 24 months from now, in the site time zone. `start_date` and `end_date` each replace one end of these default dates. `starts_before`, `starts_after`, `ends_before`, `ends_after`, `when` and `include` lift both ends; `include` also lifts every other date filter.\n\nFor whole days, `starts_before` and `ends_before` include the day given, except its last second (23:59:59), and `starts_after` and `ends_after` begin with the next day. If `strict_dates` is `true`, none of the four includes the exact second given.'
const LISTS: Record<Name, string> = {
  event: `Returns events ordered by start, or by \`orderby\` and \`order\`. Date filters apply to the local time of each event and to whole days, unless \`strict_dates\` is \`true\`. \`geoloc_radius\` is in kilometres.\n\n${WINDOW}`,
  venue: 'Returns venues, newest first.',
  organizer: 'Returns organizers, newest first.',
  category:
    'Returns categories ordered by name. Those without published events are returned only with `hide_empty=false`.',
  tag: 'Returns tags ordered by name. Those without published events are returned only with `hide_empty=false`.',
}
const CREATES: Record<Name, string> = {
  event:
    'Creates an event. A date with an offset or `Z` is converted to the time zone of the event; a date without one is local time there. Venues, organizers, categories and tags are given by ID or created together with the event. If one of them is invalid, nothing is created.',
  venue: 'Creates a venue, even if one with the same name exists.',
  organizer: 'Creates an organizer, even if one with the same name exists.',
  category:
    'Creates a category. Its name must be unique among the children of its parent, unless `slug` distinguishes it. Requires the role `author` or above.',
  tag: 'Creates a tag. Its name must be unique, unless `slug` distinguishes it. Requires the role `editor` or above.',
}
const TRANSLATED =
  'With `i18n_language`, or with a path that starts with `/ca`, `/en` or `/es`, returns its translation if there is one.'
const READS: Record<Name, string> = {
  event: `Returns one event with its venues, organizers and terms. ${TRANSLATED} A protected event requires its \`password\`, unless the caller may edit it.`,
  venue: `Returns one venue. ${TRANSLATED}`,
  organizer: `Returns one organizer. ${TRANSLATED}`,
  category: `Returns one category. ${TRANSLATED}`,
  tag: `Returns one tag. ${TRANSLATED}`,
}
const TO_TRASH =
  'Moves the record to the trash. An update with a `status` restores it. With `force=true`, deletes it permanently.'
const DELETES: Record<Name, string> = {
  event: TO_TRASH,
  venue: `${TO_TRASH} Its events keep their other venues.`,
  organizer: `${TO_TRASH} Its events keep their other organizers.`,
  category: 'Deletes the category permanently. Its children move up to its parent.',
  tag: 'Deletes the tag permanently.',
}
const IGNORED =
  'The body is JSON or a form: `application/x-www-form-urlencoded` with bracket syntax, or `multipart/form-data`. Unknown fields, also inside venues and organizers (`venue.adress`), are ignored and named in the response header `X-Ignored-Fields`. New categories and tags are named in `X-Created-Terms`.'

const ADDRESSED =
  'Applies to the record that a read with the same URL and `i18n_language` returns. Only `i18n_language` in the body changes the language of a record.'

const IF_MATCH =
  'Send the `ETag` of a read in `If-Match` to apply the request only if the record has not changed since; otherwise the response is 412.'

/** The description of an operation on a resource, with units and time zones. */
export function descriptionOf(kind: OperationKind, name: Name): string {
  const words: Record<OperationKind, string[]> = {
    list: [LISTS[name], TIMES[name], PAGES],
    create: [CREATES[name], IGNORED, TIMES[name]],
    read: [READS[name], TIMES[name]],
    update: [
      'Changes the fields that are sent and keeps the others. PATCH, PUT and POST do the same.',
      ADDRESSED,
      IF_MATCH,
      IGNORED,
      TIMES[name],
    ],
    delete: [DELETES[name], ADDRESSED, IF_MATCH, 'Returns the record.', TIMES[name]],
  }
  return words[kind].join('\n\n')
}
