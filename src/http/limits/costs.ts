import type { FastifyReply, FastifyRequest, preParsingHookHandler, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { openBuckets } from './buckets.ts'
import { clientOf, tooMany } from './limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it takes from a budget, as lists do unless they say otherwise. */
    costs?: boolean
  }
  interface FastifyRequest {
    /** Takes units from the budget of the client, also below 0; undefined where the client has none or the route costs nothing. */
    spend?: ((units: number) => void) | undefined
  }
}

/** Whether a route does expensive work. */
export function isCostly({ config }: Pick<RouteOptions, 'config'>): boolean {
  const { operation, costs = operation === 'list' } = config ?? {}
  return costs
}

/** How much more a signed-in caller may spend. */
const SIGNED_IN = 4
/** The ranges of addresses of the own machine and network, and of proxies that are not trusted. */
const OWN = ['loopback', 'private', 'linkLocal', 'uniqueLocal']

const isOwn = (ip: string) => ipaddr.isValid(ip) && OWN.includes(ipaddr.process(ip).range())

/**
 * Limits what a client may spend: a budget of units for each credential, or for each address of anonymous callers. It fills steadily, a
 * whole one each minute. A unit is about a millisecond of work. Cached responses and single records cost nothing, and pass no hook.
 */
export const costs = fp<{ perMinute: number | undefined; clock(): number }>(
  async (app, { perMinute, clock }) => {
    app.decorateRequest('spend', undefined)
    if (perMinute === undefined) return
    const visitors = openBuckets(perMinute, clock)
    const callers = openBuckets(perMinute * SIGNED_IN, clock)
    const budgets = new WeakMap<FastifyRequest, ReturnType<typeof visitors.of>>()

    const check: preParsingHookHandler = (request, _reply, _payload, done) => {
      if (isOwn(request.ip)) return done()
      const credential = request.caller?.credential
      const budget = credential === undefined ? visitors.of(clientOf(request)) : callers.of(credential)
      budgets.set(request, budget)
      const seconds = budget.wait()
      if (seconds === 0) {
        budget.take(1)
        request.spend = budget.take
      }
      done(seconds === 0 ? undefined : tooMany(seconds))
    }
    const tell = (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done) => {
      const budget = budgets.get(request)
      if (budget) reply.headers(budget.fields())
      done(null, payload)
    }
    app.addHook('onRoute', (route) => {
      if (!isCostly(route)) return
      // the route of HEAD, which Fastify adds, begins with the hooks of that of GET
      route.preParsing = [...new Set([route.preParsing ?? [], check].flat())] as never
      route.onSend = [...new Set([route.onSend ?? [], tell].flat())] as never
    })
  },
  { name: 'costs', dependencies: ['auth', 'limits', 'answers'] },
)
type Done = (error: Error | null, payload: unknown) => void
