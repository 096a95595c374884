import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import fp from 'fastify-plugin'
import { openLine } from '../../lane.ts'
import { networkOf } from './limits.ts'

/** Milliseconds of a turn of the event loop in which requests are begun; what arrives later waits for the next one. */
const SLICE = 2

/**
 * Begins requests for a few milliseconds in each turn of the event loop. Those that wait are begun by turns of the clients who sent
 * them, so that hundreds that arrive together from one address do not delay the few of others. `now` returns milliseconds.
 */
export function openArrivals(
  answer: RequestListener,
  clientOf: (request: IncomingMessage) => string,
  now = () => performance.now(),
): RequestListener {
  const line = openLine<() => void>()
  let used = 0
  let isPlanned = false

  function begin(request: IncomingMessage, response: ServerResponse) {
    const began = now()
    answer(request, response)
    used += now() - began
  }
  function turn() {
    isPlanned = false
    used = 0
    while (used < SLICE && line.size() > 0) line.next()!()
    if (line.size() > 0) plan()
  }
  function plan() {
    if (!isPlanned) setImmediate(turn)
    isPlanned = true
  }

  return (request, response) => {
    plan()
    // whoever waits, waits because the time is used up
    if (used < SLICE) return begin(request, response)
    line.add(clientOf(request), () => {
      if (!request.socket.destroyed) begin(request, response)
    })
  }
}

/** Puts turns before the listener of requests. What is answered from the cache comes before it. */
export const arrivals = fp<{ addressOf(request: IncomingMessage): string | undefined }>(
  async (app, { addressOf }) => {
    const server = app.server as Server
    const [answer] = server.listeners('request') as [RequestListener]
    const first = openArrivals(answer, (request) => networkOf(addressOf(request) ?? ''))
    server.removeListener('request', answer).on('request', first)
  },
  { name: 'arrivals' },
)
