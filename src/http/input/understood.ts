import fp from 'fastify-plugin'
import { excessOf, type GivenQuery } from './validation.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The only query parameters that have an effect at this route. Others are removed before it sees them. */
    understands?: readonly string[]
  }
  interface FastifyRequest {
    /** The URL under which its response is kept: without what the route does not understand. */
    address: string
  }
}

const HOST = /^https?:\/\/[^/?]*/i
/** The escapes of characters that need none (RFC 3986 §2.3), and all others. */
const NEEDLESS = /%(2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi
const ESCAPES = /%../g
const nameOf = (pair: string) => {
  const [[name] = ['']] = new URLSearchParams(pair) as Iterable<[string, string]>
  return name.replace(/\[.*$/s, '')
}

/** A URL without the parameters that are not among these, and with its path in one spelling. */
export function reduce(url: string, names: readonly string[]): string {
  const [path = '', query] = url.replace(HOST, '').split(/[?#](.*)/s, 2)
  const plain = path.replace(NEEDLESS, decodeURIComponent).replace(ESCAPES, (code) => code.toLowerCase())
  const pairs = query === undefined ? [] : query.split('&').filter((pair) => names.includes(nameOf(pair)))
  return pairs.length === 0 ? plain : `${plain}?${pairs.join('&')}`
}

/**
 * Refuses requests with too many or too deep parameters in their address, whatever they are for, before anything is done for them. Reduces
 * the others to what their routes understand, where routes say so, so that nobody gets a response of their own to be made by a parameter
 * without an effect.
 */
export const understood = fp(
  async (app) => {
    app.decorateRequest('address', '')
    app.addHook('onRequest', (request, _reply, done) => {
      const excess = excessOf(request.query as GivenQuery)
      if (excess) return done(excess)
      const { understands } = request.routeOptions.config
      request.address = request.originalUrl
      if (understands) {
        request.address = reduce(request.originalUrl, understands)
        const given = request.query as GivenQuery
        for (const name of Object.keys(given)) if (!understands.includes(name)) delete given[name]
      }
      done()
    })
  },
  { name: 'understood', dependencies: ['headers'] },
)
