import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { inNextTurn, openLine } from '../tasks/semaphore.ts'
import { networkOf } from './limits.ts'

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
const EACH_TURN = 4

/** Writes of callers who say who they are: those that arrive together are committed together. */
const isWrite = ({ method, headers }: IncomingMessage) =>
  method !== 'GET' && method !== 'HEAD' && headers.authorization !== undefined

/**
 * Begins a few requests in each turn of the event loop, and all writes. Reads wait for the turn after the one in which they arrived, as only then is it
 * known whether their clients have left meanwhile: thousands of those cost no more than their connections. They are begun by turns of the clients
 * who sent them, so that hundreds that arrive together from one address do not delay the few of others. `connections` counts those that came so far.
 */
export function openArrivals(
  answer: RequestListener,
  clientOf: (request: IncomingMessage) => string,
  connections = () => 0,
): RequestListener {
  const line = openLine<() => void>()
  /** What arrived in this turn. */
  let fresh: { client: string; begin: () => void }[] = []
  let left = EACH_TURN
  let known = 0

  function begin(request: IncomingMessage, response: ServerResponse) {
    left--
    answer(request, response)
  }
  const plan = inNextTurn(() => {
    left = known === connections() ? EACH_TURN : 1
    known = connections()
    while (left > 0 && line.size() > 0) line.next()!()
    for (const { client, begin } of fresh) line.add(client, begin)
    fresh = []
    if (left < EACH_TURN || line.size() > 0) plan()
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
export const arrivals = fp<{ addressOf(request: IncomingMessage): string | undefined }>(
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
    app.enter('arrivals', (next) => openArrivals(next, clientOf, () => connections))
  },
  { name: 'arrivals', dependencies: ['entrance'] },
)
