import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Changes } from '../database/changes.ts'
import { ApiError, overloaded } from '../errors.ts'
import { openBudget } from '../limits/budgets.ts'
import { clientOf } from '../limits/limits.ts'
import { hear } from '../server/log.ts'
import type { Warnings } from '../server/warnings.ts'
import { openFairSemaphore } from '../tasks/semaphore.ts'
import { type Channel, type Cursor, openChannels } from './channels.ts'

declare module 'fastify' {
  interface FastifyInstance {
    listeners: {
      /** The number of connections that listen in this process. */
      count(): number
      /** A stream of what a channel tells from a cursor on. Throws what its first read throws, 429 and 503. */
      join<C extends Cursor>(request: FastifyRequest, channel: Channel<C>, cursor: C): Promise<Readable>
    }
  }
}

/**
 * Milliseconds between two looks at the log while somebody listens; between two beats, the second of which breaks a silence; and before
 * a client connects again.
 */
export type Pace = { look: number; beat: number; retry: number }
const PACE: Pace = { look: 50, beat: 10_000, retry: 1_000 }
/** Milliseconds between two looks of the writer for scheduled records, which listeners of other processes wait for. */
const PUBLISH = 500
/** The share of all listeners that one address may have. */
const SHARE = 1 / 10
/** Seconds to wait before trying again. */
const RETRY_AFTER = 30

const refused = (why: 'own' | 'all', most: number) =>
  why === 'own'
    ? new ApiError(
        'rest_rate_limited',
        `One address may listen over ${most} connections at a time; close one, or try again in ${RETRY_AFTER} seconds.`,
        { retry_after: RETRY_AFTER },
      )
    : new ApiError(
        'rest_overloaded',
        `Too many clients are listening; try again in ${RETRY_AFTER} seconds.`,
        {
          retry_after: RETRY_AFTER,
        },
      )

type Options = {
  /** The log of changes, and what publishes what is scheduled. */
  store: { changes: Pick<Changes, 'latest'>; schedule: { settle(): Promise<unknown> } }
  warnings: Warnings
  link: { writes: boolean } | undefined
  /** The greatest number of listeners. */
  most: number
  pace?: Pace | undefined
}

/** Connections that stay open and are told what is written, also by other processes. Nothing runs while there are none. */
export const listeners = fp<Options>(
  async (app, { store: { changes, schedule }, warnings, link, most, pace = PACE }) => {
    const channels = openChannels(changes, pace.retry, (err) =>
      warnings.warn('listeners', app.log, { err }, 'listeners could not be told what was written'),
    )
    const each = Math.ceil(most * SHARE)
    const budget = openBudget(most, each)
    /** One read a turn of what was missed, for all who resume. */
    const catchUp = openFairSemaphore({ all: 1, each: 1 })
    /** The first message. Whoever missed something waits for their turn, and if they leave meanwhile, nothing is read. */
    async function begin({ raw }: FastifyRequest, client: string, channel: Channel, cursor: Cursor) {
      if (!cursor.rest && cursor.at >= changes.latest().seq) return channel.read(cursor)
      return catchUp.run(client, async () => {
        await turn()
        if (raw.socket.destroyed) throw overloaded()
        return channel.read(cursor)
      })
    }
    let looking: NodeJS.Timeout | undefined
    let beating: NodeJS.Timeout | undefined

    const publish = () =>
      schedule
        .settle()
        .catch((err) =>
          warnings.warn('schedule', app.log, { err }, 'scheduled records could not be published'),
        )

    /** Tells what is new, and waits for at least as long as that took. */
    async function look() {
      const began = performance.now()
      if (!link) await publish()
      await channels.tell()
      looking = setTimeout(look, Math.max(pace.look, performance.now() - began))
      if (channels.count() === 0) rest()
    }
    function wake() {
      if (beating) return
      looking = setTimeout(look, pace.look)
      beating = setInterval(channels.beat, pace.beat)
    }
    function rest() {
      clearTimeout(looking)
      clearInterval(beating)
      beating = undefined
    }
    if (link?.writes) {
      const publishing = setInterval(publish, PUBLISH).unref()
      app.addHook('onClose', async () => clearInterval(publishing))
    }
    app.addHook('preClose', async () => {
      channels.stop()
      rest()
    })

    app.decorate('listeners', {
      count: channels.count,
      async join(request: FastifyRequest, channel: Channel, cursor: Cursor) {
        const client = clientOf(request)
        const why = budget.take(1, client)
        if (why) throw refused(why, each)
        const leave = () => budget.give(1, client)
        const began = performance.now()
        const told = await begin(request, client, channel, cursor).catch((error) => {
          leave()
          throw error
        })
        const stream = channels.add(channel, told)
        request.lasts = true
        stream.once('close', () => {
          leave()
          const { log, method, originalUrl, ip, routeOptions } = request
          const milliseconds = performance.now() - began
          const answered = { log, method, originalUrl, ip, route: routeOptions.url!, status: 200 }
          hear(app.heard, { ...answered, milliseconds, lasted: true })
        })
        wake()
        return stream
      },
    })
  },
  { name: 'listeners', dependencies: ['log', 'limits'] },
)
