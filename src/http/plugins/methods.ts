import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { noRoute } from './errors.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const

/** The address of the only route of @fastify/cors: every one that has no OPTIONS of its own. */
const ANY = '*'

/**
 * Watches which methods each address has; the function it gives adds the rest once all routes are there:
 * OPTIONS answers 204 and a method that an address lacks 405, both with `Allow` (D27).
 */
export function watchMethods(app: FastifyInstance): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.routeOptions.url === ANY ? noRoute() : undefined)
  })
  app.addHook('onRoute', ({ method, url }) => {
    const methods = known.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    known.set(url, methods)
  })
  return () => {
    for (const [url, methods] of [...known]) {
      const allow = [...methods].sort().concat('OPTIONS').join(', ')
      const missing = METHODS.filter((name) => !methods.has(name))
      app.route({
        method: 'OPTIONS',
        url,
        schema: { hide: true },
        handler: (_request, reply) =>
          reply.code(204).header('allow', allow).header('access-control-allow-methods', allow).send(),
      })
      const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
        reply.header('allow', allow)
        throw new ApiError('rest_method_not_allowed', `This route supports ${allow}.`)
      }
      // before a body is read
      app.route({
        method: missing,
        url,
        schema: { hide: true },
        exposeHeadRoute: false,
        onRequest: refuse,
        handler: refuse,
      })
    }
  }
}
