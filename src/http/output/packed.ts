import type { FastifyReply, FastifyRequest } from 'fastify'
import { accepts, ENCODINGS, type Encoding, encode, LARGE } from './encoding.ts'
import { encodedEtag, etagOf, knownAs } from './freshness.ts'

/** Bytes that are the same for everyone, with their type. Each encoding is made once, when it is first requested. */
export type Packed = {
  bytes: Buffer
  type: string
  cacheControl: string
  etag: string
  encoded: Partial<Record<Encoding, Promise<Buffer>>>
}

/** Caches ask before each use, so that a new version is seen at once. */
export const CHECKED = 'public, no-cache'

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
