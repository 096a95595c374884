import { once } from 'node:events'
import { rmSync } from 'node:fs'
import {
  Agent,
  request as ask,
  createServer,
  get,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LAGGING, type ReplicaStatus, type Store } from '../calendar/store.ts'
import { ApiError, tokenAhead } from '../kernel/errors.ts'
import { heedExpect } from '../kernel/input/bodies.ts'
import { EVENT_STREAM } from '../kernel/output/negotiation.ts'
import { isRead } from '../kernel/rate-limits.ts'
import type { Standing } from '../kernel/server/plugins.ts'

/** The role of a process among several on one database: the private folder for their sockets, and whether it is the writer. */
export type WorkerRole = { folder: string; writes: boolean }

/** The socket of the writer. */
export const socketIn = (folder: string) => join(folder, 'writer')

/** The header with the client address; trusted on the socket only. */
export const CLIENT = 'almanac-client'
/** The header with the ID of the commit marker by which the forwarding process finds the outcome of a request; trusted on the socket only. */
const MARKER = 'almanac-mark'
/** Headers that end with their connection (RFC 9110 §7.6.1). */
const REQUEST_ENDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', CLIENT, MARKER])
const ANSWER_ENDS = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** Alternating names and values of headers, without some names. */
const without = (headers: string[], names: Set<string>) =>
  headers.filter((_, at) => !names.has(headers[at - (at % 2)]!.toLowerCase()))

function headersOf({ rawHeaders, headers, socket }: IncomingMessage, id: string): string[] {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return [
    ...without(rawHeaders, REQUEST_ENDS),
    ...(isEmpty ? ['content-length', '0'] : []),
    CLIENT,
    String(socket.remoteAddress),
    MARKER,
    id,
  ]
}

/** Gives this process its role among several on one database; a single process has none. */
export const relay = fp<{ store: Store; worker: WorkerRole; forwards: boolean }>(
  async (app, { store, worker, forwards }) => {
    worker.writes ? addMarkers(app, store.markers) : addForwarding(app, store, worker, forwards)
  },
  { name: 'relay', dependencies: ['headers', 'cache'] },
)

/**
 * Forwards requests to the writer and returns its response: all except reads; requests with credentials, whose use and misuse is
 * counted there; and reads while a scheduled record is due. If the writer is down, reads are served here.
 */
function addForwarding(
  app: FastifyInstance,
  { schedule, markers }: Store,
  { folder }: WorkerRole,
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
    forward(request, reply, ({ syscall }) => {
      if (reads) done()
      else if (syscall === 'connect') done(notReached())
      else findOutcome(markers, request, socketIn(folder), forwards).then(done, done)
    })
  })
  app.decorate(
    'forwardToWriter',
    (request: FastifyRequest, reply: FastifyReply) =>
      new Promise<void>((resolve, reject) => forward(request, reply, () => reject(tokenAhead()), resolve)),
  )

  /** `failed` is called if there is no response, and `began` with its first byte. */
  function forward(
    request: FastifyRequest,
    reply: FastifyReply,
    failed: (error: NodeJS.ErrnoException) => void,
    began = () => {},
  ) {
    const { raw } = request
    const outgoing = ask({
      agent,
      socketPath: socketIn(folder),
      method: request.method,
      path: request.originalUrl,
      headers: headersOf(raw, request.id),
    })
    outgoing.on('continue', () => reply.raw.writeContinue())
    outgoing.on('response', (answer) => {
      request.servedByWriter = true
      reply.hijack()
      began()
      const headers = without(answer.rawHeaders, ANSWER_ENDS)
      if (answer.headers.connection === 'close') headers.push('connection', 'close') // a body is refused
      reply.raw.writeHead(answer.statusCode!, answer.statusMessage!, headers)
      if (answer.headers['content-type'] === EVENT_STREAM) forwardStream(answer, reply.raw, streams)
      else pipeline(answer, reply.raw, () => {})
    })
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!request.servedByWriter && !reply.raw.destroyed) failed(error)
    })
    // the response is complete, perhaps before the whole body was read, or the client has disconnected
    reply.raw.on('close', () => {
      raw.unpipe().resume()
      outgoing.destroy()
      request.admission?.leave?.() // it was no work of this process
    })
    outgoing.flushHeaders() // they may be enough for a refusal
    raw.pipe(outgoing)
  }
}

/** Forwards a stream that lasts. It is among `streams` until it ends; when one of these is closed here, the client sees it end. */
function forwardStream(stream: IncomingMessage, response: ServerResponse, streams: Set<IncomingMessage>) {
  streams.add(stream)
  stream.pipe(response)
  stream.on('error', () => {}) // the writer ended
  stream.once('close', () => {
    streams.delete(stream)
    response.end()
  })
}

/** Has the writes of forwarded requests leave commit markers. For the writer. */
function addMarkers(app: FastifyInstance, { leave }: Store['markers']) {
  app.addHook('preHandler', (request, _reply, done) => {
    const id = isRead(request) ? undefined : markerIds.get(request.raw)
    if (id === undefined) done()
    else leave(id, done)
  })
}
const markerIds = new WeakMap<IncomingMessage, string>()

/** Receives forwarded requests as if they came from the clients directly; returns the server once it listens. */
export async function acceptForwarded(app: FastifyInstance, { folder }: WorkerRole) {
  const path = socketIn(folder)
  // the other processes limit the time of their clients, and close the connections
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 2 ** 16 },
    (request, response) => {
      Object.defineProperty(request.socket, 'remoteAddress', {
        value: request.headers[CLIENT],
        configurable: true,
      })
      markerIds.set(request, String(request.headers[MARKER]))
      delete request.headers[CLIENT]
      delete request.headers[MARKER]
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

/** Seconds after which the writer has been replaced. */
const RETRY_AFTER = 1
/** Milliseconds between two checks whether the writer has ended, and their number. */
const EVERY = 50
const CHECKS = 60

/** The 503 for a write that did not reach the writer. */
export const notReached = () =>
  new ApiError(
    'rest_not_ready',
    `The writer process is not running; nothing was written. Try again in ${RETRY_AFTER} second.`,
    { retry_after: RETRY_AFTER },
  )

const unknown = () =>
  new ApiError(
    'internal_server_error',
    'The writer process did not respond. The request was applied completely or not at all; check before you send it again.',
  )

const notKnown = () =>
  new ApiError(
    'outcome_unknown',
    'The writer process ended before it responded, and PostgreSQL does not answer. The request was applied completely or not at all; check before you send it again.',
    { retry_after: 5 },
  )

/** The 500 for a write that was applied, with the URL of the request or of the created record. */
function written({ originalUrl, routeOptions }: FastifyRequest, record: number | null): ApiError {
  const [path] = originalUrl.split('?') as [string]
  const creates = routeOptions.config.operation === 'create'
  const address = creates && record !== null ? `${path.replace(/\/$/, '')}/${record}` : path
  return new ApiError(
    'internal_server_error',
    `The request was applied, but the writer process ended before it responded. Do not send it again; see ${address}.`,
    { written: true, address },
  )
}

/**
 * Determines the outcome of a write to which the writer at `socket` did not respond. After the writer has ended, nothing more can be
 * committed, and the database shows what was. Where the file is a copy, it shows what was written for sure, and PostgreSQL the rest.
 */
export async function findOutcome(
  markers: Store['markers'],
  request: FastifyRequest,
  socket: string,
  forwards: boolean,
): Promise<ApiError> {
  for (let check = 0; check < CHECKS; check++) {
    if (await isRefused(socket)) {
      try {
        const found = await markers.find(request.id)
        if (found) return written(request, found.record)
        // the source of a mirror may have it
        return forwards ? unknown() : notReached()
      } catch {
        return notKnown()
      }
    }
    await pause(EVERY)
  }
  return unknown()
}

/** Errors that show that the writer has ended; others, such as a full backlog, do not. */
const GONE = ['ECONNREFUSED', 'ENOENT']

const isRefused = (socket: string) =>
  new Promise<boolean>((resolve) => {
    const connection = connect(socket)
    connection.on('error', ({ code }: NodeJS.ErrnoException) => resolve(GONE.includes(code!)))
    connection.on('connect', () => {
      connection.destroy()
      resolve(false)
    })
  })

/** What `/health` says of a service: a single one, or a node, how it stands to the others. `lag` is in groups, `age` in seconds. */
type ServiceStatus =
  | { role: 'single'; state?: undefined }
  | {
      role: 'node'
      state: ReplicaStatus['state']
      trouble?: string
      seq: number
      head: number
      lag: number
      age: number
      leads: boolean
      /** Seconds by which the clock of the others is ahead of this node's, and whether it publishes what is scheduled. */
      clock: number
      publishes: boolean
    }

/** Milliseconds for an answer of the writer, and for which a process believes what it answered. */
const ANSWER = 2_000
const BELIEVED = 1_000

/** How this process stands to others on the same data. With `worker` it is one of several, of which the writer knows that. */
export function openStanding(
  db: Pick<Store['db'], 'replica' | 'fresh' | 'lag'>,
  worker: WorkerRole | undefined,
) {
  const readStatus = worker && !worker.writes ? () => askWriter(worker) : async () => statusOf(db)
  return { readStatus, lag: openLag(db, readStatus) } satisfies Standing
}

function statusOf({ replica }: Pick<Store['db'], 'replica'>): ServiceStatus {
  if (!replica) return { role: 'single' }
  const { state, trouble, seq, head, age, leads, clock } = replica.status()
  const time = { clock: clock.offset / 1_000, publishes: clock.state !== 'wrong' }
  return { role: 'node', state, ...(trouble && { trouble }), seq, head, lag: head - seq, age, leads, ...time }
}

async function askWriter({ folder }: WorkerRole): Promise<ServiceStatus> {
  try {
    const answer = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
      const options = {
        socketPath: socketIn(folder),
        path: '/health',
        headers: { [CLIENT]: '127.0.0.1' },
        signal: AbortSignal.timeout(ANSWER),
      }
      get(options, resolve).on('error', reject)
    })
    const { status: _, ...rest } = (await json(answer)) as ServiceStatus & { status: string }
    return rest
  } catch {
    throw new ApiError(
      'rest_not_ready',
      'The writer process, which follows the other nodes or the source of a mirror, does not answer.',
    )
  }
}

/** The lag of a copy; a process that does not bring changes to it asks the writer, not more than once a second, and meanwhile believes what it knows. */
export function openLag(
  { fresh, lag }: Pick<Store['db'], 'fresh' | 'lag'>,
  readStatus: () => Promise<ServiceStatus>,
) {
  if (!fresh || lag) return lag
  let known = 0
  let asked = -Infinity
  return () => {
    if (performance.now() - asked < BELIEVED) return known
    asked = performance.now()
    readStatus().then(
      (status) => {
        known = status.role === 'node' && LAGGING.includes(status.state) ? status.age : 0
      },
      () => {}, // reads go on without the writer
    )
    return known
  }
}
