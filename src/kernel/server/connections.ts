import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { clientOf, networkOf } from '../rate-limits.ts'
import { inNextTurn, openLine } from '../tasks/semaphore.ts'
import type { Warnings } from './log.ts'

/** How many requests may wait on one connection, and on all connections together. */
const MOST_WAITING = 32
const MOST_WAITING_IN_ALL = 4_096
/** How many of those that waited are passed on in a turn of the event loop, so that others have most of it. */
const RESUMED_EACH_TURN = 4

/** The requests that wait on a connection. Of one that is full, nothing more is read. */
type Line = { waiting: number; full: boolean }
const lines = new WeakMap<Socket, Line>()

/** Whether a connection has sent more requests than may wait. It ends with the response to the last one that was accepted. */
export const isFull = (socket: Socket) => lines.get(socket)?.full === true

/** The number by which a callback of the parser of Node.js says that parsing is to end. */
const STOP = -1
/** The code of the error that follows. */
export const STOPPED = 'HPE_CB_HEADERS_COMPLETE'
type Parser = { onIncoming?: ((...request: unknown[]) => number) | null }

/**
 * Stops the parser of a connection once its line is full. Without this, Node.js parses all requests of a chunk, some 2,000, in one
 * turn of the event loop. A parser that has no such callback goes on, and what it finds is ignored.
 */
export function stopWhenFull({ parser }: { parser?: Parser | null }, line: Line) {
  const parse = parser?.onIncoming
  if (!parse) return
  parser.onIncoming = (...request) => (line.full ? STOP : parse(...request))
}

/**
 * Passes the requests of each connection on one by one, because a client may send thousands without waiting for a response (RFC 9112
 * §9.3.2). A request waits until the response before it was taken by the client; then a few of those that waited go on in each turn of the event loop.
 */
export function openLines({ each = MOST_WAITING, all = MOST_WAITING_IN_ALL } = {}) {
  let waiting = 0
  const ready: (() => void)[] = []
  const plan = inNextTurn(() => {
    for (const pass of ready.splice(0, RESUMED_EACH_TURN)) pass()
    if (ready.length > 0) plan()
  })

  function lineOf(socket: Socket): Line {
    const known = lines.get(socket)
    if (known) return known
    const line = { waiting: 0, full: false }
    lines.set(socket, line)
    stopWhenFull(socket as { parser?: Parser }, line)
    socket.once('close', () => {
      waiting -= line.waiting
      line.waiting = 0
    })
    return line
  }

  return {
    /** The number of requests that wait on all connections. */
    waiting: () => waiting,
    inTurn(answer: RequestListener): RequestListener {
      return (request, response) => {
        if (response.socket) return answer(request, response) // no other response of this connection is under way
        const { socket } = request
        const line = lineOf(socket)
        if (line.full) return
        line.waiting++
        waiting++
        if (line.waiting >= each || waiting >= all) {
          line.full = true
          response.setHeader('connection', 'close')
          linger(socket)
        }
        response.once('socket', () => {
          line.waiting--
          waiting--
          ready.push(() => {
            if (!socket.destroyed) answer(request, response)
          })
          plan()
        })
      }
    },
  }
}

/** Whether a request lacks what HTTP/1.1 requires (RFC 9112 §3.2). Node.js would answer any number of these at once. */
const lacksHost = ({ headers, httpVersion }: IncomingMessage) =>
  headers.host === undefined && httpVersion === '1.1'

function refuse(response: ServerResponse, status: number) {
  response.writeHead(status, { connection: 'close' })
  response.end()
}

/** Puts a line before a listener of requests, also for those that Node.js would answer by itself. */
export function addLines(server: Server, { inTurn }: ReturnType<typeof openLines>, answer: RequestListener) {
  server.on(
    'checkExpectation',
    inTurn((_request, response) => refuse(response, 417)),
  )
  return inTurn((request, response) =>
    lacksHost(request) ? refuse(response, 400) : answer(request, response),
  )
}

/** Bounds what a connection may send without waiting for responses. */
export const pipelining = fp(
  async (app) => {
    app.enter('pipelining', (next) => addLines(app.server as Server, openLines(), next))
  },
  { name: 'pipelining', dependencies: ['entrance'] },
)

declare module 'fastify' {
  interface FastifyInstance {
    /** Waits for a turn of the event loop in which nobody connected, for long work that goes on in steps. */
    calm(): Promise<void>
  }
}

/** Turns for which long work waits at most while connections come. */
const MOST_TURNS = 50

/**
 * Requests that are begun in a turn of the event loop; what arrives later waits for the next one. A turn has to be short, because
 * Node.js accepts one new connection in each: while connections come, a single one is begun.
 */
const BEGUN_EACH_TURN = 4

/** Writes of callers who say who they are: those that arrive together are committed together. */
const isWrite = ({ method, headers }: IncomingMessage) =>
  method !== 'GET' && method !== 'HEAD' && headers.authorization !== undefined

/**
 * Begins a few requests in each turn of the event loop, and all writes. Reads wait for the turn after the one in which they arrived, as only then is it
 * known whether their clients have left meanwhile: thousands of those cost no more than their connections. They are begun by turns of the clients
 * who sent them, so that hundreds that arrive together from one address do not delay the few of others. `connections` counts those that came so far.
 */
export function openAdmission(
  answer: RequestListener,
  clientOf: (request: IncomingMessage) => string,
  connections = () => 0,
): RequestListener {
  const line = openLine<() => void>()
  /** What arrived in this turn. */
  let fresh: { client: string; begin: () => void }[] = []
  let left = BEGUN_EACH_TURN
  let known = 0

  function begin(request: IncomingMessage, response: ServerResponse) {
    left--
    answer(request, response)
  }
  const plan = inNextTurn(() => {
    left = known === connections() ? BEGUN_EACH_TURN : 1
    known = connections()
    while (left > 0 && line.size() > 0) line.next()!()
    for (const { client, begin } of fresh) line.add(client, begin)
    fresh = []
    if (left < BEGUN_EACH_TURN || line.size() > 0) plan()
  })

  return (request, response) => {
    plan()
    if (isWrite(request)) return begin(request, response)
    fresh.push({
      client: clientOf(request),
      begin: () => {
        if (!request.destroyed && !request.socket.destroyed) begin(request, response)
      },
    })
  }
}

/** Lets requests that the cache does not answer begin by turns. */
export const admission = fp<{ addressOf(request: IncomingMessage): string | undefined }>(
  async (app, { addressOf }) => {
    let connections = 0
    app.server.on('connection', () => connections++)
    app.decorate('calm', async () => {
      for (let turns = 0; turns < MOST_TURNS; turns++) {
        const before = connections
        await nextTurn()
        if (connections === before) return
      }
    })
    const clientOf = (request: IncomingMessage) => networkOf(addressOf(request) ?? '')
    app.enter('admission', (next) => openAdmission(next, clientOf, () => connections))
  },
  { name: 'admission', dependencies: ['entrance'] },
)

/** Milliseconds for which a connection stays open after its last response. A reset at once could lose the response. */
const LINGER = 1_000
/** Connections of the process whose rest is read meanwhile, so that a client that sends all before it reads gets its response. */
const MOST_READ = 4
/** Bytes of rests that are read before others are left unread, and how many more each second: what is read is garbage, which V8 collects. */
const AT_ONCE = 32 * 2 ** 20
const EACH_SECOND = 8 * 2 ** 20

type Lingering = Pick<Socket, 'bytesRead' | 'destroySoon' | 'end' | 'pause' | 'destroy'> & {
  once(event: 'close', done: () => void): unknown
}

/**
 * Reads, or leaves unread, what clients send after the last response of their connections. `clock` counts milliseconds.
 */
export function openLingering(clock: () => number) {
  let reading = 0
  let room = AT_ONCE
  let filled = clock()
  const hasRoom = () => {
    const now = clock()
    room = Math.min(AT_ONCE, room + ((now - filled) / 1_000) * EACH_SECOND)
    filled = now
    return room > 0
  }

  /**
   * Makes a connection that is closed with its last response wait a moment for what the client still sends. If many wait, or much was read
   * lately, the rest of the later ones is left unread, so that a flood of refused uploads costs little.
   */
  return (socket: Lingering) => {
    socket.destroySoon = () => {
      socket.end()
      if (reading < MOST_READ && hasRoom()) {
        reading++
        const before = socket.bytesRead
        socket.once('close', () => {
          reading--
          room -= socket.bytesRead - before
        })
      } else setImmediate(() => socket.pause()) // Node.js resumes it after the response
      setTimeout(() => socket.destroy(), LINGER).unref()
    }
  }
}

/** That of this process. */
export const linger = openLingering(() => performance.now())

declare module 'fastify' {
  interface FastifyInstance {
    /** Bounds what the connections of one more server leave unread. */
    watchSlowReaders(server: Server): void
  }
}

/** Bytes of responses that may wait in memory until their clients read them, on all connections together. */
const MOST_UNREAD = 64 * 2 ** 20
/** Milliseconds between two looks. */
const CHECKED_EVERY = 250

type Waiting = { socket: Socket; bytes: number }

/** The sum of what waits. */
const sumOf = (some: Waiting[]) => some.reduce((sum, { bytes }) => sum + bytes, 0)

/**
 * Which connections have to be closed, so that no more than `most` bytes wait: those of the address for which the most bytes wait come
 * first, and of these the ones with the most bytes.
 */
export function findExcess(sockets: Iterable<Socket>, most: number): Waiting[] {
  const waiting = [...sockets]
    .map((socket) => ({ socket, bytes: socket.writableLength }))
    .filter(({ bytes }) => bytes > 0)
  let over = sumOf(waiting) - most
  if (over <= 0) return []
  const byClient = new Map<string, Waiting[]>()
  for (const one of waiting) {
    const client = clientOf({ ip: String(one.socket.remoteAddress) })
    const own = byClient.get(client)
    if (own) own.push(one)
    else byClient.set(client, [one])
  }
  const ordered = [...byClient.values()]
    .sort((a, b) => sumOf(b) - sumOf(a))
    .flatMap((own) => own.sort((a, b) => b.bytes - a.bytes))
  const excess: Waiting[] = []
  for (const one of ordered) {
    if (over <= 0) break
    excess.push(one)
    over -= one.bytes
  }
  return excess
}

type Options = { warnings: Warnings; most?: number; every?: number }

/** Closes connections whose clients do not read if too many bytes wait for them. Nothing runs while there are no connections. */
export function openWatch(
  log: FastifyInstance['log'],
  { warnings, most = MOST_UNREAD, every = CHECKED_EVERY }: Options,
) {
  const sockets = new Set<Socket>()
  let timer: NodeJS.Timeout | undefined

  function look() {
    const excess = findExcess(sockets, most)
    for (const { socket } of excess) socket.destroy()
    if (excess.length > 0)
      warnings.warn(
        'unread',
        log,
        { connections: excess.length, bytes: sumOf(excess) },
        'connections were closed, because their clients did not read the responses that they had requested',
      )
  }

  return (server: Server) =>
    void server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      timer ??= setInterval(look, every).unref()
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    })
}

/** Bounds the bytes of responses that wait for clients which do not read. */
export const slowReaders = fp<Options>(
  async (app, options) => {
    const watch = openWatch(app.log, options)
    app.decorate('watchSlowReaders', watch)
    watch(app.server as Server)
  },
  { name: 'slow readers', dependencies: ['log'] },
)
