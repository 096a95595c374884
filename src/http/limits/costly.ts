import type { FastifyInstance, onSendHookHandler, preParsingHookHandler, RouteOptions } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether it takes from a budget, as lists do unless they say otherwise. */
    costs?: boolean
  }
}

/** Whether a route does expensive work. */
function isCostly({ config }: Pick<RouteOptions, 'config'>): boolean {
  const { operation, costs = operation === 'list' } = config ?? {}
  return costs
}

/** Runs one hook before expensive routes read a body, and one before they send; all others pass neither. */
export function aroundCostly(
  app: FastifyInstance,
  { before, after }: { before: preParsingHookHandler; after: onSendHookHandler },
) {
  app.addHook('onRoute', (route) => {
    if (!isCostly(route)) return
    // the route of HEAD, which Fastify adds, begins with the hooks of that of GET
    route.preParsing = [...new Set([route.preParsing ?? [], before].flat())] as never
    route.onSend = [...new Set([route.onSend ?? [], after].flat())] as never
  })
}
