import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { overloaded } from '../../errors.ts'
import type { Feed, Format } from '../../formats/format.ts'
import type { EventRecord } from '../../formats/records.ts'
import { VERSION } from '../../package.ts'
import { accepts } from './encoding.ts'
import { encodedEtag, etagOf } from './freshness.ts'

/** Records in batches, in order. */
export type Batches = AsyncIterable<EventRecord[]>

/** Streams at the same time: a client that reads slowly holds memory for its list of IDs. */
const MOST_STREAMS = 100
/** Bytes that are written ahead of a client. */
const AHEAD = 2 ** 16

async function* write(format: Format, feed: Feed, batches: Batches): AsyncGenerator<string> {
  const writer = format.open(feed)
  yield writer.head()
  for await (const records of batches) yield records.map((record) => writer.event(record)).join('')
  yield writer.foot()
}

/** The bytes of a feed. */
export async function printFeed(format: Format, feed: Feed, batches: Batches): Promise<Buffer> {
  const parts: string[] = []
  for await (const part of write(format, feed, batches)) parts.push(part)
  return Buffer.from(parts.join(''))
}

/** What identifies the bytes of a feed, as far as it is known without them. */
export type Traits = { ids: number[]; touched: number; caller: FastifyRequest['caller'] }

/**
 * The weak ETag of a feed that is not made as a whole: of what it shows, in which state, to whom. The names of days and months are
 * those of the ICU library, the clocks of zones those of its tz database.
 */
function traitsTag(format: Format, feed: Feed, { ids, touched, caller }: Traits): string {
  const { icu, tz } = process.versions
  const program = [VERSION, icu, tz, format.extension]
  const state = JSON.stringify([program, feed, touched, caller?.id, caller?.role])
  return `W/${etagOf(Buffer.concat([Buffer.from(state), Buffer.from(Float64Array.from(ids).buffer)]))}`
}

/** Sends feeds as they are written, as fast as each client reads. */
export function openStreams() {
  let open = 0
  /** Throws 503 if too many are being sent. */
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    format: Format,
    feed: Feed,
    batches: Batches,
    traits: Traits,
  ) => {
    if (open >= MOST_STREAMS) throw overloaded()
    open++
    const stream = Readable.from(write(format, feed, batches), { objectMode: false, highWaterMark: AHEAD })
    stream.once('close', () => {
      open--
    })
    const etag = traitsTag(format, feed, traits)
    reply.type(format.type)
    if (!accepts(request, 'gzip')) return reply.header('etag', etag).send(stream)
    const zip = pipeline(stream, createGzip(), () => {})
    return reply.header('content-encoding', 'gzip').header('etag', encodedEtag(etag, 'gzip')).send(zip)
  }
}
