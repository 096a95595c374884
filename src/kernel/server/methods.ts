import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { ApiError } from '../errors.ts'
import { type Address, addressAt, addressesOf, overlapping } from './addresses.ts'
import { noRoute } from './errors.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']
const REFUSED = new Set([...METHODS, 'OPTIONS'])

/** The URL of the only route of @fastify/cors, which serves OPTIONS of all URLs. */
const ANY = '*'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every route, in the order in which they were added, but those of other methods. */
    routesAdded: RouteOptions[]
    /** The address of a request that no route is for, if it has routes of other methods. */
    besideRoutes(request: Pick<FastifyRequest, 'method' | 'raw'>): Address | undefined
  }
}

/** The error of a request that no route is for: 405 with `Allow` if its address has other methods (D27), else 404. */
export function refusalBeside(request: FastifyRequest, reply: FastifyReply): ApiError {
  const address = request.server.besideRoutes(request)
  return address ? refuse(address, reply) : noRoute()
}

function refuse({ allow }: Address, reply: FastifyReply): ApiError {
  reply.header('allow', allow)
  return new ApiError('rest_method_not_allowed', `This route supports ${allow}.`)
}

const answer = ({ allow }: Address, reply: FastifyReply) =>
  reply.code(204).header('allow', allow).header('access-control-allow-methods', allow).send()

/**
 * Records all routes, and answers methods that their URLs lack: OPTIONS with 204 and any other with 405, both with `Allow` (D27). Register
 * it before any route.
 */
export const methods = fp(
  async (app) => {
    const added: RouteOptions[] = []
    let addresses: Address[] | undefined
    let limit: onRequestAsyncHookHandler | undefined
    app.decorate('routesAdded', added)
    app.decorate('besideRoutes', ({ method, raw }) => {
      addresses ??= addressesOf(added) // requests come when all routes are there
      const address = REFUSED.has(method) ? addressAt(addresses, raw.url!) : undefined
      return address?.methods.includes(method) ? undefined : address // a route may find nothing by itself
    })
    app.setNotFoundHandler((request, reply) => {
      throw refusalBeside(request, reply)
    })
    app.addHook('onRoute', (route) => {
      if (route.url !== ANY) return void (isOther(route) || added.push(route))
      route.onRequest = [
        async (request) => {
          if (!app.besideRoutes(request)) throw noRoute()
        },
        // as all routes are that are added after the limits
        async function (request, reply) {
          limit ??= app.rateLimit() as unknown as onRequestAsyncHookHandler
          await limit.call(this, request, reply)
        },
      ]
      route.handler = (request, reply) => answer(app.besideRoutes(request)!, reply)
    })
  },
  { name: 'methods' },
)

const isOther = ({ method }: RouteOptions) => method.includes('OPTIONS')

/** Adds the methods that URLs lack where a request with one would come to the route of another URL. Register it after all routes. */
export const otherMethods = fp(
  async (app) => {
    for (const address of overlapping(addressesOf(app.routesAdded))) {
      const missing = METHODS.filter((name) => !address.methods.includes(name))
      app.route({
        method: ['OPTIONS', ...missing],
        url: address.url,
        schema: { hide: true },
        exposeHeadRoute: false,
        // before a body is read
        onRequest: (request, reply, done) =>
          request.method === 'OPTIONS' ? done() : done(refuse(address, reply)),
        handler: (_request, reply) => answer(address, reply),
      })
    }
  },
  { name: 'other methods', dependencies: ['methods', 'rights'] },
)
