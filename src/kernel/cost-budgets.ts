import type {
  FastifyInstance,
  FastifyRequest,
  onSendHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { type Client, readClient, tooMany } from './limits.ts'
import { openFairSemaphore } from './tasks/semaphore.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Takes units from the budget of the client, also below 0; undefined where the client has none or the route costs nothing. */
    spend?: ((units: number) => void) | undefined
    /** What the request took to be let in; undefined where the route costs nothing. */
    admission: Admission | undefined
  }
  interface FastifyContextConfig {
    /** Whether it takes from a budget, as lists do unless they say otherwise. */
    costs?: boolean
  }
}

/** How much more a signed-in caller may spend. */
const SIGNED_IN = 4

/**
 * Expensive reads that are in work at a time, in all and in one line of an address. All share the event loop, so that more of one address would
 * only make its turns longer for all others.
 */
const IN_WORK = { all: 32, each: 2 }
/** The parameters that search. */
const SEARCHES = ['search', 'q']
/** Whether a read may take many turns, as pages and searches do. */
const isLong = ({ routeOptions: { config }, query }: FastifyRequest) =>
  config.page !== undefined || SEARCHES.some((name) => name in (query as object))
/**
 * The line of an address in which a read waits, and its places there. Pages and searches are made one after the other, and lists, of which two
 * share the turns, do not wait for them.
 */
const lineOf = ({ network }: Client, request: FastifyRequest) =>
  isLong(request) ? { line: `${network} long`, places: IN_WORK.each } : { line: network, places: 1 }
/** Expensive reads that may wait, in all and in one line. More are refused at once. */
const WAITING = { all: 1_000, each: 200 }

/** Milliseconds of a turn of the event loop in which waiting reads are begun: four small ones share its snapshot, and a large one has its own. */
const TOGETHER = 1

/** The budget of a client, if it has one, and how the request leaves its place among those in work. */
type Admission = { budget: ReturnType<ReturnType<typeof openBudgets>>; leave?: () => void }

/** The budgets of clients: one for each credential, and one for each address of anonymous callers. Those of the own network have none. */
function openBudgets(perMinute: number | undefined, clock: () => number) {
  if (perMinute === undefined) return () => undefined
  const visitors = openBuckets(perMinute, clock)
  const callers = openBuckets(perMinute * SIGNED_IN, clock)
  return ({ network, isOwn }: Client, credential: string | undefined) => {
    if (isOwn) return undefined
    return credential === undefined ? visitors.of(network) : callers.of(credential)
  }
}

/**
 * Limits what expensive reads may cost. A client may spend a budget of units, which fills steadily, a whole one each minute; a unit is
 * about a millisecond of work. Then reads are let in by turns of the addresses that ask, a few at a time, so that an address that asks
 * for hundreds at once waits for itself alone. Those that wait also wait for new connections to be accepted. Cached responses and single
 * records cost nothing, and pass no hook. A read that lasts, as a stream does, leaves once its head is sent.
 */
export const costs = fp<{ perMinute: number | undefined; clock(): number }>(
  async (app, { perMinute, clock }) => {
    app.decorateRequest('spend', undefined)
    app.decorateRequest('admission', undefined)
    const budgetOf = openBudgets(perMinute, clock)
    const semaphore = openFairSemaphore(IN_WORK, WAITING, () => app.calm(), TOGETHER)

    const enter: preParsingHookHandler = (request, reply, _payload, done) => {
      const client = readClient(request)
      const budget = budgetOf(client, request.caller?.credential)
      const admission: Admission = { budget }
      request.admission = admission
      const refusal = () => {
        const seconds = budget?.wait() ?? 0
        return seconds > 0 ? tooMany(seconds) : undefined
      }
      const refused = refusal()
      if (refused) return done(refused)
      request.spend = budget?.spend
      const { line, places } = lineOf(client, request)
      const place = semaphore.place(line, places)
      admission.leave = place.leave
      // what waits leaves the line with its client; what has begun keeps its place until it ends, with its head or its error (R25)
      reply.raw.once('close', () => (reply.sent ? place.leave() : place.giveUp()))
      place.enter(() => {
        // those before it in line may have spent all
        const spent = refusal()
        if (!spent) budget?.spend(1)
        done(spent)
      })
    }
    const leave: onSendHookHandler = ({ admission }: FastifyRequest, reply, payload, done) => {
      if (admission?.budget) reply.headers(admission.budget.fields())
      admission?.leave?.()
      done(null, payload)
    }
    aroundCostly(app, enter, leave)
  },
  { name: 'costs', dependencies: ['auth', 'limits', 'cache', 'admission'] },
)

/** Whether a route does expensive work. */
function isCostly({ config }: Pick<RouteOptions, 'config'>): boolean {
  const { operation, costs = operation === 'list' } = config ?? {}
  return costs
}

/** Runs one hook before expensive routes read a body, and one before they send; all others pass neither. */
function aroundCostly(app: FastifyInstance, before: preParsingHookHandler, after: onSendHookHandler) {
  app.addHook('onRoute', (route) => {
    if (!isCostly(route)) return
    route.preParsing = [route.preParsing, before].flat().filter((hook) => hook !== undefined)
    route.onSend = [route.onSend, after].flat().filter((hook) => hook !== undefined)
  })
}

/** Clients that are remembered; of more, those who have not come for the longest begin anew. */
const MOST_CLIENTS = 50_000
const MINUTE = 60_000

/**
 * Token buckets of one size, which is what flows into each of them in a minute. Units may be taken from an empty one, because what
 * something costs is known afterwards: it then owes them, at most as many as it holds.
 */
export function openBuckets(size: number, clock: () => number) {
  const perSecond = size / 60
  // counted by size: with `max` it would allocate places for all of them at the start
  const buckets = new LRUCache<string, ReturnType<typeof open>>({
    maxSize: MOST_CLIENTS,
    sizeCalculation: () => 1,
  })

  function open() {
    let left = size
    let at = clock()
    /** What is left now. */
    const fill = () => {
      const now = clock()
      left = Math.min(size, left + (Math.max(0, now - at) / MINUTE) * size)
      at = now
      return left
    }
    return {
      /** Seconds until there is a unit; 0 if there is one. */
      wait: () => Math.ceil(Math.max(0, 1 - fill()) / perSecond),
      spend: (units: number) => {
        left = Math.max(-size, fill() - units)
      },
      /** The response fields about it (draft-ietf-httpapi-ratelimit-headers-10). */
      fields: () => ({
        'ratelimit-policy': `"cost";q=${size};w=60`,
        ratelimit: `"cost";r=${Math.max(0, Math.floor(fill()))};t=${Math.ceil((size - left) / perSecond)}`,
      }),
    }
  }

  return {
    /** The bucket of a client, which is full at first. */
    of(client: string) {
      const known = buckets.get(client)
      if (known) return known
      const bucket = open()
      buckets.set(client, bucket)
      return bucket
    },
  }
}

/** A limit on the bytes in use at the same time: in total, and for each user. */
export function openBudget(all: number, each: number) {
  let taken = 0
  const shares = new Map<string, number>()
  return {
    /** Reserves bytes; returns which limit prevents it, if any. */
    reserve(bytes: number, user: string): 'own' | 'all' | undefined {
      const share = (shares.get(user) ?? 0) + bytes
      if (share > each) return 'own'
      if (taken + bytes > all) return 'all'
      taken += bytes
      shares.set(user, share)
      return undefined
    },
    release(bytes: number, user: string) {
      const share = shares.get(user)! - bytes
      taken -= bytes
      if (share === 0) shares.delete(user)
      else shares.set(user, share)
    },
  }
}
