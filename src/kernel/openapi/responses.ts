import { type TSchema, Type } from '@sinclair/typebox'
import { type ErrorCode, errors } from '../errors.ts'
import { errorBody, exampleOf } from '../server/errors.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** The error codes that an operation returns. The document shows each at its status. */
    'x-errors'?: ErrorCode[]
    /** What an operation does, by which the document adds headers. */
    'x-kind'?: OperationKind
    /** What a handler reads itself. */
    'x-upload'?: Upload
  }
}

/** A file in a multipart form, which a component describes, or its bytes, of one of these media types. */
export type Upload = { component: string; types: readonly string[] }

export type OperationKind = 'list' | 'read' | 'create' | 'update' | 'delete'

export const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1)
/** "an event", "a session". */
export const withArticle = (name: string) => `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

/** Errors of every operation: wrong credentials, too many requests, a failure of the service, or of what it asks. */
const EVERY: ErrorCode[] = [
  'incorrect_password',
  'invalid_username',
  'invalid_token',
  'rest_rate_limited',
  'internal_server_error',
  'rest_overloaded',
  'database_unavailable',
]
/** Errors of every write: the database, or the process that writes, can not take it. */
const WRITES: ErrorCode[] = [
  ...(['database_busy', 'database_read_only'] as const),
  ...(['insufficient_storage', 'outcome_unknown', 'rest_not_ready'] as const),
]
const BODY: ErrorCode[] = [
  'rest_forbidden',
  'rest_invalid_param',
  'rest_invalid_json',
  'rest_payload_too_large',
  'rest_unsupported_media_type',
]
const ERRORS: Record<OperationKind, ErrorCode[]> = {
  list: ['rest_forbidden', 'rest_invalid_param'],
  read: ['rest_forbidden', 'rest_invalid_param'],
  create: [...WRITES, ...BODY, 'rest_missing_callback_param', 'rest_bad_request'],
  update: [...WRITES, ...BODY, 'rest_bad_request'],
  delete: [...WRITES, 'rest_forbidden', 'rest_invalid_param', 'rest_invalid_json', 'rest_payload_too_large'],
}

const SIGNED_IN = [{ basic: [] }, { bearer: [] }]
const ANYBODY = [{}, ...SIGNED_IN]

/**
 * The responses and security of an operation, as members of its route's `schema`: `component` on success, otherwise the
 * errors of its kind and `more`. `except` are errors of its kind that it never returns.
 */
export function responses(
  kind: OperationKind,
  component: string,
  more: ErrorCode[] = [],
  {
    signedIn = kind !== 'list' && kind !== 'read',
    except = [] as ErrorCode[],
    status = kind === 'create' ? 201 : 200,
  } = {},
) {
  const done = { description: DONE[kind], ...(Type.Ref(component) as TSchema) }
  return {
    response: { [status]: done },
    security: signedIn ? SIGNED_IN : ANYBODY,
    'x-kind': kind,
    'x-errors': [...EVERY, ...ERRORS[kind], ...more].filter((code) => !except.includes(code)),
  }
}

const DONE: Record<OperationKind, string> = {
  list: 'A page of the list.',
  read: 'The record.',
  create: 'The new record.',
  update: 'The record after the update.',
  delete: 'The deleted record.',
}

type Json = Record<string, unknown>

/** What statuses mean that have errors in several combinations. */
const WORDS: Partial<Record<number, string>> = {
  400: 'The request or one of its parameters is invalid.',
  401: 'Credentials are missing or wrong.',
  403: 'The caller is not allowed to do this.',
  404: 'There is no such record, page or URL.',
  409: 'What is sent is taken: by another record, or by another request.',
  503: 'The service is temporarily unable to do this.',
}

/** Names of responses by the errors that they have. */
type ErrorNames = readonly (readonly [name: string, codes: readonly ErrorCode[]])[]
/** What the document has to know of errors beside those of the kernel. */
export type Refusals = {
  /** Names for those that many operations return, and for others that occur together. */
  common: ErrorNames
  together: ErrorNames
  /** Those that tell the current version of what they are about. */
  tagged: readonly ErrorCode[]
}

/** What errors have in common that many operations return. Other errors name the response alone. */
const COMMON: ErrorNames = [
  ['InvalidBody', ['rest_invalid_param', 'rest_invalid_json', 'rest_bad_request']],
  [
    'IncompleteBody',
    ['rest_invalid_param', 'rest_invalid_json', 'rest_missing_callback_param', 'rest_bad_request'],
  ],
  ['Unauthorized', ['incorrect_password', 'invalid_username', 'invalid_token', 'rest_forbidden']],
  ['InvalidCredentials', ['incorrect_password', 'invalid_username', 'invalid_token']],
  ['Forbidden', ['rest_forbidden']],
  ['NoRoute', ['rest_no_route']],
  ['NotServed', ['rest_overloaded', 'database_unavailable']],
  [
    'Unavailable',
    [
      'rest_overloaded',
      'database_busy',
      'database_read_only',
      'rest_not_ready',
      'database_unavailable',
      'outcome_unknown',
    ],
  ],
]
/** Short names for other errors that occur together. */
const TOGETHER: ErrorNames = [['IdempotencyKeyTaken', ['idempotency_key_reused', 'idempotency_key_in_use']]]
/** Common errors that do not add to the name of a response. */
const UNNAMED: ErrorCode[] = ['rest_forbidden', 'rest_no_route']

const pascal = (code: ErrorCode) =>
  code
    .replace(/^rest[-_]/, '')
    .split(/[-_]/)
    .map(capital)
    .join('')

const wordsOf = (names: ErrorNames, codes: ErrorCode[]): string[] => {
  const [known] =
    names.find(([, some]) => some.length === codes.length && some.every((code) => codes.includes(code))) ?? []
  return known ? [known] : codes.map(pascal)
}

/** The name of a response by its error codes: the same errors have the same name, wherever they occur. */
export function nameOf(
  codes: readonly ErrorCode[],
  { common: more, together }: Omit<Refusals, 'tagged'>,
): string {
  const everywhere = [...COMMON, ...more]
  const shared = new Set(everywhere.flatMap(([, some]) => some))
  const common = codes.filter((code) => shared.has(code))
  const own = codes.filter((code) => !shared.has(code))
  const isNamed = own.length === 0 || !common.every((code) => UNNAMED.includes(code))
  return [...(isNamed ? wordsOf(everywhere, common) : []), ...wordsOf([...TOGETHER, ...together], own)].join(
    'Or',
  )
}

/** The codes by their status. `rest_forbidden` is 401 for callers without credentials. */
export function byStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>()
  const add = (status: number, code: ErrorCode) => groups.set(status, [...(groups.get(status) ?? []), code])
  for (const code of new Set(codes)) {
    add(errors[code][0], code)
    if (code === 'rest_forbidden') add(401, code)
  }
  return [...groups].sort(([a], [b]) => a - b)
}

/** The body of an error with one of these codes, so that typed clients can tell errors apart. */
const bodyOf = (codes: readonly ErrorCode[]) => ({
  allOf: [
    { $ref: '#/components/schemas/ErrorBody' },
    {
      type: 'object',
      properties: {
        code: { type: 'string', ...(codes.length === 1 ? { const: codes[0] } : { enum: codes }) },
      },
    },
  ],
})

/** The response with these errors, and their examples. */
export function failure(
  status: number,
  codes: readonly ErrorCode[],
  tagged: readonly ErrorCode[],
): { response: Json; examples: Json } {
  const response = {
    description: codes.length === 1 ? errors[codes[0]!][1] : WORDS[status],
    headers: headersOf(
      ALWAYS,
      status === 412 || codes.some((code) => tagged.includes(code)) ? TAGGED : {},
      status === 429 || status === 503 ? RETRY : {},
      status === 401 ? CHALLENGE : {},
    ),
    content: { 'application/json': { schema: bodyOf(codes), examples: refer('examples', [...codes]) } },
  }
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: errorBody(exampleOf(code, status)) }]),
  )
  return { response, examples }
}

/** A response header as a component. */
export const header = (type: 'integer' | 'string', description: string, example: unknown) => ({
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
    'colour',
  ),
}
export const REPLAYED = {
  'Idempotency-Replayed': header(
    'string',
    '`true` if this is the answer to an earlier request with the same `Idempotency-Key`. Otherwise absent.',
    'true',
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
    'colour, limit',
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

/** Every response header in the document, with those that the service has beside those of the kernel. */
export const allHeaders = (own: Json) => ({
  ...ALWAYS,
  ...ASKED,
  ...TOTALS,
  ...CREATED,
  ...WRITTEN,
  ...own,
  ...REPLAYED,
  ...SEARCHED,
  ...CACHED,
  ...RETRY,
  ...CHALLENGE,
})

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
