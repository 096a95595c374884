export type ErrorTable = Record<string, readonly [status: number, meaning: string]>

/** The errors of the kernel: code, status and meaning. The calendar and each feature declare their own. A test keeps docs/reference/errors.md the same. */
export const KERNEL_ERRORS = {
  rest_missing_callback_param: [400, 'A required parameter is missing.'],
  rest_invalid_param: [400, 'A parameter is invalid; `data.params` says which and why.'],
  rest_invalid_json: [400, 'The body is not JSON, or not a JSON object.'],
  rest_bad_request: [
    400,
    'The request is not well-formed HTTP, its URL can not be decoded, or it has too many parameters.',
  ],
  rest_forbidden: [403, 'The caller is not allowed to do this. Without credentials the status is 401.'],
  incorrect_password: [401, 'The login or the application password is wrong, or the password was revoked.'],
  invalid_username: [401, 'The password is right, but the user is disabled.'],
  invalid_token: [401, 'The token is unknown, expired or revoked, or the Authorization header is malformed.'],
  insufficient_user_authentication: [
    401,
    'The password must be proven again: sign in anew, or send it by HTTP Basic. `data.max_age` says for how many seconds a sign-in counts.',
  ],
  'user-not-found': [404, 'There is no such user.'],
  'application-password-not-found': [404, 'The user has no such application password.'],
  'session-not-found': [404, 'The user has no such session, or it has ended.'],
  'token-not-found': [404, 'There is no such token.'],
  rest_no_route: [404, 'There is no route for this URL.'],
  rest_invalid_namespace: [404, 'The index was requested with another namespace.'],
  rest_method_not_allowed: [405, 'The route does not support this method; `Allow` lists those it supports.'],
  rest_request_timeout: [408, 'The request took too long to arrive.'],
  idempotency_key_reused: [
    409,
    'Another request was sent with this `Idempotency-Key` within a day. Choose a key for each request, and send the same one only to repeat it.',
  ],
  idempotency_key_in_use: [
    409,
    'A request with this `Idempotency-Key` was applied, and its answer is not kept, or not yet; `Retry-After` says when to try again.',
  ],
  rest_precondition_failed: [
    412,
    'The record has changed since; the header `ETag` identifies its current version.',
  ],
  rest_payload_too_large: [413, 'The body is larger than allowed.'],
  rest_unsupported_media_type: [415, 'The media type of the body is not supported.'],
  rest_rate_limited: [429, 'Too many requests; `Retry-After` says when to try again.'],
  rest_headers_too_large: [431, 'The headers are larger than allowed.'],
  internal_server_error: [500, 'An unexpected error; the request ID identifies it in the log.'],
  rest_overloaded: [503, 'The service is overloaded; `Retry-After` says when to try again.'],
  rest_not_ready: [
    503,
    'The service is stopping, can not read its database, waits for its writer process, or is a mirror that has not taken over its source yet.',
  ],
  'sync-token-ahead': [
    503,
    'The sync token is of a write that this node does not have yet. Keep the token and what was copied, and try again after `Retry-After`.',
  ],
  database_busy: [503, 'Another process is writing to the database; `Retry-After` says when to try again.'],
  database_unavailable: [
    503,
    'PostgreSQL, which keeps the truth, does not answer or refuses writes, and nothing was written; or this node lacks what others wrote. `Retry-After` says when to try again.',
  ],
  outcome_unknown: [
    503,
    'PostgreSQL, or the calendar that this one is a mirror of, stopped answering while it stored this: it was applied completely or not at all. Check before you send it again.',
  ],
  database_read_only: [503, 'The database is read-only; reads still work.'],
  insufficient_storage: [507, 'The disk is full; reads still work.'],
} as const satisfies ErrorTable

/** The errors that the calendar and features declare, by their codes; who declares some adds them here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where errors are declared
export interface DeclaredErrors {}

export type ErrorCode = keyof typeof KERNEL_ERRORS | keyof DeclaredErrors

/**
 * Every error that was declared, by which `ApiError` finds its status: a code means the same in all applications of a process. Those that an
 * application has are in the parts that it is made of.
 */
export const errors = { ...KERNEL_ERRORS } as Record<ErrorCode, readonly [status: number, meaning: string]>

/** Declares the errors of the calendar or of a feature, so that they can be thrown. Returns them. */
export function declareErrors<Table extends ErrorTable>(table: Table): Table {
  Object.assign(errors, table)
  return table
}

/** An error with the code, status and message that the client gets. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly data: Record<string, unknown>

  constructor(
    code: ErrorCode,
    message: string,
    data: Record<string, unknown> = {},
    status: number = errors[code][0],
  ) {
    super(message)
    this.code = code
    this.status = status
    this.data = data
  }
}

/** Seconds to wait before trying again. */
const RETRY_AFTER = 2

/** The 503 of an overloaded service. */
export const overloaded = () =>
  new ApiError('rest_overloaded', `The service is overloaded; try again in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/** The 503 of a node that lacks the write of which a sync token is. */
export const tokenAhead = () =>
  new ApiError(
    'sync-token-ahead',
    `This node does not have the write yet of which the sync token is. The token is right: keep it and what was copied, and send it again in ${RETRY_AFTER} seconds.`,
    { retry_after: RETRY_AFTER },
  )

/** Messages by parameter name: what is wrong, and what would be accepted. */
export type Problems = Record<string, string>

/** The 400 that names every parameter in `problems` (R3); a single problem may have its own code. */
export function invalid(problems: Problems, code: ErrorCode = 'rest_invalid_param'): ApiError {
  const names = Object.keys(problems)
  const text = names.map((name) => `${name}: ${problems[name]}`).join(' ')
  return new ApiError(code, `Invalid parameter${names.length > 1 ? 's' : ''}. ${text}`, {
    params: problems,
    details: {},
  })
}

/** Throws `invalid` if there are problems. */
export function refuse(problems: Problems, code?: ErrorCode) {
  if (Object.keys(problems).length > 0) throw invalid(problems, code)
}

/** The 400 that lists missing required parameters, and says `more`. */
export function missing(names: string[], more = ''): ApiError {
  return new ApiError(
    'rest_missing_callback_param',
    `Missing parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}. ${more}`.trimEnd(),
    { params: names },
  )
}

/** 401 for callers without credentials, 403 for others (D22). */
export function forbidden(signedIn: boolean, what: string): ApiError {
  return signedIn
    ? new ApiError('rest_forbidden', `Your role does not allow you to ${what}.`)
    : new ApiError('rest_forbidden', `You need to sign in to ${what}.`, {}, 401)
}
