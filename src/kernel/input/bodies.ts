import type { Server } from 'node:http'
import formbody from '@fastify/formbody'
import multipart, { type FastifyMultipartOptions, type Multipart } from '@fastify/multipart'
import type { TSchema } from '@sinclair/typebox'
import type {
  FastifyContextConfig,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { parse } from 'qs'
import { Reads } from '../../../schemas/common.ts'
import { refusalOf } from '../access/permissions.ts'
import { ApiError, missing, overloaded } from '../errors.ts'
import { openBudget, tooMany } from '../rate-limits.ts'
import { linger } from '../server/connections.ts'
import { refusalBeside } from '../server/methods.ts'
import { findExcess, MOST_BRACKETS, MOST_PARAMETERS } from './query.ts'
import { isObject } from './readers.ts'
import { bodySchema } from './validator.ts'

/** Largest body of a record, and of an upload, in bytes (R5). */
export const MAX_BODY = 2 ** 20
export const MAX_UPLOAD = 10 * 2 ** 20

export const JSON_TYPE = /^application\/(.+\+)?json(;|$)/
export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Bytes allowed in a form around the uploaded file: names, headers and small fields. */
const ENVELOPE = 2 ** 14

/** Placeholder for a body of an unsupported type. */
export const Unreadable = Symbol('unreadable')

/** The last value of every name of a form. */
const Last = Symbol('last')
type Form = Record<string, unknown> & { [Last]?: Map<string, string> }

/** How forms are read: as deep and as long as they may be. An index beyond the limit makes an object instead of a long array. */
const FORM = { depth: MOST_BRACKETS, parameterLimit: MOST_PARAMETERS, arrayLimit: MOST_PARAMETERS }

/** Reads bracket syntax (`links[0][title]=X`). Throws 400 if there are too many parameters, or one is too deep. */
function readForm(text: string): Form {
  const excess = findExcess(text)
  if (excess) throw excess
  return Object.assign(parse(text, FORM), { [Last]: new Map(new URLSearchParams(text)) })
}

/** Adds multipart forms; what their plugin does with every request is done at routes that read bodies alone. */
function addMultipart(app: FastifyInstance, options: FastifyMultipartOptions) {
  const hooks: [name: 'onRequest' | 'onResponse', hook: onRequestAsyncHookHandler][] = []
  const addHook = (...hook: (typeof hooks)[number]) => void hooks.push(hook)
  const own: FastifyInstance = Object.create(app, { addHook: { value: addHook } })
  multipart(own, options, () => {})
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => method === 'GET' || method === 'HEAD')) return
    for (const [name, hook] of hooks) route[name] = [route[name] ?? [], hook].flat() as never
  })
}

/** Registers parsers for JSON (also empty), forms and multipart forms; routes decide about other types. */
async function addBodies(app: FastifyInstance) {
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(JSON_TYPE, { parseAs: 'string' }, (_request, text, done) => {
    if ((text as string).trim() === '') return done(null, undefined)
    try {
      done(null, JSON.parse(text as string))
    } catch (error) {
      // the message of the parser may quote a password
      const why = (error as Error).message.replace(/, ("|\.\.\.).*(?= is not valid JSON$)/s, '')
      done(new ApiError('rest_invalid_json', `The body is not JSON: ${why}.`))
    }
  })
  await app.register(formbody, { parser: readForm })
  addMultipart(app, {
    limits: { fileSize: MAX_UPLOAD, files: 1, fields: 200, fieldSize: MAX_BODY, parts: 200 },
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body.length === 0 ? undefined : Unreadable),
  )
}

export const bodies = fp(addBodies, { name: 'bodies' })

/** Whether a request says that its body is a multipart form. */
export const hasParts = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  /^multipart\//i.test(headers['content-type'] ?? '')

/** Greatest size of a body in bytes, including the parts around the file in a multipart form. */
export const mostOf = (request: FastifyRequest) => {
  const { bodyLimit } = request.routeOptions
  return bodyLimit! + (bodyLimit === MAX_UPLOAD && hasParts(request) ? ENVELOPE : 0)
}

/** The 413 of a body of any kind. */
export const tooLarge = () =>
  new ApiError('rest_payload_too_large', 'The body is too large. The limit is 1 MiB, and 10 MiB for files.')

/** Stops the parser at the first byte above the limit. The parser itself only limits fields and files, not the bytes around them. */
function limitBytes(request: FastifyRequest) {
  const { raw } = request
  const most = mostOf(request)
  let size = 0
  raw.on('data', function count({ length }: Buffer) {
    size += length
    if (size <= most) return
    raw.off('data', count)
    raw.emit('error', tooLarge()) // the parser releases the request, and whoever waits for a part gets this error
  })
}

/** The parts of a multipart form; throws 400 if it is malformed, 413 if it is too large. */
export async function* readParts(
  request: FastifyRequest,
  options: Parameters<FastifyRequest['parts']>[0] = {},
): AsyncGenerator<Multipart> {
  limitBytes(request)
  try {
    yield* request.parts(options)
  } catch (error) {
    if (error instanceof ApiError || 'statusCode' in (error as object)) throw error
    throw new ApiError('rest_bad_request', `The multipart form is malformed: ${(error as Error).message}.`)
  }
}

/** The fields of a multipart form, like those of a form; a JSON part is data. */
async function readMultipart(request: FastifyRequest): Promise<unknown> {
  const fields: [string, string][] = []
  const data: [string, unknown][] = []
  for await (const part of readParts(request)) {
    if (part.type === 'file')
      throw new ApiError('rest_unsupported_media_type', 'Upload files to /media, and send their IDs here.')
    if (typeof part.value === 'string') fields.push([part.fieldname, part.value])
    else data.push([part.fieldname, part.value])
  }
  return { ...readForm(new URLSearchParams(fields).toString()), ...Object.fromEntries(data) }
}

/** Whether a repeated name makes a list; for other names the last value counts. */
const takesList = (schema: TSchema | undefined) => schema?.type === 'array' || schema?.[Reads] === 'cost'

/** Parameters that say what is done, and to which records. */
const OF_ADDRESS = ['_method', 'apply_to', 'translations']

/**
 * Merges the body and the query string of a write, before validation. The body takes precedence. Throws 415 for a body of another
 * type, and 400 for JSON that is no object.
 */
export async function mergeParameters(request: FastifyRequest) {
  mergeBody(request, request.isMultipart() ? await readMultipart(request) : request.body)
}

/** A write whose address was read, and the route that it is for. */
type Merged = Pick<FastifyRequest, 'body' | 'given' | 'server'> & {
  routeOptions: Pick<RouteOptions, 'schema'> & { config: FastifyContextConfig }
}

/** Merges a body that was parsed and the query string, as `mergeParameters` does. */
export function mergeBody(request: Merged, body: unknown) {
  const { properties, required = [] } = bodySchema(
    request.server,
    request.routeOptions.schema!.body as { $ref: string },
  )!
  const isList = (name: string) => takesList(properties[name])
  const creates = request.routeOptions.config.operation === 'create'
  // the address says what is done and which records are meant; only the body changes their language (R12)
  const isOfAddress = ([name]: [string, unknown]) =>
    OF_ADDRESS.includes(name) || (!creates && name === 'i18n_language')
  const query = Object.entries(request.given).filter((entry) => !isOfAddress(entry))
  const fromQuery = Object.fromEntries(
    query.map(([name, { values, bracketed }]) => [
      name,
      bracketed || (values.length > 1 && isList(name)) ? values : values.at(-1),
    ]),
  )
  if (body === Unreadable)
    throw new ApiError(
      'rest_unsupported_media_type',
      'Send application/json, application/x-www-form-urlencoded or multipart/form-data.',
    )
  const sent = body === undefined ? {} : body
  if (!isObject(sent)) throw noObject(required.filter((name) => fromQuery[name] === undefined))
  request.body = { ...fromQuery, ...sent, ...lastOf(sent as Form, isList) }
}

/** The 400 of JSON that is no object. A create reports the parameters that it lacks, as clients expect. */
const noObject = (lacking: string[]) =>
  lacking.length > 0
    ? missing(lacking, 'Send a JSON object.')
    : new ApiError('rest_invalid_json', 'The body must be a JSON object, such as {"description": "Text"}.')

/** The last values of repeated names in a form that are not lists. */
function lastOf({ [Last]: last, ...form }: Form, isList: (name: string) => boolean) {
  const repeated = Object.keys(form).filter(
    (name) => Array.isArray(form[name]) && last?.has(name) && !isList(name),
  )
  return Object.fromEntries(repeated.map((name) => [name, last!.get(name)]))
}

const MIB = 2 ** 20
/**
 * Greatest size in bytes of a body that is read from a caller who may not use the route, so that invalid parameters are reported
 * first (R3). The connection stays open for the rest of a refused body up to this size.
 */
const SMALL = 2 ** 16
/** Greatest size in bytes of a multipart form from a caller who may not use the route: its parser takes half a millisecond of CPU for each KiB of empty parts, before it counts them. */
const SMALL_FORM = 2 ** 13

/** Responses to requests that wait for 100 (`Expect: 100-continue`, RFC 9110 §10.1.1). */
const expecting = new WeakSet<object>()

/** Leaves it to `bodyLimits` whether a client that asks first may send its body. */
export const heedExpect = (server: Server) =>
  server.on('checkContinue', (request, response) => {
    expecting.add(response)
    server.emit('request', request, response)
  })

/** The size of a body in bytes according to its headers; infinite if it is chunked. */
const lengthOf = ({ raw: { headers } }: FastifyRequest) =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY
const isParsed = (request: FastifyRequest) => request.method !== 'GET' && request.method !== 'HEAD'

/**
 * Accepts or refuses a body by its headers, before it is read. A body that is too large gets 413. From a caller who may not use the
 * route, only small bodies are read, and no uploads. The bytes in memory are limited for the process and for each credential.
 */
export const bodyLimits = fp(
  async (app) => {
    const uploads = openBudget(64 * MIB, 32 * MIB)
    const records = openBudget(64 * MIB, 32 * MIB)
    const refused = openBudget(16 * MIB, 16 * MIB)
    heedExpect(app.server)

    /** Reserves memory for a body until its response is sent; returns the error if there is none, or the body is refused. */
    function refusalToAdmit(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
      if (request.is404) return refusalBeside(request, reply)
      const isUpload = request.routeOptions.bodyLimit! > MAX_BODY
      const length = lengthOf(request)
      const most = mostOf(request)
      // a body without a known length may become as long as allowed
      const bytes = Number.isFinite(length) ? length : most
      const refusal = refusalOf(request)
      const small = hasParts(request) ? SMALL_FORM : SMALL
      if (refusal && (isUpload || bytes > small)) return refusal
      if (bytes > most) return tooLarge()
      const budget = refusal ? refused : isUpload ? uploads : records
      const credential = request.caller?.credential ?? ''
      const lack = budget.reserve(bytes, credential)
      if (lack) return refusal ?? (lack === 'own' ? tooMany(1) : overloaded())
      reply.raw.once('close', () => budget.release(bytes, credential))
      return undefined
    }

    app.addHook('preParsing', (request, reply, _payload, done) => {
      const refusal = isParsed(request) && lengthOf(request) > 0 ? refusalToAdmit(request, reply) : undefined
      if (refusal) return done(refusal)
      if (expecting.has(reply.raw)) reply.raw.writeContinue()
      done()
    })
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (request.raw.complete === false && lengthOf(request) > SMALL) hangUp(request, reply)
      done()
    })
  },
  { name: 'bodyLimits', dependencies: ['limits', 'auth'] },
)

/** Closes the connection after the response, because the rest of the body is not read. */
function hangUp({ raw: { socket } }: FastifyRequest, reply: FastifyReply) {
  reply.header('connection', 'close')
  linger(socket)
}
