import { readFileSync } from 'node:fs'
import { fromRoot } from '../../package.ts'
import type { ErrorCode, ErrorTable } from '../errors.ts'
import { EVENT_STREAM } from '../output/negotiation.ts'
import type { Complete, Json } from './components.ts'
import {
  ALWAYS,
  ASKED,
  byStatus,
  CACHED,
  CREATED,
  failure,
  headersOf,
  LINKED,
  nameOf,
  type OperationKind,
  REPLAYED,
  REQUEST_HEADERS,
  type Refusals,
  refer,
  requestHeaders,
  SEARCHED,
  TAGGED,
  TOTALS,
  type Upload,
  WRITTEN,
} from './responses.ts'

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

/** What an operation has that its route does not declare. */
export type Traits = {
  /** Whether its answers have validators, and may be kept. */
  isCached: boolean
  /** Whether they tell at least the version of what was written. */
  isTagged: boolean
  /** Whether they link to another form of the same. */
  isLinked?: boolean
  /** Whether they tell how words of a search were taken. */
  isSearched?: boolean
  /** Whether the body may be left out. */
  isBodyOptional?: boolean
  /** The names of headers of the service itself. */
  headers?: readonly string[]
  errors?: readonly ErrorCode[]
}
/** What decides about traits. */
export type Subject = {
  path: string
  operationId: string
  tags: readonly string[]
  kind: OperationKind
  /** Whether there is a parameter of this name in the query. */
  takes(name: string): boolean
}

const NOT_MODIFIED = {
  description: 'Not modified since the response that `If-None-Match` or `If-Modified-Since` refers to.',
  headers: headersOf(ALWAYS, CACHED),
}

/** What decides how operations are completed. */
export type OperationRules = {
  /** The errors of the service, in their places. */
  errors: ErrorTable
  traitsOf(subject: Subject): Traits
  refusals: Refusals
  /** The requests that code samples of operations show. */
  samples: SampleRequests
}

/** Adds what the routes do not declare themselves to the document: errors, headers and examples, as components. */
export function completeOperations(
  document: Collected,
  { errors, traitsOf, refusals, samples }: OperationRules,
): Complete {
  const responses: Json = { NotModified: NOT_MODIFIED }
  const examples: Json = {}

  const illustrate = ({ 'application/json': media }: Record<string, Media>) => {
    if (media === undefined) return
    const name = media.schema.$ref!.split('/').at(-1)!
    examples[name] = { value: EXAMPLES[name] }
    media.examples = refer('examples', [name])
  }

  const refuse = (status: number, codes: ErrorCode[]) => {
    const name = nameOf(codes, refusals)
    const { response, examples: more } = failure(status, codes, refusals.tagged)
    Object.assign(examples, more)
    responses[name] = response
    return { $ref: `#/components/responses/${name}` }
  }

  const complete = (path: string, operation: Operation): Json => {
    const { 'x-errors': declared, 'x-kind': kind, 'x-upload': upload, ...rest } = operation
    const shown = samples[rest.operationId]
    if (shown) rest['x-codeSamples'] = samplesOf(shown)
    const takes = (name: string) =>
      (rest.parameters as { name?: string }[] | undefined)?.some((one) => one.name === name) ?? false
    const traits = traitsOf({ path, operationId: rest.operationId, tags: rest.tags, kind, takes })
    const isStreamed = Object.values(rest.responses).some(
      (answer) => EVENT_STREAM in (answer as Required<Answer>).content,
    )
    const isRepeatable = declared.includes('idempotency_key_reused')
    if (upload) rest.requestBody = uploadOf(upload as Upload)
    else if (rest.requestBody) {
      illustrate(rest.requestBody.content)
      if (traits.isBodyOptional) rest.requestBody.required = false
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
        kind === 'list' ? TOTALS : traits.isLinked ? LINKED : {},
        status === '201' ? CREATED : {},
        traits.isCached ? CACHED : traits.isTagged ? TAGGED : {},
        rest.requestBody && !upload ? WRITTEN : {},
        Object.fromEntries((traits.headers ?? []).map((name) => [name, true])),
        traits.isSearched ? SEARCHED : {},
        isRepeatable ? REPLAYED : {},
      )
    }
    if (traits.isCached) rest.responses[304] = { $ref: '#/components/responses/NotModified' }
    // an ID that is not digits, or a slug of more than 2,000 characters
    const codes: ErrorCode[] = [
      ...[...declared, ...(traits.errors ?? [])].filter((code) => code in errors),
      ...(/\{(\w*id|slug)\}/.test(path) ? (['rest_no_route'] as const) : []),
    ]
    for (const [status, own] of byStatus(codes)) rest.responses[status] = refuse(status, own)
    const asked = [
      ...(traits.isCached ? requestHeaders('IfNoneMatch', 'IfModifiedSince') : []),
      ...(codes.includes('rest_precondition_failed') ? requestHeaders('IfMatch') : []),
      ...(isRepeatable ? requestHeaders('IdempotencyKey') : []),
      ...(rest.operationId.startsWith('upsert') ? requestHeaders('OnlyNew') : []),
      ...(upload ? requestHeaders('ContentDisposition') : []),
      ...(isStreamed && (kind === 'list' || kind === 'read') ? requestHeaders('LastEventId') : []),
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
  const code = { type: 'string', enum: Object.keys(errors), description: 'Machine-readable error code.' }
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

/** A request that samples show. */
export type SampleRequest = {
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query below the namespace root. */
  path: string
  signedIn?: true
  body?: Record<string, unknown>
  /** The name of the file to upload. */
  file?: string
  /** What the sample prints: members of the response. */
  shows: string[]
  /** The member of a list that is printed for each entry. */
  of?: string
}
/** The requests of operations, by the word that tells those of one operation apart. */
export type SampleRequests = Record<string, Record<string, SampleRequest>>
export type Sample = { lang: 'Shell' | 'JavaScript' | 'Python'; label: string; source: string }

/** The environment in JavaScript, as text; this program itself reads it in one file only, which a test asserts. */
const ENVIRONMENT = ['process', 'env'].join('.')
const ROOT = 'https://calendar.example/calendar/events/v1'
type Header = [name: string, value: string]

/** The headers of a request; values as JavaScript and Python write them. */
function sentHeaders({ body, file, signedIn }: SampleRequest, token: string): Header[] {
  const headers: Header[] = []
  if (signedIn) headers.push(['Authorization', token])
  if (body) headers.push(['Content-Type', "'application/json'"])
  if (file) headers.push(['Content-Type', "'image/jpeg'"])
  if (file) headers.push(['Content-Disposition', `'attachment; filename="${file}"'`])
  return headers
}

function curl(request: SampleRequest): string {
  const { method, path, body, file } = request
  const headers = sentHeaders(request, '"Authorization: Bearer $ALMANAC_TOKEN"').map(([name, value]) =>
    name === 'Authorization' ? `-H ${value}` : `-H '${name}: ${value.slice(1, -1)}'`,
  )
  return [
    `curl${method && (method !== 'POST' || !(body || file)) ? ` -X ${method}` : ''} '${ROOT}${path}'`,
    ...headers,
    ...(body ? [`-d '${JSON.stringify(body)}'`] : []),
    ...(file ? [`--data-binary @${file}`] : []),
  ].join(' \\\n  ')
}

/** A value as JavaScript and Python write it, on one line if it is short. */
function literal(value: unknown, key: (name: string) => string, indent = ''): string {
  if (typeof value === 'string') return `'${value}'`
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, key)).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = Object.entries(value).map(([name, one]) => `${key(name)}: ${literal(one, key)}`)
  if (indent === '') return `{ ${members.join(', ')} }`
  return `{\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}}`
}

function javascript(request: SampleRequest): string {
  const { method, path, body, file, of, shows } = request
  const options = [
    ...(method ? [`  method: '${method}',`] : []),
    ...sentHeaders(request, `\`Bearer \${${ENVIRONMENT}.ALMANAC_TOKEN}\``).map(([name, value], at, all) =>
      [at === 0 && '  headers: {\n', `    '${name}': ${value},`, at === all.length - 1 && '\n  },']
        .filter(Boolean)
        .join(''),
    ),
    ...(body ? [`  body: JSON.stringify(${literal(body, (name) => name, '  ')}),`] : []),
    ...(file ? [`  body: await readFile('${file}'),`] : []),
  ]
  const sent = options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''
  const shown = (of: string) => shows.map((name) => `${of}.${name}`).join(', ')
  return [
    ...(file ? ["import { readFile } from 'node:fs/promises'", ''] : []),
    `const response = await fetch('${ROOT}${path}'${sent})`,
    'const answer = await response.json()',
    'if (!response.ok) throw new Error(answer.message)',
    of ? `for (const one of answer.${of}) console.log(${shown('one')})` : `console.log(${shown('answer')})`,
  ].join('\n')
}

function python(request: SampleRequest): string {
  const { method, path, body, file, of, shows, signedIn } = request
  const headers = sentHeaders(request, `'Bearer ' + os.environ['ALMANAC_TOKEN']`)
  const data = body
    ? [
        `    data=json.dumps(${literal(body, (name) => `'${name}'`, '    ').replaceAll('true', 'True')}).encode(),`,
      ]
    : file
      ? [`    data=open('${file}', 'rb').read(),`]
      : []
  const options = [
    `    '${ROOT}${path}',`,
    ...(method ? [`    method='${method}',`] : []),
    ...(headers.length > 0
      ? [`    headers={\n${headers.map(([name, value]) => `        '${name}': ${value},\n`).join('')}    },`]
      : []),
    ...data,
  ]
  const shown = (of: string) => shows.map((name) => `${of}['${name}']`).join(', ')
  return [
    `import json${signedIn ? ', os' : ''}, urllib.request`,
    '',
    options.length > 1
      ? `request = urllib.request.Request(\n${options.join('\n')}\n)`
      : `request = '${ROOT}${path}'`,
    'with urllib.request.urlopen(request) as response:',
    '    answer = json.load(response)',
    of ? `for one in answer['${of}']:\n    print(${shown('one')})` : `print(${shown('answer')})`,
  ].join('\n')
}

/** The code samples of an operation in three languages, each of which runs as it stands. */
export function samplesOf(requests: Record<string, SampleRequest>): Sample[] {
  return Object.entries(requests).flatMap(([what, request]): Sample[] => {
    const label = (language: string) => (what === '' ? language : `${language}: ${what}`)
    return [
      { lang: 'Shell', label: label('curl'), source: curl(request) },
      { lang: 'JavaScript', label: label('JavaScript'), source: javascript(request) },
      { lang: 'Python', label: label('Python'), source: python(request) },
    ]
  })
}
