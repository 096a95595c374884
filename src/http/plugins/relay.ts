import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { Agent, request as ask, createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { withMark } from '../../store/sqlite/marks.ts'
import type { Store } from '../../store/store.ts'
import { heedExpect } from './intake.ts'
import { isRead } from './limits.ts'
import { findOutcome, notReached } from './outcome.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Answered by the process that writes, which logs and counts it. */
    passedOn?: boolean
  }
}

/** The place of a process among several on one database: a folder for their sockets that nobody else may enter, and whether it is the one that writes. */
export type Link = { folder: string; writes: boolean }

const socketIn = (folder: string) => join(folder, 'writer')

/** Tells whom a request is from; believed on the socket alone. */
const CLIENT = 'almanac-client'
/** The ID under which the process that passes a request on can find what became of it; believed there as well. */
const MARK = 'almanac-mark'
/** Headers that end with their connection (RFC 9110 §7.6.1). */
const REQUEST_ENDS = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade', CLIENT, MARK])
const ANSWER_ENDS = new Set(['connection', 'keep-alive', 'transfer-encoding'])
/** Names and values in turn, but for those of some names. */
const without = (headers: string[], names: Set<string>) =>
  headers.filter((_, at) => !names.has(headers[at - (at % 2)]!.toLowerCase()))

function headersOf({ rawHeaders, headers, socket }: IncomingMessage, id: string): string[] {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  return [
    ...without(rawHeaders, REQUEST_ENDS),
    ...(isEmpty ? ['content-length', '0'] : []),
    ...[CLIENT, String(socket.remoteAddress), MARK, id],
  ]
}

/** The part that this process has among several on one database; alone it has none. */
export const relay = fp<{ store: Store; link: Link | undefined }>(
  async (app, { store, link }) => {
    if (link) link.writes ? addMarks(app) : addPassing(app, store, link)
  },
  { name: 'relay', dependencies: ['headers', 'answers'] },
)

/**
 * Passes on what may write to the process that writes, and gives its answer: all but reads; what brings credentials, whose
 * use and misuse is noted; and reads while something waits to be published. Reads are answered here where that process is
 * not there.
 */
function addPassing(app: FastifyInstance, { schedule, db }: Store, { folder }: Link) {
  const agent = new Agent({ keepAlive: true })
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const reads = isRead(request)
    if (reads && raw.headers.authorization === undefined && !schedule.isDue()) return done()
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
      const headers = without(answer.rawHeaders, ANSWER_ENDS)
      if (answer.headers.connection === 'close') headers.push('connection', 'close') // a body is refused
      reply.raw.writeHead(answer.statusCode!, answer.statusMessage!, headers as never)
      pipeline(answer, reply.raw, () => {})
    })
    passed.on('error', (error: NodeJS.ErrnoException) => {
      if (request.passedOn || reply.raw.destroyed) return
      if (reads) done()
      else if (error.syscall === 'connect') done(notReached())
      else findOutcome(db, request, socketIn(folder)).then(done, done)
    })
    // answered, perhaps before all was read; or the client is gone
    reply.raw.on('close', () => {
      raw.unpipe().resume()
      passed.destroy()
    })
    passed.flushHeaders() // they may be enough for a refusal
    raw.pipe(passed)
  })
}

/** Marks what is written for requests that were passed on; to be added where they are taken. */
function addMarks(app: FastifyInstance) {
  app.addHook('preHandler', (request, _reply, done) => {
    const mark = isRead(request) ? undefined : marks.get(request.raw)
    if (mark === undefined) done()
    else withMark(mark, done)
  })
}
const marks = new WeakMap<IncomingMessage, string>()

/** Takes what the other processes pass on, as if it came from their clients directly; gives the server once it listens. */
export async function takeWrites(app: FastifyInstance, { folder }: Link) {
  const path = socketIn(folder)
  // how long a client may take is for those to judge who talk to it; they close the connections
  const server = createServer(
    { requestTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: 2 ** 16 },
    (request, response) => {
      Object.defineProperty(request.socket, 'remoteAddress', {
        value: request.headers[CLIENT],
        configurable: true,
      })
      marks.set(request, String(request.headers[MARK]))
      delete request.headers[CLIENT]
      delete request.headers[MARK]
      app.routing(request, response)
    },
  )
  heedExpect(server)
  // a close with unread bytes of a body would overtake the answer that refuses it
  server.on('connection', (socket) => {
    socket.destroySoon = () => void socket.end()
  })
  rmSync(path, { force: true }) // of one that was killed
  server.listen({ path, exclusive: true })
  await once(server, 'listening')
  return server
}
