import { readFileSync } from 'node:fs'
import { type ErrorCode, errors } from '../../errors.ts'
import { fromRoot } from '../../package.ts'
import { errorBody, exampleOf } from '../plugins/errors.ts'
import { capital } from './responses.ts'
import { samplesOf } from './samples.ts'

type Json = Record<string, unknown>
type Content = Record<string, { schema: { $ref?: string } } & Json>
type Answer = { description: string; content?: Content; headers?: Json }
type Operation = Json & {
  operationId: string
  tags: string[]
  requestBody?: { content: Content }
  responses: Record<string, Answer | { $ref: string }>
  'x-errors': ErrorCode[]
  'x-upload'?: string
}
/** The document as collected from the routes. */
export type Collected = Json & {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Json>
}

/** Example requests and responses, by component. A test replays them. */
const EXAMPLES: Record<string, unknown> = JSON.parse(readFileSync(fromRoot('schemas/examples.json'), 'utf8'))

const header = (type: 'integer' | 'string', description: string, example: unknown) => ({
  description,
  schema: { type },
  example,
})
const LIMITED = {
  'RateLimit-Limit': header(
    'integer',
    'Requests that one client may make per minute. Absent if there is no limit.',
    6000,
  ),
  'RateLimit-Remaining': header('integer', 'Requests left in this minute.', 5999),
  'RateLimit-Reset': header('integer', 'Seconds until the count starts again.', 60),
}
const SHARED = {
  'Access-Control-Allow-Origin': header(
    'string',
    'Origins that may read the response: any for GET; for writes, those that the operator has configured.',
    '*',
  ),
}
const TOTALS = {
  'X-TEC-Total': header('integer', 'Number of entries on all pages.', 31),
  'X-TEC-TotalPages': header('integer', 'Number of pages.', 3),
  'X-WP-Total': header('integer', 'Number of entries on all pages.', 31),
  'X-WP-TotalPages': header('integer', 'Number of pages.', 3),
  Link: header(
    'string',
    'Links to the next and previous page, if there are any, with `rel="next"` and `rel="prev"`.',
    '<https://calendar.example/calendar/events/v1/events/?per_page=12&page=2>; rel="next"',
  ),
}
const CREATED = {
  Location: header(
    'string',
    'URL of the new record.',
    'https://calendar.example/calendar/events/v1/events/7',
  ),
}
const WRITTEN = {
  'X-Ignored-Fields': header(
    'string',
    'Fields of the request that were ignored. Absent if there are none.',
    'venue_id',
  ),
  'X-Created-Terms': header(
    'string',
    'IDs and percent-encoded names of the categories and tags that the request created. Absent if there are none.',
    'categories[12]=Jazz, tags[13]=Open%20Air',
  ),
}
const ASKED = {
  'X-Ignored-Parameters': header(
    'string',
    'Unknown query parameters, which were ignored. Absent if there are none.',
    'category, limit',
  ),
}
const VALIDATED = {
  ETag: header(
    'string',
    'Identifies this version of the response. Send it back in `If-None-Match`, or in `If-Match` of a write.',
    '"mN5tq1Xv"',
  ),
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
const RETRY = { 'Retry-After': header('integer', 'Seconds to wait before the next attempt.', 12) }
const CHALLENGE = {
  'WWW-Authenticate': header('string', 'Authentication scheme to use.', 'Basic realm="Almanac"'),
}

/** Every response header in the document. */
export const HEADERS = {
  ...SHARED,
  ...ASKED,
  ...LIMITED,
  ...TOTALS,
  ...CREATED,
  ...WRITTEN,
  ...VALIDATED,
  ...RETRY,
  ...CHALLENGE,
}

const refer = (kind: string, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]))
const headersOf = (...sets: object[]) => refer('headers', sets.flatMap(Object.keys))

const WORDS: Record<number, [name: string, description: string]> = {
  400: ['BadRequest', 'The request or one of its parameters is invalid.'],
  401: ['Unauthorized', 'Credentials are missing or wrong.'],
  403: ['Forbidden', 'The caller is not allowed to do this.'],
  404: ['NotFound', 'There is no such record or page.'],
  503: ['Unavailable', 'The service is temporarily unable to do this.'],
}

/** Whether an operation reads records or lists. The index and this document have no ETag. */
const isValidated = (operationId: string) =>
  /^(list|get)/.test(operationId) && operationId !== 'getIndex' && operationId !== 'getDocument'
const NOT_MODIFIED = { $ref: '#/components/responses/NotModified' }
const UNCHANGED: Answer = {
  description: 'Not modified since the response that `If-None-Match` or `If-Modified-Since` refers to.',
  headers: headersOf(SHARED, LIMITED, VALIDATED),
}

/** Adds what the routes do not declare themselves to the document: errors, headers and examples, as components. */
export function completeOperations(document: Collected): Json {
  const responses: Json = { NotModified: UNCHANGED }
  const examples: Json = {}

  const illustrate = (content: Content = {}) => {
    for (const media of Object.values(content)) {
      const name = media.schema.$ref?.split('/').at(-1)
      if (name === undefined || EXAMPLES[name] === undefined) continue
      examples[name] = { value: EXAMPLES[name] }
      media.examples = refer('examples', [name])
    }
  }

  const refuse = (operationId: string, status: number, codes: ErrorCode[]) => {
    const name = nameOf(operationId, status, codes)
    for (const code of codes)
      examples[code] = { summary: errors[code][1], value: errorBody(exampleOf(code, status)) }
    responses[name] = {
      description: codes.length === 1 ? errors[codes[0]!][1] : WORDS[status]![1],
      headers: headersOf(
        SHARED,
        LIMITED,
        status === 429 || status === 503 ? RETRY : {},
        status === 401 ? CHALLENGE : {},
      ),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/ApiError' },
          examples: refer('examples', codes),
        },
      },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  const complete = ({ 'x-errors': codes, 'x-upload': upload, ...operation }: Operation) => {
    const samples = samplesOf(operation.operationId)
    if (samples) operation['x-codeSamples'] = samples
    if (upload)
      operation.requestBody = {
        required: true,
        content: { 'multipart/form-data': { schema: { $ref: `#/components/schemas/${upload}` } } },
      } as Operation['requestBody']
    else if (operation.requestBody) illustrate(operation.requestBody.content)
    for (const [status, answer] of Object.entries(operation.responses) as [string, Answer][]) {
      illustrate(answer.content)
      answer.headers = headersOf(
        SHARED,
        ASKED,
        LIMITED,
        operation.operationId.startsWith('list') ? TOTALS : {},
        status === '201' ? CREATED : {},
        isValidated(operation.operationId) ? VALIDATED : {},
        operation.requestBody && !upload ? WRITTEN : {},
      )
    }
    if (isValidated(operation.operationId)) operation.responses[304] = NOT_MODIFIED
    for (const [status, own] of byStatus(codes))
      operation.responses[status] = refuse(operation.operationId, status, own)
    return operation
  }

  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, complete(operation)])),
    ]),
  )
  const components = { ...document.components, responses, examples }
  return { ...document, paths, components }
}

/** Error codes by status. `rest_forbidden` is 401 for callers without credentials. */
function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>()
  const add = (status: number, code: ErrorCode) => groups.set(status, [...(groups.get(status) ?? []), code])
  for (const code of codes) {
    add(errors[code][0], code)
    if (code === 'rest_forbidden') add(401, code)
  }
  return [...groups].sort(([a], [b]) => a - b)
}

/** The name of a response component: its only error code, or the operation and status. */
function nameOf(operationId: string, status: number, codes: ErrorCode[]): string {
  if (codes.length === 1)
    return codes[0]!
      .replace(/^rest[-_]/, '')
      .split(/[-_]/)
      .map(capital)
      .join('')
  const [word] = WORDS[status]!
  return status === 401 ? word : capital(shared(operationId)) + word
}

/** The name that updates by PATCH, PUT and POST, by ID and by slug, have in common. */
const shared = (operationId: string) =>
  operationId.replace(/^replace/, 'update').replace(/(BySlug)?(ByPost)?$/, '')
