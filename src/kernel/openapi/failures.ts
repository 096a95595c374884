import { type ErrorCode, errors } from '../errors.ts'
import { errorBody, exampleOf } from '../server/errors.ts'
import { ALWAYS, CHALLENGE, headersOf, RETRY, refer, TAGGED } from './headers.ts'
import { capital } from './responses.ts'

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

/** What errors have in common that many operations return. Other errors name the response alone. */
const COMMON: [name: string, codes: ErrorCode[]][] = [
  ['InvalidBody', ['rest_invalid_param', 'rest_invalid_json', 'rest_bad_request']],
  [
    'IncompleteBody',
    ['rest_invalid_param', 'rest_invalid_json', 'rest_missing_callback_param', 'rest_bad_request'],
  ],
  ['Unauthorized', ['incorrect_password', 'invalid_username', 'invalid_token', 'rest_forbidden']],
  ['InvalidCredentials', ['incorrect_password', 'invalid_username', 'invalid_token']],
  ['Forbidden', ['rest_forbidden']],
  ['NotWritable', ['rest_forbidden', 'calendar_is_mirror']],
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
/** Short names for errors of one kind of record that occur together. */
const TOGETHER: [name: string, codes: ErrorCode[]][] = [
  ['InvalidEvent', ['empty_content', 'could-not-create-venue', 'could-not-create-organizer']],
  ['InvalidNewCategory', ['empty_term_name', 'term_name_too_long', 'term_exists']],
  ['InvalidCategory', ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug']],
  [
    'InvalidNewTag',
    ['empty_term_name', 'term_name_too_long', 'term_exists', 'rest_taxonomy_not_hierarchical'],
  ],
  [
    'InvalidTag',
    ['empty_term_name', 'term_name_too_long', 'duplicate_term_slug', 'rest_taxonomy_not_hierarchical'],
  ],
  ['IdempotencyKeyTaken', ['idempotency_key_reused', 'idempotency_key_in_use']],
  ['Taken', ['external_id_taken', 'idempotency_key_reused', 'idempotency_key_in_use']],
  ['EventNotReadable', ['event-not-accessible', 'event-no-longer-available', 'event-password-protected']],
]
/** Common errors that do not add to the name of a response. */
const UNNAMED: ErrorCode[] = ['rest_forbidden', 'rest_no_route']

const pascal = (code: ErrorCode) =>
  code
    .replace(/^rest[-_]/, '')
    .split(/[-_]/)
    .map(capital)
    .join('')

const wordsOf = (names: typeof COMMON, codes: ErrorCode[]): string[] => {
  const [known] =
    names.find(([, some]) => some.length === codes.length && some.every((code) => codes.includes(code))) ?? []
  return known ? [known] : codes.map(pascal)
}

/** The name of a response by its error codes: the same errors have the same name, wherever they occur. */
export function nameOf(codes: readonly ErrorCode[]): string {
  const shared = new Set(COMMON.flatMap(([, some]) => some))
  const common = codes.filter((code) => shared.has(code))
  const own = codes.filter((code) => !shared.has(code))
  const isNamed = own.length === 0 || !common.every((code) => UNNAMED.includes(code))
  return [...(isNamed ? wordsOf(COMMON, common) : []), ...wordsOf(TOGETHER, own)].join('Or')
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
export function failure(status: number, codes: readonly ErrorCode[]): { response: Json; examples: Json } {
  const response = {
    description: codes.length === 1 ? errors[codes[0]!][1] : WORDS[status],
    headers: headersOf(
      ALWAYS,
      status === 412 || codes.includes('event-no-longer-available') ? TAGGED : {},
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
