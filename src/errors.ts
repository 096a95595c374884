/** Every error that clients see: code, status, and what it means. The README's table lists the same. */
export const errors = {
  rest_missing_callback_param: [400, 'A required parameter is missing.'],
  rest_invalid_param: [
    400,
    'A parameter has a value that can not be taken; `data.params` says which and why.',
  ],
  rest_invalid_json: [400, 'The body is not JSON.'],
  empty_content: [400, 'The title of an event has no text, only white space or tags.'],
  empty_term_name: [400, 'The name of a category or tag is blank.'],
  term_name_too_long: [400, 'The name of a category or tag has more than 200 characters.'],
  term_exists: [400, 'A category of this name stands beside it already, or a tag of this name exists.'],
  duplicate_term_slug: [400, 'Another category or tag has this slug.'],
  rest_taxonomy_not_hierarchical: [400, 'Tags have no parent.'],
  'could-not-create-venue': [400, 'The name of a venue, by itself or inside an event, has no text.'],
  'could-not-create-organizer': [400, 'The name of an organizer, by itself or inside an event, has no text.'],
  rest_bad_request: [400, 'The request is not well-formed HTTP, or its address can not be decoded.'],
  rest_forbidden: [403, 'The caller may not do this; 401 without credentials.'],
  incorrect_password: [401, 'The application password is wrong or revoked.'],
  invalid_username: [401, 'There is no such user, or the user is disabled.'],
  invalid_token: [401, 'The token is unknown, expired or revoked, or the Authorization header is malformed.'],
  'event-not-accessible': [403, 'The event is not published and the caller may not read it.'],
  'venue-not-accessible': [403, 'The venue is not published and the caller may not read it.'],
  'organizer-not-accessible': [403, 'The organizer is not published and the caller may not read it.'],
  'event-no-longer-available': [403, 'The event is in the trash.'],
  'event-password-protected': [403, 'The event needs its password in the parameter `password`.'],
  'rest-event-not-found': [404, 'There is no such event.'],
  'venue-not-found': [404, 'There is no such venue.'],
  'organizer-not-found': [404, 'There is no such organizer.'],
  'category-not-found': [404, 'There is no such category.'],
  'tag-not-found': [404, 'There is no such tag.'],
  'user-not-found': [404, 'There is no such user.'],
  'application-password-not-found': [404, 'The user has no such application password.'],
  'token-not-found': [404, 'There is no such token.'],
  'media-not-found': [404, 'There is no such media file.'],
  'event-archive-page-not-found': [404, 'The list of events has no such page.'],
  'venue-archive-page-not-found': [404, 'The list of venues has no such page.'],
  'organizer-archive-page-not-found': [404, 'The list of organizers has no such page.'],
  'category-archive-page-not-found': [404, 'The list of categories has no such page.'],
  'tag-archive-page-not-found': [404, 'The list of tags has no such page.'],
  'user-archive-page-not-found': [404, 'The list of users has no such page.'],
  'application-password-archive-page-not-found': [404, 'The list of application passwords has no such page.'],
  'token-archive-page-not-found': [404, 'The list of tokens has no such page.'],
  'media-archive-page-not-found': [404, 'The list of media has no such page.'],
  rest_no_route: [404, 'The address leads nowhere.'],
  rest_invalid_namespace: [404, 'The index was asked for another namespace.'],
  rest_method_not_allowed: [405, 'The address exists, but not with this method; `Allow` lists its methods.'],
  rest_request_timeout: [408, 'The request did not arrive in time.'],
  'event-is-in-trash': [410, 'The event is in the trash already; an update with a `status` restores it.'],
  'venue-is-in-trash': [410, 'The venue is in the trash already; an update with a `status` restores it.'],
  'organizer-is-in-trash': [
    410,
    'The organizer is in the trash already; an update with a `status` restores it.',
  ],
  rest_precondition_failed: [
    412,
    'The record was changed in the meantime; `ETag` names what it is now, for `If-Match`.',
  ],
  rest_payload_too_large: [413, 'The body is larger than allowed.'],
  rest_unsupported_media_type: [415, 'The body is of a type that is not understood here.'],
  rest_rate_limited: [429, 'Too many requests; `Retry-After` says when to come back.'],
  rest_headers_too_large: [431, 'The headers are larger than allowed.'],
  internal_server_error: [500, 'Something went wrong here; the request id leads to the log.'],
  rest_overloaded: [503, 'There is too much to do at the moment; `Retry-After` says when to come back.'],
  rest_not_ready: [
    503,
    'The service is stopping, can not read its database, or waits for its process that writes.',
  ],
  database_busy: [503, 'Something else is writing to the database; `Retry-After` says when to come back.'],
  database_read_only: [503, 'The database can not be written to; reads go on.'],
  insufficient_storage: [507, 'The disk is full; reads go on.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errors

/** The refusal of a request, as it will be told to the client. */
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

/** Seconds after which it is worth to try again. */
const RETRY_AFTER = 2

/** The 503 of a service that has too much to do. */
export const overloaded = () =>
  new ApiError('rest_overloaded', `Too much to do at the moment; come back in ${RETRY_AFTER} seconds.`, {
    retry_after: RETRY_AFTER,
  })

/** Parameter names with what was wrong and what would be right. */
export type Problems = Record<string, string>

/** The 400 that names every parameter in `problems` (R3); a single problem may have a code of its own. */
export function invalid(problems: Problems, code: ErrorCode = 'rest_invalid_param'): ApiError {
  const names = Object.keys(problems)
  const text = names.map((name) => `${name}: ${problems[name]}`).join(' ')
  return new ApiError(code, `Invalid parameter${names.length > 1 ? 's' : ''}. ${text}`, {
    params: problems,
    details: {},
  })
}

/** Throws `invalid` where there are problems. */
export function refuse(problems: Problems, code?: ErrorCode) {
  if (Object.keys(problems).length > 0) throw invalid(problems, code)
}

/** The 400 that lists required parameters which are not there. */
export function missing(names: string[]): ApiError {
  return new ApiError(
    'rest_missing_callback_param',
    `Missing parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}.`,
    { params: names },
  )
}

/** 401 to the anonymous, 403 to those signed in (D22). */
export function forbidden(signedIn: boolean, what: string): ApiError {
  return signedIn
    ? new ApiError('rest_forbidden', `Your role does not allow to ${what}.`)
    : new ApiError('rest_forbidden', `You need to sign in to ${what}.`, {}, 401)
}
