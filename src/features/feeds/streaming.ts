import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { EventRecord, SeriesRecord } from '../../calendar/formats/records.ts'
import type { Service } from '../../calendar/resource/service.ts'
import { canRead } from '../../calendar/rights.ts'
import type { Selection, Store, View } from '../../calendar/store.ts'
import type { Caller } from '../../kernel/access/rights.ts'
import { overloaded } from '../../kernel/errors.ts'
import { addCorrections, encodedEtag, etagOf } from '../../kernel/output/header-values.ts'
import { accepts, QUICK } from '../../kernel/output/negotiation.ts'
import { clientOf, openBudget } from '../../kernel/rate-limits.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { toEpoch } from '../../kernel/time/dates.ts'
import { VERSION } from '../../package.ts'
import type { Feed, Format, WholeSeries } from './formats/format.ts'

/** The events of a feed, and its head as far as a route knows it. */
export type Found = {
  head: Pick<Feed, 'single' | 'title' | 'description' | 'self' | 'home' | 'next'>
  ids: number[]
  /** Finds all events, if `ids` are only the first `WHOLE` of them. */
  all?: (() => Promise<number[]>) | undefined
  /** What selected the events; undefined for one event. */
  selection?: Selection
  opens?: View['opens']
}

/** Events that are read and written at a time: some two milliseconds, because turns of the event loop have to be short. */
const BATCH = 15
/** Units of work that a batch costs. */
const PRICE = 1.2
const DAY = 86_400_000
/** Up to so many events are made as a whole, with an ETag of their bytes, and are kept like lists. */
export const WHOLE = 250
/** Feeds with more events that are sent at a time, in all and to one address: each holds a list of IDs, and all share the turns. */
const PLACES = { all: 20, each: 5 }
/** Bytes of longer feeds that are kept: of all, and the most of one. */
const KEPT = { all: 8 * 2 ** 20, each: 4 * 2 ** 20 }

type SeriesOfFeed = ReturnType<typeof openWholeSeries>

/** The next so many of what is left. */
export function nextOf<T>(left: Iterator<T>, count: number): T[] {
  const batch: T[] = []
  for (let next = left.next(); !next.done; next = left.next()) {
    batch.push(next.value)
    if (batch.length === count) break
  }
  return batch
}

/** Sends events in formats, at most so many long feeds at a time. */
export function openFeeds({ store, site, base, host }: Service) {
  const stream = openStreams()
  /** One batch in each turn of the event loop, for all feeds together. */
  const inTurn = openSemaphore(1, Number.POSITIVE_INFINITY)
  const places = openBudget(PLACES.all, PLACES.each)
  const kept = openKept(KEPT)

  /** Those of these events that still belong to the feed, each as it is now, and their series, from one state of the data. */
  const read = (found: Found, ids: number[], request: FastifyRequest, repeating: SeriesOfFeed) => {
    const { selection, opens } = found
    const { caller, latest } = request
    return store.consistently({ latest }, async () => {
      const isChanged = store.changes.latest().seq !== latest.seq
      const still = async (some: number[]) =>
        selection && isChanged ? store.lists.stillMatching(selection, some) : some
      const events = (await store.records.posts(await still(ids), { caller, opens })) as EventRecord[]
      return { events, series: await repeating.find(events, still) }
    })
  }

  async function* batchesOf(found: Found, request: FastifyRequest, format: Format): Batches {
    const repeating = openWholeSeries(store, request.caller, found, format)
    const left = repeating.left(found.ids)
    for (let ids = nextOf(left, BATCH); ids.length > 0; ids = nextOf(left, BATCH)) {
      request.spend?.(PRICE)
      yield await inTurn(async () => {
        const { events, series } = await read(found, ids, request, repeating)
        await request.server.calm()
        return repeating.arrange(events, series)
      })
    }
  }

  /** Takes a place for a long feed, and returns what gives it back. Throws 503 if there is none. */
  function enter(request: FastifyRequest) {
    const client = clientOf(request)
    if (places.reserve(1, client)) throw overloaded()
    return () => places.release(1, client)
  }

  const headOf = async (found: Found, request: FastifyRequest, at_utc: string | undefined): Promise<Feed> => {
    const { i18n_language: language = mountOf(request)?.language } = request.query as {
      i18n_language?: string
    }
    return {
      ...found.head,
      base,
      host,
      site: await store.identity(),
      language: language ?? site.languages[0]!,
      timezone: site.zone,
      earliest: () => store.lists.earliest(found.ids),
      updated: at_utc === undefined ? undefined : toEpoch(at_utc, 'UTC'),
    }
  }

  /** Sends the events that `find` finds: few as a whole, many as a stream. */
  return async (request: FastifyRequest, reply: FastifyReply, format: Format, find: () => Promise<Found>) => {
    let leave: (() => void) | undefined
    try {
      const { found, feed, lastChange, bytes } = await store.consistently(request, async () => {
        const { all, ...found } = await find()
        if (all) {
          leave ??= enter(request)
          found.ids = await all()
        }
        const { at_utc, count } = await store.lists.lastChange(found.ids, request.caller)
        // what is no longer known changed before today, or will have a time
        const lastChange = at_utc === undefined ? [Math.floor(site.clock() / DAY)] : [at_utc, count]
        const feed = await headOf(found, request, at_utc)
        const bytes = all ? undefined : await printFeed(format, feed, batchesOf(found, request, format))
        return { found, feed, lastChange, bytes }
      })
      addCorrections(reply, request.corrections)
      if (bytes) return reply.type(format.type).send(bytes)
      const { caller, latest } = request
      const etag = traitsTag(format, feed, { ids: found.ids, lastChange, caller })
      const known = kept.get(etag)
      if (known) return reply.type(format.type).header('etag', etag).send(known)
      const isUnchanged = () => store.changes.latest().seq === latest.seq
      const parts = kept.keep(etag, partsOf(format, feed, batchesOf(found, request, format)), isUnchanged)
      const sent = stream(request, reply, { type: format.type, etag, parts }, leave!)
      leave = undefined
      return sent
    } finally {
      leave?.()
    }
  }
}
export type Send = ReturnType<typeof openFeeds>

/** A series that a feed comes to for the first time: as a whole with the IDs of the events that it is written for, or not held as a whole. */
type Examined = { id: number; whole?: WholeSeries; written: number[] }

/**
 * The series of which a feed holds all events, in a format that writes them as one. Nothing is asked for events that are no dates of
 * series, nor for formats that list them.
 */
export function openWholeSeries(
  { records }: Pick<Store, 'records'>,
  caller: Caller,
  { head: { single }, ids, opens }: { head: Pick<Feed, 'single'> } & Pick<Found, 'ids' | 'opens'>,
  { withSeries }: Format,
) {
  /** Series that were examined. */
  const known = new Set<number>()
  /** Events that were written with their series. */
  const written = new Set<number>()

  let among: Set<number> | undefined

  const unknownOf = (events: EventRecord[]) =>
    new Set(
      events.flatMap(({ occurrence }) =>
        occurrence && !known.has(occurrence.series_id) ? [occurrence.series_id] : [],
      ),
    )

  /** A series with those of its events that the feed has, if these are all but some with a status of their own. */
  async function examine(
    series: SeriesRecord,
    given: WholeSeries['dates'],
    still: (ids: number[]) => Promise<number[]>,
  ): Promise<Examined> {
    among ??= new Set(ids)
    const had = given.map(({ post_id }) => post_id).filter((id) => among!.has(id))
    const held = new Set(await still(had))
    const isHeld = given.every(({ status, post_id }) => status !== series.status || held.has(post_id))
    const whole = { series, dates: given.filter(({ post_id }) => held.has(post_id)) }
    const alone = isHeld && canRead(caller, series) ? withSeries!(whole) : undefined
    return { id: series.id, whole: alone && whole, written: alone ?? [] }
  }

  return {
    /** The series that some events are the first dates of in this feed. `still` gives those of some events that it still has. */
    async find(events: EventRecord[], still: (ids: number[]) => Promise<number[]>): Promise<Examined[]> {
      if (!withSeries || single) return []
      const unknown = [...unknownOf(events)]
      if (unknown.length === 0) return []
      const dates = await records.dates(unknown)
      const series = (await records.posts(unknown, { caller, opens })) as SeriesRecord[]
      const examined: Examined[] = []
      for (const one of series)
        examined.push(
          await examine(
            one,
            dates.filter(({ series_id }) => series_id === one.id),
            still,
          ),
        )
      return examined
    },
    /** What is written of some events: each series before the first of its events, and without those that it is written for. */
    arrange(events: EventRecord[], examined: Examined[]): (EventRecord | WholeSeries)[] {
      for (const one of examined) {
        known.add(one.id)
        for (const id of one.written) written.add(id)
      }
      return [...examined.flatMap(({ whole }) => whole ?? []), ...events.filter(({ id }) => !written.has(id))]
    },
    /** Those of some IDs that are not written yet. */
    *left(ids: number[]): Generator<number> {
      for (const id of ids) if (!written.has(id)) yield id
    },
  }
}

/** Events in batches, in order; in formats that write series, each before its events. */
export type Batches = AsyncIterable<(EventRecord | WholeSeries)[]>

/** What a reader may keep the service waiting: so many milliseconds, and one more for each so many bytes. */
const PATIENCE = 30_000
const SLOWEST = 16
/** Milliseconds after which readers are checked again. */
const CHECKED = 5_000
/** Bytes that are written ahead of a client. */
const AHEAD = 2 ** 16

/** The bytes of a feed in parts, as they are written. */
export async function* partsOf(format: Format, feed: Feed, batches: Batches): AsyncGenerator<Buffer> {
  const writer = format.open(feed)
  yield Buffer.from(writer.head())
  for await (const parts of batches)
    yield Buffer.from(
      parts.map((part) => ('dates' in part ? writer.series!(part) : writer.event(part))).join(''),
    )
  yield Buffer.from(writer.foot())
}

/** The bytes of a feed. */
async function printFeed(format: Format, feed: Feed, batches: Batches): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of partsOf(format, feed, batches)) parts.push(part)
  return Buffer.concat(parts)
}

/**
 * The bytes of long feeds that were sent, by what identifies them, so that they are not written again for the next one who asks. They last until a write
 * changes something that the feed shows.
 */
export function openKept({ all, each }: { all: number; each: number }) {
  const kept = new LRUCache<string, Buffer>({
    maxSize: all,
    maxEntrySize: each,
    sizeCalculation: ({ length }) => length,
  })
  let isKeeping = false
  return {
    get: (etag: string) => kept.get(etag),
    /** Passes on the parts of a feed, and keeps them if it ends unchanged. Of several at a time one is kept, so that they take little memory. */
    async *keep(etag: string, parts: AsyncIterable<Buffer>, isUnchanged: () => boolean) {
      if (isKeeping) return yield* parts
      isKeeping = true
      let [sent, length]: [Buffer[], number] = [[], 0]
      try {
        for await (const part of parts) {
          length += part.length
          if (length > each) sent = []
          else sent.push(part)
          yield part
        }
        if (sent.length > 0 && isUnchanged()) kept.set(etag, Buffer.concat(sent))
      } finally {
        isKeeping = false
      }
    },
  }
}

/** What identifies the bytes of a feed, as far as it is known without them. */
type Traits = { ids: number[]; lastChange: (string | number)[]; caller: FastifyRequest['caller'] }

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
async function* timed(parts: AsyncIterable<Buffer>, reader: Reader): AsyncGenerator<Buffer> {
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
  let timer: NodeJS.Timeout | undefined
  const check = () => {
    for (const reader of readers) if (isSlow(reader)) reader.stream.destroy()
  }
  function watch(reader: Reader) {
    readers.add(reader)
    timer ??= setInterval(check, CHECKED)
    reader.stream.once('close', () => {
      readers.delete(reader)
      if (readers.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }

  /** `left` is called when the client has all of it, or left, or was too slow. */
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { type, etag, parts }: { type: string; etag: string; parts: AsyncIterable<Buffer> },
    left: () => void,
  ) => {
    const reader = { sent: 0, waited: 0, since: undefined } as unknown as Reader
    const written = timed(parts, reader)
    const stream = Readable.from(written, { objectMode: false, highWaterMark: AHEAD })
    stream.once('close', left)
    watch(Object.assign(reader, { stream }))
    reply.type(type)
    if (!accepts(request, 'gzip')) return reply.header('etag', etag).send(stream)
    const zip = pipeline(stream, createGzip({ level: QUICK, chunkSize: AHEAD }), () => {})
    return reply.header('content-encoding', 'gzip').header('etag', encodedEtag(etag)).send(zip)
  }
}
