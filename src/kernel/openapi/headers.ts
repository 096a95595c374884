const header = (type: 'integer' | 'string', description: string, example: unknown) => ({
  description,
  schema: { type },
  example,
})

/** Headers of every response. */
export const ALWAYS = {
  'X-Request-Id': header('string', 'Identifies the request in the log of the service.', 'req-1f'),
  Vary: header(
    'string',
    'Request headers that the response depends on, for caches. Absent if there are none.',
    'Authorization, Accept-Encoding',
  ),
  'Access-Control-Allow-Origin': header(
    'string',
    'Origins that may read the response: any for GET; for writes, those that the operator has configured.',
    '*',
  ),
  'RateLimit-Policy': header(
    'string',
    'The units of work (`q`) that the client may spend in so many seconds (`w`) on lists, searches, feeds and streams. Absent where nothing is spent.',
    '"cost";q=20000;w=60',
  ),
  RateLimit: header(
    'string',
    'The units of work that are left (`r`), and the seconds until all are there again (`t`).',
    '"cost";r=19987;t=1',
  ),
  'RateLimit-Limit': header(
    'integer',
    'Requests that one client may make per minute. Absent if there is no limit.',
    6000,
  ),
  'RateLimit-Remaining': header('integer', 'Requests left in this minute.', 5999),
  'RateLimit-Reset': header('integer', 'Seconds until the count starts again.', 60),
}
export const TOTALS = {
  'X-TEC-Total': header('integer', 'Number of entries on all pages.', 31),
  'X-TEC-TotalPages': header('integer', 'Number of pages.', 3),
  'X-WP-Total': header('integer', 'Number of entries on all pages.', 31),
  'X-WP-TotalPages': header('integer', 'Number of pages.', 3),
  Link: header(
    'string',
    'Links to the next and previous page of a list, if there are any, with `rel="next"` and `rel="prev"`; and, of events and of the records that have a calendar, to this with `rel="alternate"`.',
    '<https://calendar.example/calendar/events/v1/events/?per_page=12&page=2>; rel="next", <webcal://calendar.example/calendar/events/v1/events.ics>; rel="alternate"; type="text/calendar"',
  ),
}
/** Of a record that has a calendar. */
export const LINKED = { Link: TOTALS.Link }
export const CREATED = {
  Location: header(
    'string',
    'URL of the new record.',
    'https://calendar.example/calendar/events/v1/events/7',
  ),
}
export const WRITTEN = {
  'X-Ignored-Fields': header(
    'string',
    'Fields of the request that were ignored. Absent if there are none.',
    'venue_id',
  ),
}
export const TERMS = {
  'X-Created-Terms': header(
    'string',
    'IDs and percent-encoded names of the categories and tags that the request created. Absent if there are none.',
    'categories[12]=Jazz, tags[13]=Open%20Air',
  ),
}
export const REPLAYED = {
  'Idempotency-Replayed': header(
    'string',
    '`true` if this is the answer to an earlier request with the same `Idempotency-Key`. Otherwise absent.',
    'true',
  ),
}
export const DIFFERING = {
  'X-Translations-Differ': header(
    'string',
    'For callers who may edit the record: its translations, by language, each with the facts in which it differs. Absent if none does.',
    'ca: start_date, venue; es: status',
  ),
}
export const SEARCHED = {
  'X-Search-Corrections': header(
    'string',
    'Words of `q` that occur nowhere, each with the word that it was taken as: without case and accents, percent-encoded. Absent if all words stand.',
    'concret=concert, girone=girona',
  ),
}
export const ASKED = {
  'X-Ignored-Parameters': header(
    'string',
    'Unknown query parameters, which were ignored. Absent if there are none.',
    'category, limit',
  ),
}
export const TAGGED = {
  ETag: header(
    'string',
    'Identifies the current version of the record or list. Send it back in `If-None-Match` of a read, or in `If-Match` of a write, weak or strong. That of a write is what a read of the same URL by the same caller would return now; it is absent after PUT (RFC 9110 §9.3.4), and if that URL no longer leads to the record.',
    '"mN5tq1Xv"',
  ),
}
export const CACHED = {
  ...TAGGED,
  'Last-Modified': header(
    'string',
    'Time of the last change. Absent if it is not known.',
    'Sat, 21 Nov 2026 09:00:00 GMT',
  ),
  'Cache-Control': header(
    'string',
    'Who may cache the response, and for how many seconds.',
    'public, max-age=60',
  ),
}
export const RETRY = { 'Retry-After': header('integer', 'Seconds to wait before the next attempt.', 12) }
export const CHALLENGE = {
  'WWW-Authenticate': header('string', 'Authentication scheme to use.', 'Basic realm="Almanac"'),
}

/** Every response header in the document. */
export const HEADERS = {
  ...ALWAYS,
  ...ASKED,
  ...TOTALS,
  ...CREATED,
  ...WRITTEN,
  ...TERMS,
  ...DIFFERING,
  ...REPLAYED,
  ...SEARCHED,
  ...CACHED,
  ...RETRY,
  ...CHALLENGE,
}

/** Components of a kind by reference, for a map of the document. */
export const refer = (kind: string, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))
/** Response headers by reference. */
export const headersOf = (...sets: object[]) => refer('headers', sets.flatMap(Object.keys))

const parameter = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  example,
})
/** Request headers, as components. */
export const REQUEST_HEADERS = {
  IfMatch: parameter(
    'If-Match',
    'ETag of the record as last read or written. If the record has changed since, the response is 412.',
    '"mN5tq1Xv"',
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'A text of your choice, such as a UUID, for this request. If it is sent again within a day, nothing is written, and the answer is that of the first time, with `Idempotency-Replayed: true`.',
    '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'ETag of an earlier response. If it is still current, the response is 304 without a body.',
    '"mN5tq1Xv"',
  ),
  OnlyNew: parameter(
    'If-None-Match',
    '`*` creates only: if there is such a record, the response is 412.',
    '*',
  ),
  IfModifiedSince: parameter(
    'If-Modified-Since',
    'Time in `Last-Modified` of an earlier response. If nothing has changed since, the response is 304 without a body. Ignored with `If-None-Match`.',
    'Sat, 21 Nov 2026 09:00:00 GMT',
  ),
  LastEventId: parameter(
    'Last-Event-ID',
    'ID of the last message of a stream, from which another one continues. It is a sync token, and overrides `sync_token`. Browsers send it when they connect again.',
    'aWzE4LCJ4Qm1sMnciLCIiLHsia2luZHMiOlsiZXZlbnQiXX1dm3VtH0Jq5Zb8cN1xT9aKwQ',
  ),
  ContentDisposition: parameter(
    'Content-Disposition',
    'File name of an image that is sent as raw bytes. Default: `image`.',
    'attachment; filename="concert.jpg"',
  ),
}
/** Request headers by reference, as parameters of an operation. */
export const requestHeaders = (...names: (keyof typeof REQUEST_HEADERS)[]) =>
  Object.values(refer('parameters', names))
