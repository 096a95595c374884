/** Every error that clients see: code, status and meaning. A test keeps docs/reference/errors.md the same. */
export const errors = {
  'sync-token-invalid': [400, 'The sync token was not made by this calendar, or was cut off.'],
  rest_missing_callback_param: [400, 'A required parameter is missing.'],
  rest_invalid_param: [400, 'A parameter is invalid; `data.params` says which and why.'],
  rest_invalid_json: [400, 'The body is not JSON, or not a JSON object.'],
  empty_content: [400, 'The title of an event has no text.'],
  empty_term_name: [400, 'The name of a category or tag is blank.'],
  term_name_too_long: [400, 'The name of a category or tag has more than 200 characters.'],
  term_exists: [400, 'A category with this name and parent exists already, or a tag with this name.'],
  duplicate_term_slug: [400, 'Another category or tag has this slug.'],
  'too-many-webhooks': [400, 'There are as many webhooks as are possible.'],
  rest_taxonomy_not_hierarchical: [400, 'Tags have no parent.'],
  'could-not-create-venue': [400, 'The name of a venue has no text, also inside an event.'],
  'could-not-create-organizer': [400, 'The name of an organizer has no text, also inside an event.'],
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
  second_factor_required: [
    401,
    'The password is right, and the user has a second factor: send `data.ticket` with a code to `/session/factor`. `data.ways` says which codes there are.',
  ],
  incorrect_code: [401, 'The code is wrong, was used before, or is not of now.'],
  sign_in_ended: [401, 'This step of signing in is unknown, was finished, or has ended. Begin anew.'],
  incorrect_passkey: [401, 'The passkey is unknown, was removed, or did not sign what it was asked to.'],
  passkey_origin: [401, 'The passkey was used on a page of another site; `data.origin` is the right one.'],
  passkey_unverified: [401, 'The passkey was used without a fingerprint, a face or a PIN.'],
  local_sign_in_off: [
    403,
    'People sign in with the provider alone; `GET /session/openid` leads a browser there.',
  ],
  openid_not_begun: [
    400,
    'The browser did not begin to sign in with the provider, or did so more than ten minutes ago, or is done already; or who was to be linked has been signed out since.',
  ],
  openid_refused: [
    403,
    'The provider signed nobody in; `data.openid_error` is its reason, such as `access_denied`.',
  ],
  openid_no_account: [
    403,
    'The provider vouches for somebody who may not sign in here; `data.reason` says why: `unknown`, `disabled`, `no_role`, `taken` or `last_administrator`.',
  ],
  calendar_is_mirror: [
    403,
    'This calendar is a mirror of another one and changes only with it; `data.source` is the address of that.',
  ],
  submission_proof_required: [
    403,
    'Without credentials a submission needs a `challenge` that was not used before, and the `nonce` that solves it.',
  ],
  'event-not-accessible': [403, 'The event is not published, and the caller may not read it.'],
  'series-not-accessible': [403, 'The series is not published, and the caller may not read it.'],
  'venue-not-accessible': [403, 'The venue is not published, and the caller may not read it.'],
  'organizer-not-accessible': [403, 'The organizer is not published, and the caller may not read it.'],
  'event-no-longer-available': [403, 'The event is in the trash.'],
  'event-password-protected': [403, 'The event is protected; send its password in the parameter `password`.'],
  'rest-event-not-found': [404, 'There is no such event.'],
  'series-not-found': [404, 'There is no such series.'],
  'venue-not-found': [404, 'There is no such venue.'],
  'organizer-not-found': [404, 'There is no such organizer.'],
  'category-not-found': [404, 'There is no such category.'],
  'tag-not-found': [404, 'There is no such tag.'],
  'user-not-found': [404, 'There is no such user.'],
  'application-password-not-found': [404, 'The user has no such application password.'],
  'second-factor-not-found': [404, 'The user has no second factor.'],
  'passkey-not-found': [404, 'The user has no such passkey.'],
  'provider-link-not-found': [404, 'The user has no such link with a provider.'],
  'session-not-found': [404, 'The user has no such session, or it has ended.'],
  'token-not-found': [404, 'There is no such token.'],
  'webhook-not-found': [404, 'There is no such webhook.'],
  'webhook-delivery-not-found': [404, 'The webhook has no such delivery.'],
  'revision-not-found': [
    404,
    'The event or series has no such change, or it is older than changes are kept.',
  ],
  'submission-not-found': [404, 'There is no such submission.'],
  'import-not-found': [404, 'There is no such import.'],
  'media-not-found': [404, 'There is no such media file.'],
  'event-archive-page-not-found': [404, 'The list of events has no such page.'],
  'series-archive-page-not-found': [404, 'The list of series has no such page.'],
  'venue-archive-page-not-found': [404, 'The list of venues has no such page.'],
  'organizer-archive-page-not-found': [404, 'The list of organizers has no such page.'],
  'category-archive-page-not-found': [404, 'The list of categories has no such page.'],
  'tag-archive-page-not-found': [404, 'The list of tags has no such page.'],
  'user-archive-page-not-found': [404, 'The list of users has no such page.'],
  'application-password-archive-page-not-found': [404, 'The list of application passwords has no such page.'],
  'passkey-archive-page-not-found': [404, 'The list of passkeys has no such page.'],
  'provider-link-archive-page-not-found': [404, 'The list of links with providers has no such page.'],
  'session-archive-page-not-found': [404, 'The list of sessions has no such page.'],
  'token-archive-page-not-found': [404, 'The list of tokens has no such page.'],
  'invitation-not-found': [404, 'The link of an invitation was used, has ended, or was never made.'],
  'password-reset-not-found': [404, 'The link for a new password was used, has ended, or was never made.'],
  'webhook-archive-page-not-found': [404, 'The list of webhooks has no such page.'],
  'delivery-archive-page-not-found': [404, 'The list of deliveries has no such page.'],
  'media-archive-page-not-found': [404, 'The list of media has no such page.'],
  'revision-archive-page-not-found': [404, 'The history of the record has no such page.'],
  'import-archive-page-not-found': [404, 'The list of imports has no such page.'],
  'submission-archive-page-not-found': [404, 'The list of submissions has no such page.'],
  'audit-archive-page-not-found': [404, 'The audit log has no such page.'],
  rest_no_route: [404, 'There is no route for this URL.'],
  rest_invalid_namespace: [404, 'The index was requested with another namespace.'],
  rest_method_not_allowed: [405, 'The route does not support this method; `Allow` lists those it supports.'],
  rest_request_timeout: [408, 'The request took too long to arrive.'],
  external_id_taken: [
    409,
    'Another record of this kind has this `source` and `external_id`, perhaps one in the trash.',
  ],
  user_disabled: [409, 'The user is disabled, so the link of an invitation would not work.'],
  submission_decided: [409, 'The submission is decided already, or was withdrawn.'],
  submission_changed: [409, 'The event of the submission was changed since it was looked at.'],
  submission_forgotten: [409, 'Who proposed the event is not known any more, so nobody can be asked.'],
  idempotency_key_reused: [
    409,
    'Another request was sent with this `Idempotency-Key` within a day. Choose a key for each request, and send the same one only to repeat it.',
  ],
  idempotency_key_in_use: [
    409,
    'A request with this `Idempotency-Key` was applied, and its answer is not kept, or not yet; `Retry-After` says when to try again.',
  ],
  source_refused: [
    409,
    'The calendar that this one is a mirror of refused the write, so nothing was written. `data.source_status`, `data.source_code` and `data.source_message` are its answer.',
  ],
  'event-is-in-trash': [410, 'The event is in the trash already; an update with a `status` restores it.'],
  'series-is-in-trash': [410, 'The series is in the trash already; an update with a `status` restores it.'],
  'venue-is-in-trash': [410, 'The venue is in the trash already; an update with a `status` restores it.'],
  'organizer-is-in-trash': [
    410,
    'The organizer is in the trash already; an update with a `status` restores it.',
  ],
  'sync-token-expired': [
    410,
    'What changed since the sync token was made is no longer known; begin anew without `sync_token`.',
  ],
  rest_precondition_failed: [
    412,
    'The record has changed since; the header `ETag` identifies its current version.',
  ],
  rest_payload_too_large: [413, 'The body is larger than allowed.'],
  rest_unsupported_media_type: [415, 'The media type of the body is not supported.'],
  batch_not_applied: [
    424,
    'An operation of an atomic batch was refused, so none was made. `data.operation` is its number, `data.results` has all responses.',
  ],
  batch_operation_not_made: [424, 'This operation of a batch was not made, because another one was refused.'],
  rest_rate_limited: [429, 'Too many requests; `Retry-After` says when to try again.'],
  rest_headers_too_large: [431, 'The headers are larger than allowed.'],
  internal_server_error: [500, 'An unexpected error; the request ID identifies it in the log.'],
  source_failed: [
    502,
    'The calendar that this one is a mirror of can not be reached, answers nonsense, or does not accept the credentials of the mirror. Nothing was written, unless `data.written` is true: then it was written there, and comes here later.',
  ],
  openid_failed: [
    502,
    'The provider with which people sign in can not be reached, or what it says can not be trusted; `data.openid_error` is a code that says more.',
  ],
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
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errors

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
