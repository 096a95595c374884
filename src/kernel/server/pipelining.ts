import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { inNextTurn } from '../tasks/semaphore.ts'
import { linger } from './rests.ts'

/** How many requests may wait on one connection, and on all connections together. */
const MOST = 32
const MOST_IN_ALL = 4_096
/** How many of those that waited are passed on in a turn of the event loop, so that others have most of it. */
const EACH_TURN = 4

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
export function openLines({ each = MOST, all = MOST_IN_ALL } = {}) {
  let waiting = 0
  const ready: (() => void)[] = []
  const plan = inNextTurn(() => {
    for (const pass of ready.splice(0, EACH_TURN)) pass()
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
