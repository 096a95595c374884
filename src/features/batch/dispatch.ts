import { randomUUID } from 'node:crypto'
import type { FastifyRequest, preHandlerHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { BatchMethod } from '../../../schemas/batch.ts'
import type { Store, WriteContext } from '../../calendar/store.ts'

/** A request that is made for another one. */
type Dispatched = {
  method: BatchMethod
  /** Below the mount. */
  path: string
  body?: Record<string, unknown> | undefined
  if_match?: string | undefined
}
/** What its writes carry; `request` is set before its handler begins. */
export type RequestContext = { carried: WriteContext; request?: FastifyRequest }
export type Answered = { status: number; headers: Record<string, string>; body: Record<string, unknown> }

declare module 'fastify' {
  interface FastifyInstance {
    /** Handles a request for a record as if the client of `outer` had sent it by itself, with all that requests pass. */
    dispatch(outer: FastifyRequest, inner: Dispatched, context: RequestContext): Promise<Answered>
  }
}

/** The header that names the context of a request, by a text that nobody else knows. */
const CONTEXT = 'almanac-course'
/** The headers by which a client is known, and what it may do. */
const OF_CLIENT = [
  'authorization',
  'cookie',
  'origin',
  'host',
  'user-agent',
  'sec-fetch-site',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
]
/** The headers of an answer that matter. */
const SHOWN = [
  'Location',
  'ETag',
  'X-Ignored-Fields',
  'X-Ignored-Parameters',
  'X-Created-Terms',
  'X-Translations-Differ',
  'Retry-After',
]

const pick = (names: string[], headers: Record<string, unknown>) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name.toLowerCase()]
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )

/** Lets one request make others, each of which passes all that a request passes: credentials, limits, rights, the log. */
export const dispatching = fp<{ store: Pick<Store, 'carrying'> }>(
  async (app, { store: { carrying } }) => {
    // what is told along asynchronous calls is lost where requests wait for their turn
    const contexts = new Map<string, RequestContext>()
    const begin: preHandlerHookHandler = (request, _reply, done) => {
      const context = contexts.get(String(request.headers[CONTEXT]))
      if (!context) return done()
      context.request = request
      carrying.carry(context.carried, done)
    }
    app.addHook('onRoute', (route) => {
      if (!['create', 'update', 'delete'].includes(route.config?.operation ?? '')) return
      route.preHandler = [route.preHandler ?? [], begin].flat()
    })
    app.decorate('dispatch', async (outer: FastifyRequest, { method, path, body, if_match }, context) => {
      const [url] = outer.originalUrl.split('?') as [string]
      const mount = url.replace(/\/batch\/?$/, '')
      const name = randomUUID()
      contexts.set(name, context)
      const answer = await carrying
        .nothing(() =>
          app.inject({
            method,
            url: mount + path,
            remoteAddress: String(outer.raw.socket.remoteAddress),
            headers: {
              ...pick(OF_CLIENT, outer.headers),
              ...(if_match !== undefined && { 'if-match': if_match }),
              [CONTEXT]: name,
            },
            ...(body && method !== 'DELETE' && { payload: body }),
          }),
        )
        .finally(() => contexts.delete(name))
      return { status: answer.statusCode, headers: pick(SHOWN, answer.headers), body: answer.json() }
    })
  },
  { name: 'dispatching', dependencies: ['idempotency'] },
)
