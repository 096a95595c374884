import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError, type ErrorCode, errors } from '../errors.ts'
import { HTML, JSON_ANSWER } from '../output/header-values.ts'
import { isFull, STOPPED } from './connections.ts'
import type { Warnings } from './log.ts'
import { mountOf } from './mounts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The page to which a browser is led by an error of the route, which is for people and programs. */
    leads?: (error: ApiError) => string
  }
}

const WANTS_HTML = /\btext\/html\b/

/** Codes and messages for errors of Fastify and its plugins. */
const FOREIGN: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'rest_unsupported_media_type',
    'Send application/json, application/x-www-form-urlencoded or multipart/form-data.',
  ],
  FST_ERR_CTP_BODY_TOO_LARGE: [
    'rest_payload_too_large',
    'The body is too large. The limit is 1 MiB, and 10 MiB for files.',
  ],
  FST_REQ_FILE_TOO_LARGE: ['rest_payload_too_large', 'The file is larger than 10 MiB.'],
  FST_PARTS_LIMIT: ['rest_payload_too_large', 'The form has too many parts. The limit is 200.'],
  FST_FIELDS_LIMIT: ['rest_payload_too_large', 'The form has too many fields. The limit is 200.'],
  FST_FILES_LIMIT: ['rest_payload_too_large', 'The form has too many files. The limit is 1.'],
  FST_INVALID_JSON_FIELD_ERROR: [
    'rest_invalid_json',
    'A part of the form is declared as JSON, but is not JSON.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'rest_bad_request',
    'The length of the body does not match Content-Length.',
  ],
  FST_ERR_BAD_URL: ['rest_bad_request', 'The URL can not be decoded; percent-encode it.'],
  FST_ERR_MAX_PARAM_LENGTH: ['rest_no_route', 'There is no route for this URL.'],
}

/** Temporary failures of the database, by the beginning of the SQLite code, and of the disk with the images. */
const STORAGE: [string, ErrorCode, string, object?][] = [
  ['SQLITE_FULL', 'insufficient_storage', 'The disk is full. Nothing can be written at the moment.'],
  ['ENOSPC', 'insufficient_storage', 'The disk is full. Nothing can be written at the moment.'],
  [
    'SQLITE_READONLY',
    'database_read_only',
    'The database is read-only. Nothing can be written at the moment.',
  ],
  [
    'SQLITE_BUSY',
    'database_busy',
    'Another process is writing to the database; try again in a second.',
    { retry_after: 1 },
  ],
]

/** The system codes of an error, such as SQLITE_BUSY. Drizzle wraps the errors of SQLite. */
const codesOf = (error: Error): string[] =>
  [error, error.cause].flatMap((one) => (one as { code?: string } | undefined)?.code ?? [])

function ofStorage(error: Error): ApiError | undefined {
  const codes = codesOf(error)
  const known = STORAGE.find(([beginning]) => codes.some((code) => code.startsWith(beginning)))
  return known && new ApiError(known[1], known[2], { ...known[3] })
}

/** The error for the client of the request with an ID. It contains no details of unexpected errors. */
export function toApiError(error: FastifyError | ApiError, id: string): ApiError {
  if (error instanceof ApiError) return error
  const known = FOREIGN[error.code]
  if (known) return new ApiError(known[0], known[1])
  if (error.statusCode === 403) return noRoute() // a file outside the served folder
  if (error.statusCode && error.statusCode >= 400 && error.statusCode < 500)
    return new ApiError('rest_bad_request', 'The request is malformed.', {}, error.statusCode)
  const storage = ofStorage(error)
  if (storage) return storage
  return new ApiError('internal_server_error', `An unexpected error occurred. Request ID: ${id}.`, {
    request_id: id,
  })
}

/** The body of an error (R3). */
export const errorBody = ({ code, message, status, data }: ApiError) => ({
  code,
  message,
  data: { status, ...data },
})

/** An error as an example of its code, with the members of `data` that come with it. */
export const exampleOf = (code: ErrorCode, status: number): ApiError =>
  new ApiError(code, errors[code][1], EXAMPLE_DATA[code], status)

const EXAMPLE_DATA: Partial<Record<ErrorCode, Record<string, unknown>>> = {
  rest_invalid_param: {
    params: { per_page: 'must be a whole number, 1 or more.' },
    details: {},
  },
  rest_missing_callback_param: { params: ['title'] },
  term_exists: { term_id: 12 },
  insufficient_user_authentication: { max_age: 600 },
  rest_rate_limited: { retry_after: 12 },
  rest_overloaded: { retry_after: 1 },
  rest_not_ready: { retry_after: 1 },
  'sync-token-ahead': { retry_after: 2 },
  database_busy: { retry_after: 1 },
  database_unavailable: { retry_after: 2 },
  outcome_unknown: { retry_after: 5 },
  internal_server_error: { request_id: 'req-1f' },
}

/** Makes the page of an error that people see at a URL. */
export type ErrorPages = { errorAt(url: string, error: ApiError, isEmbedded: boolean): string }

/**
 * Returns what logs the error of a request and gives it as the client is told: unexpected errors are logged with their stack; expected ones,
 * such as a full disk or overload, as rate-limited warnings.
 */
export const openErrorLog =
  ({ warn }: Warnings) =>
  (error: FastifyError | ApiError, { id, log }: Pick<FastifyRequest, 'id' | 'log'>): ApiError => {
    const told = toApiError(error, id)
    const { code, status, message } = told
    if (status === 500) log.error({ err: error }, 'request failed')
    else if (status > 500) {
      const cause = codesOf(error).find((one) => one !== code)
      warn(code, log, { code, status, cause }, message)
    }
    return told
  }

/** Sends an error, also one that occurred before routing, and logs it. */
export function openErrors(warnings: Warnings, pages?: ErrorPages) {
  const logged = openErrorLog(warnings)
  return (error: FastifyError | ApiError, request: FastifyRequest, reply: FastifyReply) => {
    const told = logged(error, request)
    const { status } = told
    if (status === 401) addChallenge(reply, told)
    if (told.data.retry_after !== undefined) reply.header('retry-after', String(told.data.retry_after))
    const { leads } = request.routeOptions.config
    if (leads && WANTS_HTML.test(request.headers.accept ?? ''))
      return reply.header('cache-control', 'no-store').redirect(leads(told), 303)
    reply.code(status)
    // caches keep a 404 that says nothing of it, also of a picture that comes a little later (RFC 9111 §4.2.2)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
    if (pages && isLost(request)) reply.header('vary', 'Accept')
    if (!pages || !isPage(request)) return reply.type(JSON_ANSWER).send(JSON.stringify(errorBody(told)))
    const isEmbedded = request.routeOptions.config.page === 'embed'
    // a URL that can not be decoded comes past no hook
    reply.headers(request.server.policies[isEmbedded ? 'embed' : 'calendar'])
    return reply.type(HTML).send(pages.errorAt(request.originalUrl, told, isEmbedded))
  }
}

/** Sends an error as the response to a request. */
export type SendError = ReturnType<typeof openErrors>

/** Whether the answer is a page for people: of a route that says so, or, where there is no route outside the API, for a browser. */
export function isPage(request: FastifyRequest): boolean {
  const { page } = request.routeOptions.config
  if (page !== undefined) return page !== 'doc'
  return isLost(request) && WANTS_HTML.test(request.headers.accept ?? '')
}
const isLost = (request: FastifyRequest) =>
  request.is404 && mountOf(request) === undefined && !request.server.besideRoutes(request)

/** Sends every error in the format of the API. */
export const errorAnswers = fp<{ send: SendError }>(
  async (app, { send }) => {
    app.setErrorHandler(send)
  },
  { name: 'errors' },
)

/** The 404 for an unknown URL. */
export const noRoute = () =>
  new ApiError(
    'rest_no_route',
    'There is no route for this URL. The index at the namespace root lists all routes.',
  )

/**
 * Responds to malformed HTTP, for which there is no request, in the format of the API, and closes the connection. One that sent too
 * many requests is not read any more, and gets the responses that it waits for.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  if (error.code === STOPPED && isFull(socket)) return void socket.pause()
  if (error.code === 'ECONNRESET' || !socket.writable || isFull(socket)) return void socket.destroy()
  const [code, message, reason] = BROKEN[error.code!] ?? BROKEN.HPE_INVALID!
  const told = new ApiError(code, message)
  const body = JSON.stringify(errorBody(told))
  socket.end(
    `HTTP/1.1 ${told.status} ${reason}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const BROKEN: Record<string, [ErrorCode, string, string]> = {
  HPE_INVALID: ['rest_bad_request', 'The request is not well-formed HTTP.', 'Bad Request'],
  HPE_HEADER_OVERFLOW: [
    'rest_headers_too_large',
    'The headers are too large. The limit is 16 KiB.',
    'Request Header Fields Too Large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'rest_request_timeout',
    'The request took too long to arrive.',
    'Request Timeout',
  ],
}

/** What pages with a form send to sign in. */
const FORMS = ['/session/cookie', '/session/factor', '/session/passkey']

/** Adds the authentication schemes to a 401, with what a proof that is too old lacks (RFC 9470 §3). Where a page has a form to sign in, a browser must not ask by a window of its own. */
function addChallenge(reply: FastifyReply, { code, data }: ApiError) {
  const { headers, routeOptions } = reply.request
  const hasForm = /^session /i.test(headers.authorization ?? '') || FORMS.includes(routeOptions.url!)
  const schemes = `${hasForm ? '' : 'Basic realm="Almanac", charset="UTF-8", '}Bearer realm="Almanac"`
  const lack =
    code === 'insufficient_user_authentication' ? `, error="${code}", max_age="${data.max_age}"` : ''
  reply.header('www-authenticate', schemes + lack)
}
