import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type Document, nameOf, type Operation, operationsOf } from './document.ts'
import { type Asked, openRequests, type Reply } from './requests.ts'

/** Where every process of a test run leaves what it saw: operations with the statuses that they answered. */
const SEEN = fileURLToPath(new URL('../../.tap/answers', import.meta.url))

type Answered = {
  method: string
  path: string
  query: string
  status: number
  type: string
  text: string
}
type Schema = Record<string, unknown>

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as Document

const routes = operationsOf(document).map((operation) => ({
  ...operation,
  pattern: new RegExp(
    `^${operation.path
      .replace('.', '\\.')
      .replace(/\{(slug|source|external_id)\}/g, '[^/]+')
      .replace(/\{(\w*id|format)\}/g, '[^/.]+')}/?$`,
  ),
}))

/** What any address may answer before it is known which operation is meant. */
const ANYWHERE = ['rest_no_route', 'rest_bad_request']

/** The schema with members that an object does not declare refused; without `whole`, none has to be there. */
function strict(schema: unknown, whole: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((item) => strict(item, whole))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, strict(part, whole)]))
  const { required, ...rest } = inner as Schema
  const closed = 'properties' in inner && inner.type === 'object' && inner.additionalProperties === undefined
  return {
    ...rest,
    ...(whole && required !== undefined && { required }),
    ...(closed && { additionalProperties: false }),
  }
}

function open(whole: boolean): (name: string) => ValidateFunction {
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, validateSchema: false }), [
    'uri',
    'double',
  ])
  ajv.addSchema(
    strict({ $id: 'document', components: { schemas: document.components.schemas } }, whole) as Schema,
  )
  return (name) => ajv.getSchema(`document#/components/schemas/${name}`)!
}
const validators = { whole: open(true), trimmed: open(false) }

/** What is wrong with an answer by the published schema of this name, as texts; undeclared members are wrong too. */
export function faults(name: string, answer: unknown): string[] {
  const validate = validators.whole(name)
  return validate(answer)
    ? []
    : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const seen = new Set<string>()
process.on('exit', () => {
  mkdirSync(SEEN, { recursive: true })
  writeFileSync(`${SEEN}/${process.pid}.json`, JSON.stringify([...seen]))
})

/** Remembers what was answered until the end of the process. */
export const note = (pair: string | undefined) => pair && seen.add(pair)

/**
 * Operation and status of an answer; undefined where its address is none of the document's. Throws where the answer is
 * not what the document says of it. `path` is relative to the mount.
 */
export function holdToDocument(answered: Answered): string | undefined {
  const operation = operationOf(answered)
  if (!operation) return undefined
  const fault = faultOf(operation, answered)
  if (fault) throw new Error(`${operation.operationId} (${answered.status} ${answered.path}): ${fault}`)
  return `${operation.operationId} ${answered.status}`
}

let last: { method: string; path: string; route: (typeof routes)[number] | undefined } | undefined
/** The operation of an address; asked for the same one twice, of its answer and of its request. */
function operationOf({ method, path }: Pick<Answered, 'method' | 'path'>) {
  if (last?.method === method && last.path === path) return last.route
  const name = method === 'HEAD' ? 'get' : method.toLowerCase()
  const route = routes.find((route) => route.method === name && route.pattern.test(path))
  last = { method, path, route }
  return route
}

const requests = openRequests(document)

/** Throws where a request was accepted that the document does not allow, or refused though it allows it. */
export function holdRequest(asked: Asked & Pick<Answered, 'method' | 'path'>, answer: Reply) {
  const { status } = answer
  const operation = asked.method === 'HEAD' ? undefined : operationOf(asked)
  if (!operation || (status >= 300 && status !== 400)) return
  const found = requests[status === 400 ? 'vain' : 'strays'](operation, asked, answer)
  if (found.length === 0) return
  const wrong =
    status === 400 ? 'was refused, which the document allows' : 'was accepted, which the document lacks'
  throw new Error(`${operation.operationId} ${asked.path} (${status}): ${wrong}: ${found.join('; ')}`)
}

function faultOf(operation: Operation, { method, query, status, type, text }: Answered): string | undefined {
  const declared = operation.responses[status]
  if (!declared) return `the document lacks this status: ${text}`
  if (!declared.content) return text === '' ? undefined : `there should be no body: ${text}`
  const media = declared.content[type.split(';')[0]!]
  if (!media) return `the document lacks the type ${type}`
  const name = nameOf(media.schema)
  if (method === 'HEAD') return undefined
  if (name === undefined) return text === '' ? 'there should be a text' : undefined
  const body: { code: string } = JSON.parse(text)
  const validate = validators[/(^|&)_fields(\[|%5B|=)/i.test(query) ? 'trimmed' : 'whole'](name)
  if (!validate(body)) return JSON.stringify(validate.errors)
  if (status >= 400 && !ANYWHERE.includes(body.code) && !media.examples?.[body.code])
    return `the document lacks the code ${body.code}`
  return undefined
}

/** Before a run of tests: what was seen earlier does not count. */
export const forgetAnswered = () => rmSync(SEEN, { recursive: true, force: true })
/** Operations with statuses that the processes of a run have seen. */
export const answeredInRun = () =>
  new Set<string>(readdirSync(SEEN).flatMap((file) => JSON.parse(readFileSync(`${SEEN}/${file}`, 'utf8'))))

/** Every 2xx and 4xx of the document that was not among the `answered`. */
export const unanswered = (answered: Set<string>): string[] =>
  routes.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => /^[24]/.test(status) && !answered.has(`${operationId} ${status}`))
      .map((status) => `${operationId} ${status}`),
  )
