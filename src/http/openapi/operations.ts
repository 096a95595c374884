import { readFileSync } from 'node:fs'
import { type ErrorCode, errors } from '../../errors.ts'
import { fromRoot } from '../../package.ts'
import { errorBody, exampleOf } from '../plugins/errors.ts'
import { capital } from './responses.ts'

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
/** A document as the routes give it. */
export type Collected = Json & {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Json>
}

/** Requests and answers as the service takes and gives them, by component; a test replays them. */
const EXAMPLES: Record<string, unknown> = JSON.parse(readFileSync(fromRoot('schemas/examples.json'), 'utf8'))

const header = (type: 'integer' | 'string', description: string, example: unknown) => ({
  description,
  schema: { type },
  example,
})
const LIMITED = {
  'RateLimit-Limit': header(
    'integer',
    'Requests that one client may make a minute, where there is a limit.',
    6000,
  ),
  'RateLimit-Remaining': header('integer', 'Requests that are left of them.', 5999),
  'RateLimit-Reset': header('integer', 'Seconds until they are counted anew.', 60),
}
const SHARED = {
  'Access-Control-Allow-Origin': header(
    'string',
    'Pages that may read the answer: any for GET; for writes those that the operator names.',
    '*',
  ),
}
const TOTALS = {
  'X-TEC-Total': header('integer', 'Matches on all pages.', 31),
  'X-TEC-TotalPages': header('integer', 'Number of pages.', 3),
  'X-WP-Total': header('integer', 'Matches on all pages.', 31),
  'X-WP-TotalPages': header('integer', 'Number of pages.', 3),
  Link: header(
    'string',
    'The pages beside this one, with `rel="next"` and `rel="prev"`, where there are any.',
    '<https://calendar.example/calendar/events/v1/events/?per_page=12&page=2>; rel="next"',
  ),
}
const CREATED = {
  Location: header(
    'string',
    'Where the record is read.',
    'https://calendar.example/calendar/events/v1/events/7',
  ),
}
const WRITTEN = {
  'X-Ignored-Fields': header(
    'string',
    'Fields that were sent and not taken, where there are any.',
    'venue_id',
  ),
  'X-Created-Terms': header(
    'string',
    'Categories and tags that the write made: their IDs, and their names percent-encoded, where there are any.',
    'categories[12]=Jazz, tags[13]=Open%20Air',
  ),
}
const ASKED = {
  'X-Ignored-Parameters': header(
    'string',
    'Parameters of the address that nobody understands, where there are any.',
    'category, limit',
  ),
}
const VALIDATED = {
  ETag: header('string', 'Names this state of the answer; to be sent back in `If-None-Match`.', '"mN5tq1Xv"'),
  'Last-Modified': header(
    'string',
    'Time of the last change in UTC, where it is certain.',
    'Sat, 21 Nov 2026 09:00:00 GMT',
  ),
  'Cache-Control': header('string', 'For how many seconds the answer may be kept.', 'public, max-age=60'),
}
const RETRY = { 'Retry-After': header('integer', 'Seconds to wait.', 12) }
const CHALLENGE = { 'WWW-Authenticate': header('string', 'How to sign in.', 'Basic realm="Almanac"') }

/** Every header that answers are described with. */
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
  400: ['BadRequest', 'The request, or a parameter of it, can not be taken.'],
  401: ['Unauthorized', 'Credentials are missing or wrong.'],
  403: ['Forbidden', 'The caller may not do this.'],
  404: ['NotFound', 'There is no such record or page.'],
  503: ['Unavailable', 'The service can not do this at the moment.'],
}

/** Reads of records and lists; the index and this document come without ETag. */
const isValidated = (operationId: string) =>
  /^(list|get)/.test(operationId) && operationId !== 'getIndex' && operationId !== 'getDocument'
const NOT_MODIFIED = { $ref: '#/components/responses/NotModified' }
const UNCHANGED: Answer = {
  description: 'The client has this answer already: `If-None-Match` or `If-Modified-Since` said so.',
  headers: headersOf(SHARED, LIMITED, VALIDATED),
}

/** The document with what the routes do not say themselves: errors, headers and examples; each at its component. */
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
          schema: { $ref: '#/components/schemas/Error' },
          examples: refer('examples', codes),
        },
      },
    }
    return { $ref: `#/components/responses/${name}` }
  }

  const complete = ({ 'x-errors': codes, 'x-upload': upload, ...operation }: Operation) => {
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

/** Codes by the status that they come with; who has no credentials at all is told so with 401. */
function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const groups = new Map<number, ErrorCode[]>()
  const add = (status: number, code: ErrorCode) => groups.set(status, [...(groups.get(status) ?? []), code])
  for (const code of codes) {
    add(errors[code][0], code)
    if (code === 'rest_forbidden') add(401, code)
  }
  return [...groups].sort(([a], [b]) => a - b)
}

/** What the component of an answer is called: after its only code, else after operation and status. */
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

/** Updates by PATCH, PUT and POST are one, and so are those by ID and by slug. */
const shared = (operationId: string) =>
  operationId.replace(/^replace/, 'update').replace(/(BySlug)?(ByPost)?$/, '')
