import { readFileSync } from 'node:fs'
import { fromRoot } from '../../package.ts'
import { type ErrorCode, errors } from '../errors.ts'
import { EVENT_STREAM } from '../output/event-stream.ts'
import { type Complete, errorCodes, type Json } from './components.ts'
import {
  ALWAYS,
  ASKED,
  byStatus,
  CACHED,
  CREATED,
  DIFFERING,
  failure,
  headersOf,
  LINKED,
  nameOf,
  type OperationKind,
  REPLAYED,
  REQUEST_HEADERS,
  refer,
  requestHeaders,
  SEARCHED,
  TAGGED,
  TERMS,
  TOTALS,
  type Upload,
  WRITTEN,
} from './responses.ts'
import { samplesOf } from './samples.ts'

type Media = { schema: { $ref?: string } } & Json
type Answer = { description: string; content?: Record<string, Media>; headers?: Json }
export type Operation = Json & {
  operationId: string
  tags: string[]
  parameters?: Json[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, Answer | { $ref: string }>
  'x-errors': ErrorCode[]
  'x-kind': OperationKind
}
/** The document as collected from the routes. */
export type Collected = Json & {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Json>
}

/** Example requests and responses, by component. A test replays them. */
export const EXAMPLES: Record<string, unknown> = JSON.parse(
  readFileSync(fromRoot('schemas/examples.json'), 'utf8'),
)

/** The media types of bodies, except uploads. */
const BODIES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']

/** The body of an upload: a form with a file, or the bytes of the file. */
export const uploadOf = ({ component, types }: Upload) => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: { $ref: `#/components/schemas/${component}` },
      encoding: { file: { contentType: types.join(', ') } },
    },
    ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
  },
})

/** Operations whose body may be left out, as clients did before they had one. */
const BODY_IS_OPTIONAL = ['createCookieSession']

/** What is no part of the calendar, and so is written also where that is a mirror. */
const OF_SERVICE = ['Session', 'Users', 'Webhooks', 'Settings']
const isRead = (kind: OperationKind) => kind === 'list' || kind === 'read'

/** The addresses of records that link to a calendar. */
const WITH_CALENDAR = /^\/(events|categories|tags|venues|organizers|series)\/\{id\}$/

/** The addresses of records that share facts with their translations. */
const WITH_FACTS =
  /^\/(events|series|venues|organizers)(\/(\{id\}|by-slug\/\{slug\}|by-external\/\{source\}\/\{external_id\}))?$/

const NOT_MODIFIED = {
  description: 'Not modified since the response that `If-None-Match` or `If-Modified-Since` refers to.',
  headers: headersOf(ALWAYS, CACHED),
}

/** Adds what the routes do not declare themselves to the document: errors, headers and examples, as components. */
export function completeOperations(document: Collected): Complete {
  const responses: Json = { NotModified: NOT_MODIFIED }
  const examples: Json = {}

  const illustrate = ({ 'application/json': media }: Record<string, Media>) => {
    if (media === undefined) return
    const name = media.schema.$ref!.split('/').at(-1)!
    examples[name] = { value: EXAMPLES[name] }
    media.examples = refer('examples', [name])
  }

  const refuse = (status: number, codes: ErrorCode[]) => {
    const name = nameOf(codes)
    const { response, examples: more } = failure(status, codes)
    Object.assign(examples, more)
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }

  const complete = (path: string, operation: Operation): Json => {
    const { 'x-errors': declared, 'x-kind': kind, 'x-upload': upload, ...rest } = operation
    const { tags } = rest
    const samples = samplesOf(rest.operationId)
    if (samples) rest['x-codeSamples'] = samples
    // what is for administrators is not cached, and the index and this document depend on nothing that is stored
    const isRecord = !['Users', 'Webhooks', 'Settings', 'Submissions', 'Index'].some((tag) =>
      tags.includes(tag),
    )
    const isCached = (isRecord && (kind === 'list' || kind === 'read')) || path === '/doc'
    const isWritten = isRecord && (kind === 'create' || kind === 'update')
    const isMirrored = !isRead(kind) && !OF_SERVICE.some((tag) => tags.includes(tag))
    const isStreamed = Object.values(rest.responses).some(
      (answer) => EVENT_STREAM in (answer as Required<Answer>).content,
    )
    // changes take words as they are
    const isSearched =
      !['/changes', '/suggest'].includes(path) &&
      (rest.parameters as { name?: string }[] | undefined)?.some(({ name }) => name === 'q')
    const isRepeatable = declared.includes('idempotency_key_reused')
    const mayDiffer = WITH_FACTS.test(path) && (kind === 'read' || isWritten)
    const makesTerms = isWritten && path.startsWith('/events')
    if (upload) rest.requestBody = uploadOf(upload as Upload)
    else if (rest.requestBody) {
      illustrate(rest.requestBody.content)
      if (BODY_IS_OPTIONAL.includes(String(rest.operationId))) rest.requestBody.required = false
      const { 'application/json': json } = rest.requestBody.content
      rest.requestBody.content = Object.fromEntries(
        BODIES.map((type) => [type, type === 'application/json' ? json! : { schema: json!.schema }]),
      )
    }
    for (const [status, answer] of Object.entries(rest.responses) as [string, Answer][]) {
      illustrate(answer.content!)
      answer.headers = headersOf(
        ALWAYS,
        ASKED,
        kind === 'list' ? TOTALS : kind === 'read' && WITH_CALENDAR.test(path) ? LINKED : {},
        status === '201' ? CREATED : {},
        isCached ? CACHED : isWritten || tags.includes('Settings') ? TAGGED : {},
        rest.requestBody && !upload ? WRITTEN : {},
        makesTerms ? TERMS : {},
        mayDiffer ? DIFFERING : {},
        isSearched ? SEARCHED : {},
        isRepeatable ? REPLAYED : {},
      )
    }
    if (isCached) rest.responses[304] = { $ref: '#/components/responses/NotModified' }
    // an ID that is not digits, or a slug of more than 2,000 characters
    const codes: ErrorCode[] = [
      ...declared,
      ...(isMirrored && 'calendar_is_mirror' in errors ? (['calendar_is_mirror'] as const) : []),
      ...(/\{(\w*id|slug)\}/.test(path) ? (['rest_no_route'] as const) : []),
    ]
    for (const [status, own] of byStatus(codes)) rest.responses[status] = refuse(status, own)
    const asked = [
      ...(isCached ? requestHeaders('IfNoneMatch', 'IfModifiedSince') : []),
      ...(codes.includes('rest_precondition_failed') ? requestHeaders('IfMatch') : []),
      ...(isRepeatable ? requestHeaders('IdempotencyKey') : []),
      ...(rest.operationId.startsWith('upsert') ? requestHeaders('OnlyNew') : []),
      ...(upload ? requestHeaders('ContentDisposition') : []),
      ...(isStreamed && isRead(kind) ? requestHeaders('LastEventId') : []),
    ]
    if (asked.length > 0) rest.parameters = [...(rest.parameters ?? []), ...asked]
    return rest
  }

  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [method, complete(path, operation)]),
      ),
    ]),
  )
  const { ErrorBody, ...schemas } = document.components.schemas as Record<string, { properties: Json }>
  const code = { type: 'string', enum: errorCodes(), description: 'Machine-readable error code.' }
  const failed = { ...ErrorBody, properties: { ...ErrorBody!.properties, code } }
  const components = {
    ...document.components,
    schemas: { ...schemas, ErrorBody: failed },
    parameters: REQUEST_HEADERS,
    responses,
    examples,
  }
  return { ...document, paths, components }
}
