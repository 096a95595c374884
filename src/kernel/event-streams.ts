import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Changes } from './database/changes.ts'
import type { Db } from './database/db.ts'
import { ApiError, overloaded, tokenAhead } from './errors.ts'
import { idAlone, message, retryAfter } from './output/negotiation.ts'
import { clientOf, openBudget } from './rate-limits.ts'
import { errorBody } from './server/errors.ts'
import { hear, type Warnings } from './server/log.ts'
import { openFairSemaphore } from './tasks/semaphore.ts'

declare module 'fastify' {
  interface FastifyInstance {
    eventStreams: {
      /** The number of connections that listen in this process. */
      count(): number
      /** A stream of what a channel tells from a cursor on. Throws what its first read throws, 429 and 503. */
      join<C extends Cursor>(request: FastifyRequest, channel: Channel<C>, cursor: C): Promise<Readable>
    }
    /**
     * Waits until this process has the row of the log with this number, or knows that nobody has it. Returns false if another process
     * answers the request. Throws `sync-token-ahead` if the row does not come in time.
     */
    awaitChange(request: FastifyRequest, reply: FastifyReply, seq: number): Promise<boolean>
    /** Runs long work with a signal that the client has left, or that the service is stopping. */
    whileConnected<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  }
}

/**
 * Milliseconds between two questions to the log while somebody listens; between two beats, the second of which breaks a silence; and
 * before a client connects again.
 */
export type Pace = { poll: number; beat: number; retry: number }
const PACE: Pace = { poll: 50, beat: 10_000, retry: 1_000 }
/** Milliseconds after which the writer publishes scheduled records again, for which listeners of other processes wait. */
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
  store: { changes: Pick<Changes, 'latest'>; schedule: { publish(): Promise<unknown> } }
  warnings: Warnings
  worker: { writes: boolean } | undefined
  /** The greatest number of listeners. */
  most: number
  pace?: Pace | undefined
}

/** Connections that stay open and are told what is written, also by other processes. Nothing runs while there are none. */
export const eventStreams = fp<Options>(
  async (app, { store: { changes, schedule }, warnings, worker, most, pace = PACE }) => {
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
    let polling: NodeJS.Timeout | undefined
    let beating: NodeJS.Timeout | undefined

    const publish = () =>
      schedule
        .publish()
        .catch((err) =>
          warnings.warn('schedule', app.log, { err }, 'scheduled records could not be published'),
        )

    /** Tells what is new, and waits for at least as long as that took. */
    async function poll() {
      const began = performance.now()
      if (!worker) await publish()
      await channels.notify()
      polling = setTimeout(poll, Math.max(pace.poll, performance.now() - began))
      if (channels.count() === 0) rest()
    }
    function wake() {
      if (beating) return
      polling = setTimeout(poll, pace.poll)
      beating = setInterval(channels.beat, pace.beat)
    }
    function rest() {
      clearTimeout(polling)
      clearInterval(beating)
      beating = undefined
    }
    if (worker?.writes) {
      const publishing = setInterval(publish, PUBLISH).unref()
      app.addHook('onClose', async () => clearInterval(publishing))
    }
    app.addHook('preClose', async () => {
      channels.stop()
      rest()
    })

    app.decorate('eventStreams', {
      count: channels.count,
      async join(request: FastifyRequest, channel: Channel, cursor: Cursor) {
        const client = clientOf(request)
        const why = budget.reserve(1, client)
        if (why) throw refused(why, each)
        const leave = () => budget.release(1, client)
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
  { name: 'eventStreams', dependencies: ['log', 'limits'] },
)

/**
 * Lets requests wait: for a change that another process has, where this one answers from a copy that is behind, and for long work of
 * their own. Of several processes on a copy, the one that brings changes to it answers. Where there is one file, everything is here.
 */
export const awaiting = fp<{
  store: { db: Pick<Db, 'fresh' | 'waitUntil'>; changes: Pick<Changes, 'latest'> }
}>(
  async (app, { store: { db, changes } }) => {
    const waiting = new Set<AbortController>()
    app.addHook('preClose', async () => {
      for (const one of waiting) one.abort()
    })

    app.decorate('whileConnected', async ({ raw }, work) => {
      const one = new AbortController()
      const leave = () => one.abort()
      waiting.add(one)
      raw.once('close', leave)
      if (raw.destroyed) leave()
      try {
        return await work(one.signal)
      } finally {
        raw.off('close', leave)
        waiting.delete(one)
      }
    })

    app.decorate('awaitChange', async (request: FastifyRequest, reply: FastifyReply, seq: number) => {
      const isHere = () => seq <= changes.latest().seq
      if (isHere()) return true
      await turn() // this one may have begun before another process wrote
      const { fresh, waitUntil } = db
      if (isHere() || !fresh) return true
      if (!waitUntil) {
        await app.forwardToWriter!(request, reply)
        return false
      }
      if ((await app.whileConnected(reply, (signal) => waitUntil(isHere, signal))) === 'late')
        throw tokenAhead()
      return true
    })
  },
  { name: 'awaiting' },
)

/** How far a listener has come: the last row of the log that is done, apart from the rest of a beginning. It is plain JSON. */
export type Cursor = { at: number; rest?: object }

/** What was read at a place: a message, which may tell nothing, and the place after it. */
export type Told<C = Cursor> = { message: Buffer; isEmpty: boolean; cursor: C }
/** What some listeners hear alike. */
export type Channel<C = Cursor> = {
  /** Equal for channels that tell the same. */
  key: string
  read(cursor: C): Promise<Told<C>>
  /** A token of a place. */
  token(cursor: C): Promise<string>
  /** Throws if the caller may not listen any more. */
  check(): Promise<void>
}

type Listener = {
  stream: Readable
  /** How far it has come. */
  cursor: Cursor
  /** Whether all that was sent has left the process. */
  isReady: boolean
  /** Whether nothing was sent since the last beat. */
  isQuiet: boolean
  /** The beats that found the listener not ready, one after the other. */
  late: number
  /** Counts upwards with each turn of those who catch up. */
  turn: number
}
type Group = Channel & { listeners: Set<Listener> }

/** Rows of the log behind which a listener catches up, and how many places of these are read before the others are looked at again. */
const FAR = 200
const CATCHING_UP = 4
/** Listeners that are written to in one turn of the event loop. */
const BATCH = 100
/** A listener that is not ready for so many beats is cut off. */
const MOST_LATE = 3
/** The longest time after which clients connect again, as a multiple of the shortest: at random, so that not all come at once. */
const SPREAD = 5

/**
 * Tells listeners what was written. Those with the same channel and place are served by one read and one message. A listener gets the
 * next message when the last one has left the process, so that each holds one message at most, and a slow one reads several writes at
 * once. `retry` is the least number of milliseconds after which clients connect again.
 */
export function openChannels(changes: Pick<Changes, 'latest'>, retry: number, warn: (err: unknown) => void) {
  const groups = new Map<string, Group>()
  let seen = -1
  let isRunning = false
  let again = false
  let isStopped = false
  let count = 0
  let turns = 0

  const isFar = ({ cursor }: Listener) => cursor.rest !== undefined || seen - cursor.at > FAR
  const isBehind = ({ isReady, cursor }: Listener) =>
    isReady && (cursor.rest !== undefined || cursor.at < seen)

  /** Calls `work` for each of these, for some of them in each turn. */
  async function each(listeners: Iterable<Listener>, work: (listener: Listener) => void) {
    for (const [at, listener] of [...listeners].entries()) {
      if (at % BATCH === BATCH - 1) await turn()
      work(listener)
    }
  }

  function send(listener: Listener, ...parts: (Buffer | null)[]) {
    Object.assign(listener, { isReady: false, isQuiet: false })
    for (const part of parts) listener.stream.push(part)
  }

  /** Ends a stream, at once if it does not take what it was sent. */
  const end = (listener: Listener, ...last: Buffer[]) =>
    listener.isReady ? send(listener, ...last, null) : listener.stream.destroy()

  /** Tells listeners why they hear nothing more. Errors of the service are logged, and leave them waiting. */
  async function fail(listeners: Iterable<Listener>, error: unknown) {
    if (!(error instanceof ApiError) || error.status >= 500) return warn(error)
    const last = message('failure', Buffer.from(JSON.stringify(errorBody(error))))
    await each(listeners, (listener) => end(listener, last))
  }

  /** Whether the caller of a group may still listen; otherwise its listeners are told so. */
  async function holds(group: Group): Promise<boolean> {
    try {
      await group.check()
      return true
    } catch (error) {
      await fail(group.listeners, error)
      return false
    }
  }

  /** Takes listeners at one place to the next one; returns whether that was possible. */
  async function advance(group: Group, listeners: Listener[]): Promise<boolean> {
    const free = (isReady: boolean) => {
      for (const listener of listeners) listener.isReady = isReady
    }
    free(false) // nothing else is sent to them meanwhile
    turns++
    for (const listener of listeners) listener.turn = turns
    try {
      const { message, isEmpty, cursor } = await group.read(listeners[0]!.cursor)
      await each(listeners, (listener) => {
        listener.cursor = cursor
        if (isEmpty) listener.isReady = true
        else send(listener, message)
      })
      return true
    } catch (error) {
      free(true)
      await fail(listeners, error)
      return false
    }
  }

  /** Listeners by their place. */
  function byPlace(listeners: Iterable<Listener>): Listener[][] {
    const places = new Map<string, Listener[]>()
    for (const listener of listeners) {
      const place = JSON.stringify(listener.cursor)
      const others = places.get(place)
      if (others) others.push(listener)
      else places.set(place, [listener])
    }
    return [...places.values()]
  }

  /** The places to be told of next: all that lag a little, and of those that catch up the few that have waited for the longest. */
  function next(): [Group, Listener[]][] {
    const all = [...groups.values()].flatMap((group) =>
      byPlace([...group.listeners].filter(isBehind)).map((listeners): [Group, Listener[]] => [
        group,
        listeners,
      ]),
    )
    const far = all.filter(([, [first]]) => isFar(first!))
    far.sort(([, [a]], [, [b]]) => a!.turn - b!.turn)
    return [...all.filter(([, [first]]) => !isFar(first!)), ...far.slice(0, CATCHING_UP)]
  }

  /** Tells one message at a time, and each in a turn of its own, until nobody who is ready lags behind. */
  async function notify() {
    again = true
    if (isRunning) return
    isRunning = true
    try {
      while (again && !isStopped) {
        again = false
        seen = changes.latest().seq
        for (const [group, listeners] of next()) {
          if ((await holds(group)) && (await advance(group, listeners))) again = true
          await turn()
        }
      }
    } catch (error) {
      warn(error)
    }
    isRunning = false
  }

  /** Cuts off who takes nothing, and returns those to whom nothing was sent since the last beat. */
  async function quiet(listeners: Iterable<Listener>): Promise<Listener[]> {
    const silent: Listener[] = []
    await each(listeners, (listener) => {
      const { isReady, isQuiet, stream } = listener
      if (!isReady && ++listener.late === MOST_LATE) stream.destroy()
      else if (isReady && isQuiet) silent.push(listener)
      else listener.isQuiet = true
    })
    return silent
  }

  /**
   * Sends a token alone, so that the connection stays open and the token does not end. It is sent whether or not something was written: a
   * listener does not hear of what it may not see.
   */
  async function touch(group: Group) {
    for (const listeners of byPlace(await quiet(group.listeners))) {
      const { cursor } = listeners[0]!
      const id = idAlone(await group.token(cursor))
      // nothing is taken back from who was told something meanwhile
      const ready = listeners.filter((listener) => listener.isReady && listener.cursor.at <= cursor.at)
      await each(ready, (listener) => send(listener, id))
    }
  }

  function groupOf(channel: Channel): Group {
    const group = groups.get(channel.key) ?? { ...channel, listeners: new Set() }
    groups.set(channel.key, group)
    return group
  }

  return {
    /** The number of listeners. */
    count: () => count,
    /** A stream that begins with a message, and then tells what follows. */
    add(channel: Channel, { message, cursor }: Told): Readable {
      const group = groupOf(channel)
      const listener: Listener = {
        stream: new Readable({
          highWaterMark: 0, // asks for more when the connection has taken all
          read() {
            Object.assign(listener, { isReady: true, late: 0 })
            if (isBehind(listener)) setImmediate(notify)
          },
        }),
        ...{ cursor, isReady: false, isQuiet: false, late: 0, turn: ++turns },
      }
      const { stream } = listener
      group.listeners.add(listener)
      count++
      stream.once('close', () => {
        listener.isReady = false
        group.listeners.delete(listener)
        if (group.listeners.size === 0) groups.delete(group.key)
        count--
      })
      const wait = Math.round(retry * (1 + Math.random() * (SPREAD - 1)))
      stream.push(Buffer.concat([retryAfter(wait), message]))
      if (isStopped) stream.push(null)
      return stream
    },
    notify,
    /** Keeps silent connections open, and ends those that take nothing, and those of callers who lost their rights. */
    async beat() {
      for (const group of groups.values()) {
        if (await holds(group)) await touch(group)
        await turn()
      }
    },
    /** Ends all streams, also those that are still to come after their first message. */
    stop() {
      isStopped = true
      for (const { listeners } of groups.values()) for (const listener of listeners) end(listener)
    },
  }
}
export type Channels = ReturnType<typeof openChannels>
