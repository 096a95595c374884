import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodedEtag, etagOf, knownAs } from './header-values.ts'

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
