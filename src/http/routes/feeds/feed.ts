import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Feed, Format } from '../../../formats/format.ts'
import type { EventRecord } from '../../../formats/records.ts'
import { toEpoch } from '../../../rules/time/dates.ts'
import type { Selection, View } from '../../../store/store.ts'
import { overloaded } from '../../../support/errors.ts'
import { openSemaphore } from '../../../support/semaphore.ts'
import { openBudget } from '../../limits/budgets.ts'
import { clientOf } from '../../limits/limits.ts'
import { type Batches, openStreams, printFeed } from '../../output/feed.ts'
import type { Service } from '../../resource/service.ts'
import { mountOf } from '../../server/mounts.ts'

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

/** Sends events in formats, at most so many long feeds at a time. */
export function openFeeds({ store, site, base, host }: Service) {
  const stream = openStreams()
  /** One batch in each turn of the event loop, for all feeds together. */
  const inTurn = openSemaphore(1, Number.POSITIVE_INFINITY)
  const places = openBudget(PLACES.all, PLACES.each)

  /** Those of these events that still belong to the feed, each as it is now, from one state of the data. */
  const recordsOf = ({ selection, opens }: Found, ids: number[], { caller, latest }: FastifyRequest) =>
    store.consistently({ latest }, async () => {
      const isChanged = store.changes.latest().seq !== latest.seq
      const selected = selection && isChanged ? await store.lists.still(selection, ids) : ids
      return (await store.records.posts(selected, { caller, opens })) as EventRecord[]
    })

  async function* batchesOf(found: Found, request: FastifyRequest): Batches {
    for (let at = 0; at < found.ids.length; at += BATCH) {
      const ids = found.ids.slice(at, at + BATCH)
      request.spend?.(PRICE)
      yield await inTurn(async () => {
        const records = await recordsOf(found, ids, request)
        await request.server.calm()
        return records
      })
    }
  }

  /** Takes a place for a long feed, and returns what gives it back. Throws 503 if there is none. */
  function enter(request: FastifyRequest) {
    const client = clientOf(request)
    if (places.take(1, client)) throw overloaded()
    return () => places.give(1, client)
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
        const bytes = all ? undefined : await printFeed(format, feed, batchesOf(found, request))
        return { found, feed, lastChange, bytes }
      })
      if (bytes) return reply.type(format.type).send(bytes)
      const { ids } = found
      const { caller } = request
      const traits = { ids, lastChange, caller }
      const sent = stream(request, reply, format, feed, batchesOf(found, request), traits, leave!)
      leave = undefined
      return sent
    } finally {
      leave?.()
    }
  }
}
export type Send = ReturnType<typeof openFeeds>
