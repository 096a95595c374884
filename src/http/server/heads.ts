import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

type Payload = string | Buffer | Readable | null | undefined

/** Sends the headers of what GET would send, and nothing of it. */
function withoutBody(
  { method }: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
  done: (error: null, payload?: Payload) => void,
) {
  if (method !== 'HEAD') return done(null, payload)
  if (payload && typeof payload === 'object' && 'resume' in payload) {
    payload.on('error', reply.log.error.bind(reply.log))
    payload.resume()
  } else reply.header('content-length', Buffer.byteLength(payload ?? ''))
  done(null, null)
}

/**
 * Lets each route of GET answer HEAD as well, instead of a route of its own, which Fastify would add. Register it before any route.
 */
export const heads = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'GET') return
      route.method = ['GET', 'HEAD']
      route.onSend = [route.onSend ?? [], withoutBody].flat() as never
    })
  },
  { name: 'heads' },
)
