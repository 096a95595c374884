import type { RequestListener } from 'node:http'
import fp from 'fastify-plugin'

/** What a request that comes over the network passes before Fastify sees it, in this order. */
const STEPS = ['pipelining', 'answers', 'arrivals'] as const
type Step = (next: RequestListener) => RequestListener

declare module 'fastify' {
  interface FastifyInstance {
    /** Puts a step before Fastify, which answers requests or passes them on to the next one. */
    enter(name: (typeof STEPS)[number], step: Step): void
  }
}

/** Makes one listener of requests of all steps, once they are known. */
export const entrance = fp(
  async (app) => {
    const steps: { [name in (typeof STEPS)[number]]?: Step } = {}
    app.decorate('enter', (name, step) => {
      steps[name] = step
    })
    app.addHook('onReady', async () => {
      const [route] = app.server.listeners('request') as [RequestListener]
      const first = STEPS.reduceRight((next, name) => steps[name]?.(next) ?? next, route)
      app.server.removeListener('request', route).on('request', first)
    })
  },
  { name: 'entrance' },
)
