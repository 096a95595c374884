import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { Agent, request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Store } from '../../../calendar/store.ts'
import { tokenAhead } from '../../../kernel/errors.ts'
import { heedExpect } from '../../../kernel/input/bodies.ts'
import { isRead } from '../../../kernel/limits.ts'
import { EVENT_STREAM } from '../../../kernel/output/event-stream.ts'
import { findOutcome, notReached } from './outcome.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a GET writes, such as one of the steps of signing in with a provider. */
    writes?: true
  }
  interface FastifyRequest {
    /** Whether the writer serves the request, and logs and counts it. */
    passedOn?: boolean
  }
  interface FastifyInstance {
    /** Forwards a read to the writer, whose response is sent. Throws if there is none. Absent in the writer, and in a single process. */
    passOn?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
}

/** The role of a process among several on one database: the private folder for their sockets, and whether it is the writer. */
export type Link = { folder: string; writes: boolean }

/** The socket of the writer. */
export const socketIn = (folder: string) => join(folder, 'writer')

/** The header with the client address; trusted on the socket only. */
export const CLIENT = 'almanac-client'
/** The header with the ID by which the forwarding process finds the outcome of a request; trusted on the socket only. */
const RECEIPT_ID = 'almanac-mark'
/** Headers that end with their connection (RFC 9110 §7.6.1). */
const REQUEST_ENDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', CLIENT, RECEIPT_ID])
const ANSWER_ENDS = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** Alternating names and values of headers, without some names. */
const without = (headers: string[], names: Set<string>) =>
  headers.filter((_, at) => !names.has(headers[at - (at % 2)]!.toLowerCase()))

function headersOf({ rawHeaders, headers, socket }: IncomingMessage, id: string): string[] {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return [
    ...without(rawHeaders, REQUEST_ENDS),
    ...(isEmpty ? ['content-length', '0'] : []),
    ...[CLIENT, String(socket.remoteAddress), RECEIPT_ID, id],
  ]
}

/** Gives this process its role among several on one database; a single process has none. */
export const relay = fp<{ store: Store; link: Link; forwards: boolean }>(
  async (app, { store, link, forwards }) => {
    link.writes ? addReceipts(app, store.receipts) : addPassing(app, store, link, forwards)
  },
  { name: 'relay', dependencies: ['headers', 'cache'] },
)

/**
 * Forwards requests to the writer and returns its response: all except reads; requests with credentials, whose use and misuse is
 * counted there; and reads while a scheduled record is due. If the writer is down, reads are served here.
 */
function addPassing(
  app: FastifyInstance,
  { schedule, receipts }: Store,
  { folder }: Link,
  forwards: boolean,
) {
  const agent = new Agent({ keepAlive: true })
  const streams = new Set<IncomingMessage>()
  app.addHook('preClose', async () => {
    for (const stream of streams) stream.unpipe().destroy()
  })
  app.addHook('onRequest', (request, reply, done) => {
    const reads = isRead(request) && !request.routeOptions.config.writes
    if (reads && request.raw.headers.authorization === undefined && !schedule.isDue()) return done()
    pass(request, reply, ({ syscall }) => {
      if (reads) done()
      else if (syscall === 'connect') done(notReached())
      else findOutcome(receipts, request, socketIn(folder), forwards).then(done, done)
    })
  })
  app.decorate(
    'passOn',
    (request: FastifyRequest, reply: FastifyReply) =>
      new Promise<void>((resolve, reject) => pass(request, reply, () => reject(tokenAhead()), resolve)),
  )

  /** `failed` is called if there is no response, and `began` with its first byte. */
  function pass(
    request: FastifyRequest,
    reply: FastifyReply,
    failed: (error: NodeJS.ErrnoException) => void,
    began = () => {},
  ) {
    const { raw } = request
    const passed = ask({
      agent,
      socketPath: socketIn(folder),
      method: request.method,
      path: request.originalUrl,
      headers: headersOf(raw, request.id),
    })
    passed.on('continue', () => reply.raw.writeContinue())
    passed.on('response', (answer) => {
      request.passedOn = true
      reply.hijack()
      began()
      const headers = without(answer.rawHeaders, ANSWER_ENDS)
      if (answer.headers.connection === 'close') headers.push('connection', 'close') // a body is refused
      reply.raw.writeHead(answer.statusCode!, answer.statusMessage!, headers)
      if (answer.headers['content-type'] === EVENT_STREAM) passStream(answer, reply.raw, streams)
      else pipeline(answer, reply.raw, () => {})
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (!request.passedOn && !reply.raw.destroyed) failed(error)
    })
    // the response is complete, perhaps before the whole body was read, or the client has disconnected
    reply.raw.on('close', () => {
      raw.unpipe().resume()
      passed.destroy()
      request.admission?.leave?.() // it was no work of this process
    })
    passed.flushHeaders() // they may be enough for a refusal
    raw.pipe(passed)
  }
}

/** Forwards a stream that lasts. It is among `streams` until it ends; when one of these is closed here, the client sees it end. */
function passStream(stream: IncomingMessage, response: ServerResponse, streams: Set<IncomingMessage>) {
  streams.add(stream)
  stream.pipe(response)
  stream.on('error', () => {}) // the writer ended
  stream.once('close', () => {
    streams.delete(stream)
    response.end()
  })
}

/** Has the writes of forwarded requests leave receipts. For the writer. */
function addReceipts(app: FastifyInstance, { carry }: Store['receipts']) {
  app.addHook('preHandler', (request, _reply, done) => {
    const id = isRead(request) ? undefined : receiptIds.get(request.raw)
    if (id === undefined) done()
    else carry(id, done)
  })
}
const receiptIds = new WeakMap<IncomingMessage, string>()

/** Receives forwarded requests as if they came from the clients directly; returns the server once it listens. */
export async function takeWrites(app: FastifyInstance, { folder }: Link) {
  const path = socketIn(folder)
  // the other processes limit the time of their clients, and close the connections
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 2 ** 16 },
    (request, response) => {
      Object.defineProperty(request.socket, 'remoteAddress', {
        value: request.headers[CLIENT],
        configurable: true,
      })
      receiptIds.set(request, String(request.headers[RECEIPT_ID]))
      delete request.headers[CLIENT]
      delete request.headers[RECEIPT_ID]
      app.routing(request, response)
    },
  )
  heedExpect(server)
  app.watchSlowReaders(server)
  // closing with unread bytes of a body would overtake the response that refuses it
  server.on('connection', (socket) => {
    socket.destroySoon = () => void socket.end()
  })
  rmSync(path, { force: true }) // of one that was killed
  server.listen({ path, exclusive: true })
  await once(server, 'listening')
  return server
}
