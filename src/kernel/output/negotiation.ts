import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type TSchema, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { encodedEtag, etagOf, knownAs } from './header-values.ts'

/** The media type of server-sent events (WHATWG HTML §9.2). */
export const EVENT_STREAM = 'text/event-stream'

/** The declared contents of a response: JSON, or messages, which a text describes. */
export const jsonOrMessages = (answer: string, messages: string) => ({
  'application/json': { schema: Type.Ref(answer) as TSchema },
  [EVENT_STREAM]: { schema: { type: 'string', description: `Server-sent events. ${messages}` } },
})

const END = Buffer.from('\n\n')

/** A message. Its data must not contain line breaks, and that of JSON does not. */
export const message = (event: string, data: Buffer, id?: string): Buffer =>
  Buffer.concat([Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: `), data, END])

/** Sets what a client sends as `Last-Event-ID` when it connects again, without a message. */
export const idAlone = (id: string): Buffer => Buffer.from(`id: ${id}\n\n`)

/** Sets the milliseconds after which a client connects again when the connection has ended. */
export const retryAfter = (milliseconds: number): Buffer => Buffer.from(`retry: ${milliseconds}\n\n`)

const NEGOTIATED = Symbol('negotiated')
const FORMATTED = Symbol('formatted')
type Request = Pick<IncomingMessage, 'headers' | 'method'> & {
  [NEGOTIATED]?: true
  [FORMATTED]?: true
}

/** A format of records besides JSON: its media type, and the extension of its addresses. */
export type MediaFormat = { type: string; extension: string }

/** What a part of the service answers otherwise than as JSON where a client asks for it. Patterns match addresses below a mount. */
export type Negotiable = {
  formats?: {
    list: readonly MediaFormat[]
    /** The addresses of what has them. */
    at: RegExp
    /** The format that the URL asks for by itself, and the URL without what does so. */
    asked(url: string): { extension: string; rest: string } | undefined
  }
  /** The addresses of what can be listened to. */
  streams?: RegExp
}

/** Parameters of a type, such as `charset`, which do not matter; `q` does. */
const PARAMETER = /;\s*(?!q\s*=)[^;,"]*("[^"]*")?/gi

/** Whether `Accept` prefers a stream of server-sent events to JSON. */
export const prefersStream = ({ headers: { accept } }: Pick<IncomingMessage, 'headers'>): boolean =>
  accept !== undefined &&
  /\btext\/event-stream\b/i.test(accept) &&
  bestOf(accept, ['application/json', EVENT_STREAM]) === EVENT_STREAM

/** The type that `Accept` prefers among those offered; undefined if it excludes all. */
const bestOf = (accept: string, offered: string[]): string | undefined =>
  new Negotiator({ headers: { accept: accept.replace(PARAMETER, '') } }).mediaType(offered)

/** Chooses the formats of answers among those that the parts of a service have. */
export function openNegotiation(parts: readonly Negotiable[]) {
  const formatted = parts.flatMap(({ formats }) => formats ?? [])
  const streams = parts.flatMap(({ streams }) => streams ?? [])
  const extensions = new Map(
    formatted.flatMap(({ list }) => list).map(({ type, extension }) => [type.split(';')[0]!, extension]),
  )
  /** What is offered, best first where a client has no preference. */
  const offered = ['application/json', ...extensions.keys()]
  /** Most clients name no format, and are not looked at further. */
  const named = [...extensions.keys()].map((type) => type.replace(/[.+]/g, '\\$&')).join('|')
  const namesFormat = new RegExp(named || '^(?!)', 'i')

  /**
   * The extension of the format that `Accept` prefers to JSON (RFC 9110 §12.5.1). Undefined without the header, and for all clients that
   * do not name the type of a format.
   */
  const preferred = ({ headers: { accept } }: Pick<IncomingMessage, 'headers'>): string | undefined =>
    accept !== undefined && namesFormat.test(accept) ? extensions.get(bestOf(accept, offered)!) : undefined

  return {
    preferred,
    /** The URL of the format that a request wants by `Accept` or by its URL; its own otherwise. Notes which responses depend on `Accept`. */
    resolve(request: Request, url: string): string {
      if (streams.some((at) => at.test(url))) request[NEGOTIATED] = true
      if (request.method !== 'GET' && request.method !== 'HEAD') return url
      for (const { at, asked } of formatted) {
        const [address] = at.exec(url) ?? []
        if (address === undefined) continue
        request[NEGOTIATED] = true
        request[FORMATTED] = true
        const { extension = preferred(request), rest = url } = asked(url) ?? {}
        if (extension !== undefined)
          return `${address.replace(/\/$/, '')}.${extension}${rest.slice(address.length)}`
      }
      return url
    },
  }
}
export type Negotiation = ReturnType<typeof openNegotiation>

/** Whether what a request asks for has formats besides JSON. */
export const isFormatted = (request: Request) => request[FORMATTED] === true

/** Whether the response to a request depends on `Accept`. */
export const isNegotiated = (request: Request) => request[NEGOTIATED] === true

/** Encodings of responses, best first. */
const ENCODINGS = ['br', 'gzip'] as const
type Encoding = (typeof ENCODINGS)[number]

/** Bytes from which compression is worthwhile. */
export const LARGE = 1_000

const ACCEPTED: Record<Encoding, RegExp> = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i,
}
/** Whether a client accepts an encoding (RFC 9110 §12.5.3). */
export const accepts = ({ headers }: Pick<IncomingMessage, 'headers'>, encoding: Encoding) => {
  const accepted = headers['accept-encoding']
  return accepted !== undefined && ACCEPTED[encoding].test(String(accepted))
}

const zip = promisify(gzip)
const brotli = promisify(brotliCompress)

/** From this size on, brotli is faster and compresses less. */
const HUGE = 500_000

/** Compresses bytes that are kept. */
const encode: Record<Encoding, (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) =>
    brotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: bytes.length < HUGE ? 10 : 5 } }),
  gzip: (bytes) => zip(bytes),
}

/** The level of gzip for what is sent once: a fifth of the time of the usual one, for a third more bytes. */
export const QUICK = 1

/**
 * Compresses with gzip at a level, one at a time: the threads that do it also hash passwords and read files. Returns undefined while another
 * is under way; the response is then sent as it is.
 */
export function openZip(level?: number) {
  let isUnderWay = false
  return (bytes: Buffer): Promise<Buffer> | undefined => {
    if (isUnderWay) return undefined
    isUnderWay = true
    return zip(bytes, { level }).finally(() => {
      isUnderWay = false
    })
  }
}

/** Bytes that are the same for everyone, with their type. Each encoding is made once, when it is first requested. */
export type Packed = {
  bytes: Buffer
  type: string
  cacheControl: string
  etag: string
  encoded: Partial<Record<Encoding, Promise<Buffer>>>
}

/** Caches ask before each use, so that a new version is seen at once. */
const CHECKED = 'public, no-cache'

export const pack = (text: string | Buffer, type: string, cacheControl = CHECKED): Packed => {
  const bytes = Buffer.from(text)
  return { bytes, type, cacheControl, etag: etagOf(bytes), encoded: {} }
}

/** Sends packed bytes in the best encoding that the client accepts, or 304 if it has them. */
export async function sendPacked(request: FastifyRequest, reply: FastifyReply, packed: Packed) {
  const { bytes, type, cacheControl, etag, encoded } = packed
  const encoding = bytes.length < LARGE ? undefined : ENCODINGS.find((one) => accepts(request, one))
  const own = encoding ? encodedEtag(etag) : etag
  const known = knownAs(request, own, undefined)
  reply.header('cache-control', cacheControl).header('etag', known ?? own)
  if (known !== undefined) return reply.code(304).send()
  reply.type(type)
  if (encoding === undefined) return reply.send(bytes)
  encoded[encoding] ??= encode[encoding](bytes)
  return reply.header('content-encoding', encoding).send(await encoded[encoding])
}

type Tree = Map<string, Tree>

function plant(fields: string): Tree {
  const tree: Tree = new Map()
  for (const path of fields.split(',')) {
    const names = path.trim().split('.')
    let at = tree
    for (const [depth, name] of names.entries()) {
      const known = at.get(name)
      // a member that was selected as a whole stays whole
      if (known?.size === 0) break
      const below: Tree = depth === names.length - 1 ? new Map() : (known ?? new Map())
      at.set(name, below)
      at = below
    }
  }
  return tree
}

function trim(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => trim(item, tree))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      tree.has(name) ? [[name, trim(member, tree.get(name)!)]] : [],
    ),
  )
}

/** The JSON with only the members in `_fields`; a dot selects a member of an object, or of each object in a list (D28). */
export const trimFields = (json: Buffer, fields: string): Buffer =>
  Buffer.from(JSON.stringify(trim(JSON.parse(json.toString()), plant(fields))))
