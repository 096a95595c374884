import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { EVENT_STREAM } from './event-stream.ts'
import { encodedEtag, etagOf, knownAs } from './header-values.ts'

const NEGOTIATED = Symbol('negotiated')
const FORMATTED = Symbol('formatted')
type Request = Pick<IncomingMessage, 'headers' | 'method'> & {
  [NEGOTIATED]?: true
  [FORMATTED]?: true
}

/** A format of records besides JSON: its media type, and the extension of its addresses. */
export type MediaFormat = { type: string; extension: string }

/** The extensions of formats by the types that `Accept` names. */
const extensions = new Map<string, string>()
/** What is offered, best first where a client has no preference. */
let offered = ['application/json']
/** Most clients name no format, and are not looked at further. */
let namesFormat = /^(?!)/

/** Adds formats of a feature to those that `Accept` may ask for. */
export function declareFormats(formats: readonly MediaFormat[]) {
  for (const { type, extension } of formats) extensions.set(type.split(';')[0]!, extension)
  const types = [...extensions.keys()]
  offered = ['application/json', ...types]
  if (types.length > 0)
    namesFormat = new RegExp(types.map((type) => type.replace(/[.+]/g, '\\$&')).join('|'), 'i')
}

/** Parameters of a type, such as `charset`, which do not matter; `q` does. */
const PARAMETER = /;\s*(?!q\s*=)[^;,"]*("[^"]*")?/gi

/**
 * The extension of the format that `Accept` prefers to JSON (RFC 9110 §12.5.1). Undefined without the header, and for all clients that
 * do not name the type of a format.
 */
export function preferred({ headers: { accept } }: Pick<IncomingMessage, 'headers'>): string | undefined {
  return accept !== undefined && namesFormat.test(accept)
    ? extensions.get(bestOf(accept, offered)!)
    : undefined
}

/** Whether `Accept` prefers a stream of server-sent events to JSON. */
export const prefersStream = ({ headers: { accept } }: Pick<IncomingMessage, 'headers'>): boolean =>
  accept !== undefined &&
  /\btext\/event-stream\b/i.test(accept) &&
  bestOf(accept, ['application/json', EVENT_STREAM]) === EVENT_STREAM

/** The type that `Accept` prefers among those offered; undefined if it excludes all. */
const bestOf = (accept: string, offered: string[]): string | undefined =>
  new Negotiator({ headers: { accept: accept.replace(PARAMETER, '') } }).mediaType(offered)

/** The addresses, below a mount, of what has formats besides JSON. */
const ADDRESSES = /^\/(events(\/\d+)?|(categories|tags|venues|organizers|series)\/\d+)(?=\/?(\?|$))\/?/
/** The address of what can be listened to. */
const LISTENED = /^\/changes\/?(\?|$)/
/** The parameter by which WordPress clients ask for iCalendar. */
const ASKED = /^(outlook-)?ical=(1|true)$/i

/** The URL without that parameter; undefined if it does not ask for iCalendar. */
export function withoutIcal(url: string): string | undefined {
  const [path, query] = url.split(/\?(.*)/s, 2)
  const all = query?.split('&') ?? []
  const others = all.filter((pair) => !ASKED.test(pair))
  if (others.length === all.length) return undefined
  return others.length === 0 ? path : `${path}?${others.join('&')}`
}

/** The URL of the format that a request wants by `Accept` or `ical=1`; its own otherwise. Notes which responses depend on `Accept`. */
export function negotiate(request: Request, url: string): string {
  const [address] = ADDRESSES.exec(url) ?? []
  if (LISTENED.test(url)) request[NEGOTIATED] = true
  if (address === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return url
  request[NEGOTIATED] = true
  request[FORMATTED] = true
  const calendar = withoutIcal(url)
  const extension = calendar === undefined ? preferred(request) : 'ics'
  if (extension === undefined) return url
  return `${address.replace(/\/$/, '')}.${extension}${(calendar ?? url).slice(address.length)}`
}

/** The internal prefix of iCalendar at public addresses, which no request can use directly. */
export const ICAL = '/-ical'
/** The public addresses, outside the API, of what has a calendar; some begin with a language. */
const PUBLIC =
  /^(?:\/([a-z]{2,3}(?:-\w+)*))?(\/(?:events|(?:event|series|venue|organizer|events\/(?:category|tag))\/[^/?]+)\/?(?:\?.*)?)$/

/** The internal URL of the calendar that a request at a public address asks for by `ical=1`; undefined for others. */
export function calendarAt({ method }: Request, url: string): string | undefined {
  const [, language, rest] = PUBLIC.exec(url) ?? []
  const calendar = rest === undefined ? undefined : withoutIcal(rest)
  if (calendar === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined
  if (language === undefined) return ICAL + calendar
  return `${ICAL}${calendar}${calendar.includes('?') ? '&' : '?'}i18n_language=${language}`
}

/** Whether what a request asks for has formats besides JSON, and so a calendar. */
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
