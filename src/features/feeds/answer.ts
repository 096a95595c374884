import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventRecord } from '../../calendar/formats/records.ts'
import { encodedEtag, etagOf } from '../../kernel/output/header-values.ts'
import { accepts } from '../../kernel/output/negotiation.ts'
import { VERSION } from '../../package.ts'
import type { Feed, Format, WholeSeries } from './formats/format.ts'

/** Events in batches, in order; in formats that write series, each before its events. */
export type Batches = AsyncIterable<(EventRecord | WholeSeries)[]>

/** What a reader may keep the service waiting: so many milliseconds, and one more for each so many characters. */
const PATIENCE = 30_000
const SLOWEST = 16
/** Milliseconds between two looks at the readers. */
const LOOK = 5_000
/** Bytes that are written ahead of a client. */
const AHEAD = 2 ** 16

async function* write(format: Format, feed: Feed, batches: Batches): AsyncGenerator<string> {
  const writer = format.open(feed)
  yield writer.head()
  for await (const parts of batches)
    yield parts.map((part) => ('dates' in part ? writer.series!(part) : writer.event(part))).join('')
  yield writer.foot()
}

/** The bytes of a feed. */
export async function printFeed(format: Format, feed: Feed, batches: Batches): Promise<Buffer> {
  const parts: string[] = []
  for await (const part of write(format, feed, batches)) parts.push(part)
  return Buffer.from(parts.join(''))
}

/** What identifies the bytes of a feed, as far as it is known without them. */
export type Traits = { ids: number[]; lastChange: (string | number)[]; caller: FastifyRequest['caller'] }

/**
 * The weak ETag of a feed that is not made as a whole: of what it shows, in which state, to whom. The names of days and months are
 * those of the ICU library, the clocks of zones those of its tz database.
 */
function traitsTag(format: Format, feed: Feed, { ids, lastChange, caller }: Traits): string {
  const { icu, tz } = process.versions
  const program = [VERSION, icu, tz, format.extension]
  const state = JSON.stringify([program, feed, lastChange, caller?.id, caller?.role, caller?.limits])
  return `W/${etagOf(Buffer.concat([Buffer.from(state), Buffer.from(Float64Array.from(ids).buffer)]))}`
}

/** How long a reader has kept the service waiting, and since when it does so again. */
type Reader = { stream: Readable; sent: number; waited: number; since: number | undefined }

/** Passes on what a reader takes, and notes for how long it takes nothing. */
async function* timed(parts: AsyncIterable<string>, reader: Reader): AsyncGenerator<string> {
  for await (const part of parts) {
    reader.since = Date.now()
    yield part
    reader.waited += Date.now() - reader.since
    reader.since = undefined
    reader.sent += part.length
  }
  reader.since = Date.now() // for what is still in buffers
}

const isSlow = ({ sent, waited, since }: Reader) =>
  since !== undefined && waited + Date.now() - since > PATIENCE + sent / SLOWEST

/** Sends feeds as they are written, as fast as each client reads, if it does so at all. */
export function openStreams() {
  const readers = new Set<Reader>()
  let looking: NodeJS.Timeout | undefined
  const look = () => {
    for (const reader of readers) if (isSlow(reader)) reader.stream.destroy()
  }
  function watch(reader: Reader) {
    readers.add(reader)
    looking ??= setInterval(look, LOOK)
    reader.stream.once('close', () => {
      readers.delete(reader)
      if (readers.size > 0) return
      clearInterval(looking)
      looking = undefined
    })
  }

  /** `left` is called when the client has all of it, or left, or was too slow. */
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    format: Format,
    feed: Feed,
    batches: Batches,
    traits: Traits,
    left: () => void,
  ) => {
    const reader = { sent: 0, waited: 0, since: undefined } as unknown as Reader
    const written = timed(write(format, feed, batches), reader)
    const stream = Readable.from(written, { objectMode: false, highWaterMark: AHEAD })
    stream.once('close', left)
    watch(Object.assign(reader, { stream }))
    const etag = traitsTag(format, feed, traits)
    reply.type(format.type)
    if (!accepts(request, 'gzip')) return reply.header('etag', etag).send(stream)
    const zip = pipeline(stream, createGzip(), () => {})
    return reply.header('content-encoding', 'gzip').header('etag', encodedEtag(etag)).send(zip)
  }
}
