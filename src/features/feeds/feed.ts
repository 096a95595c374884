import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventRecord } from '../../calendar/formats/records.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { Selection, View } from '../../calendar/store.ts'
import { openBudget } from '../../kernel/costs.ts'
import { overloaded } from '../../kernel/errors.ts'
import { clientOf } from '../../kernel/limits.ts'
import { addCorrections } from '../../kernel/output/header-values.ts'
import { mountOf } from '../../kernel/server/mounts.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { toEpoch } from '../../kernel/time/dates.ts'
import { type Batches, openStreams, printFeed } from './answer.ts'
import type { Feed, Format } from './formats/format.ts'
import { openRepeating } from './repeating.ts'

/** The events of a feed, and its head as far as a route knows it. */
export type Found = Pick<Feed, 'single' | 'title' | 'description' | 'self' | 'home' | 'next'> & {
  ids: number[]
  /** Finds all events, if `ids` are only the first `WHOLE` of them. */
  all?: (() => Promise<number[]>) | undefined
  /** What selected the events; undefined for one event. */
  selection?: Selection
  opens?: View['opens']
}

/** Events that are read and written at a time: some 1.5 milliseconds, because turns of the event loop have to be short. */
const BATCH = 5
/** Units of work that a batch costs. */
const PRICE = 0.4
const DAY = 86_400_000
/** Up to so many events are made as a whole, with an ETag of their bytes, and are kept like lists. */
export const WHOLE = 250
/** Feeds with more events that are sent at a time, in all and to one address: each holds a list of IDs, and all share the turns. */
const PLACES = { all: 20, each: 5 }

type Repeating = ReturnType<typeof openRepeating>

/** The next so many of what is left. */
function take<T>(left: Iterator<T>, count: number): T[] {
  const taken: T[] = []
  for (let next = left.next(); !next.done; next = left.next()) {
    taken.push(next.value)
    if (taken.length === count) break
  }
  return taken
}

/** Sends events in formats, at most so many long feeds at a time. */
export function openFeeds({ store, site, base, host }: Service) {
  const stream = openStreams()
  /** One batch in each turn of the event loop, for all feeds together. */
  const inTurn = openSemaphore(1, Number.POSITIVE_INFINITY)
  const places = openBudget(PLACES.all, PLACES.each)

  /** Those of these events that still belong to the feed, each as it is now, and their series, from one state of the data. */
  const read = (found: Found, ids: number[], request: FastifyRequest, repeating: Repeating) => {
    const { selection, opens } = found
    const { caller, latest } = request
    return store.consistently({ latest }, async () => {
      const isChanged = store.changes.latest().seq !== latest.seq
      const still = async (some: number[]) =>
        selection && isChanged ? store.lists.still(selection, some) : some
      const events = (await store.records.posts(await still(ids), { caller, opens })) as EventRecord[]
      return { events, series: await repeating.find(events, still) }
    })
  }

  async function* batchesOf(found: Found, request: FastifyRequest, format: Format): Batches {
    const repeating = openRepeating(store, request.caller, found, format)
    const left = repeating.left(found.ids)
    for (let ids = take(left, BATCH); ids.length > 0; ids = take(left, BATCH)) {
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
    const { single, title, description, self, home, next } = found
    return {
      ...{ single, title, description, self, home, next, base, host },
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
      const { ids } = found
      const { caller } = request
      const traits = { ids, lastChange, caller }
      const sent = stream(request, reply, format, feed, batchesOf(found, request, format), traits, leave!)
      leave = undefined
      return sent
    } finally {
      leave?.()
    }
  }
}
export type Send = ReturnType<typeof openFeeds>
