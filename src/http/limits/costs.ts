import type { FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { openBuckets } from './buckets.ts'
import { aroundCostly } from './costly.ts'
import { clientOf, tooMany } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes units from the budget of the client, also below 0; undefined where the client has none or the route costs nothing. */
    spend?: ((units: number) => void) | undefined
  }
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
    const tell: onSendHookHandler = (request: FastifyRequest, reply, payload, done) => {
      const budget = budgets.get(request)
      if (budget) reply.headers(budget.fields())
      done(null, payload)
    }
    aroundCostly(app, { before: check, after: tell })
  },
  { name: 'costs', dependencies: ['auth', 'limits', 'answers'] },
)
