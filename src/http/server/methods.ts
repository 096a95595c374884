import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../../support/errors.ts'
import { noRoute } from './errors.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const

/** The URL of the only route of @fastify/cors, which serves all URLs without their own OPTIONS. */
const ANY = '*'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, in the order in which they were added. */
    routesAdded: RouteOptions[]
  }
}

/** Records all routes. Register it before any route. */
export const methods = fp(
  async (app) => {
    const added: RouteOptions[] = []
    app.decorate('routesAdded', added)
    app.addHook('onRoute', (route) => {
      if (route.url === ANY) route.onRequest = (_request, _reply, done) => done(noRoute())
      else added.push(route)
    })
  },
  { name: 'methods' },
)

/**
 * Adds the missing methods of each URL after all routes are registered: OPTIONS returns 204 and any other 405, both with
 * `Allow` (D27).
 */
export const otherMethods = fp(
  async (app) => {
    for (const [url, methods] of methodsOf(app.routesAdded)) {
      const allow = [...methods].sort().concat('OPTIONS').join(', ')
      const missing = METHODS.filter((name) => !methods.has(name))
      // before a body is read
      const refuse = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
        if (request.method === 'OPTIONS') return done()
        reply.header('allow', allow)
        done(new ApiError('rest_method_not_allowed', `This route supports ${allow}.`))
      }
      app.route({
        method: ['OPTIONS', ...missing],
        url,
        schema: { hide: true },
        exposeHeadRoute: false,
        onRequest: refuse,
        handler: (_request, reply) =>
          reply.code(204).header('allow', allow).header('access-control-allow-methods', allow).send(),
      })
    }
  },
  { name: 'other methods', dependencies: ['methods', 'rights'] },
)

function methodsOf(routes: RouteOptions[]): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>()
  for (const { url, method } of routes)
    known.set(url, new Set([...(known.get(url) ?? []), ...[method].flat()]))
  return known
}
