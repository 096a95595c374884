import { monitorEventLoopDelay } from 'node:perf_hooks'
import rateLimit, { type FastifyRateLimitStore } from '@fastify/rate-limit'
import type {
  FastifyInstance,
  FastifyRequest,
  onSendHookHandler,
  preParsingHookHandler,
  RouteOptions,
} from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ApiError, overloaded } from './errors.ts'
import { openFairSemaphore } from './tasks/semaphore.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts so many requests of the client, of which the first was counted when it came. Throws if the limit does not allow all, and counts none. */
    countRequests(request: Limited, number: number): void
    /** Counts a request without credentials. Returns what to say of its limit, or undefined for one too many; absent if there is no limit. */
    countVisit?: ((ip: string | undefined) => string[] | undefined) | undefined
    /** Failed logins, wrong event passwords, requests for new passwords, and what anybody may have made to sign in, counted by address. */
    guesses: {
      logins: Guesses
      addresses: Guesses
      eventPasswords: Guesses
      resets: Guesses
      challenges: Guesses
    }
  }
}

/** What requests are counted by. */
type Limited = Pick<FastifyRequest, 'caller' | 'ip'>
/** What failures are counted by. */
type Guessing = Pick<FastifyRequest, 'ip'>
/** Failures of one kind, counted by address, and by what was guessed at if that is told: others at the address go on. */
type Guesses = {
  /** A 429 if this address has failed too often. */
  refusal(request: Guessing, at?: string): Promise<ApiError | undefined>
  /** Throws that. */
  check(request: Guessing, at?: string): Promise<void>
  /** Counts a failure; returns a 429 if it exceeds the limit. */
  fail(request: Guessing, at?: string): Promise<ApiError | undefined>
}

/** Failures of one kind a minute from one address, for one login. */
const FAILURES = 60
/** Failed logins a minute from one address, for all logins together. */
const ALL_FAILURES = 300

/** New passwords a minute that one address may ask for. */
const RESETS = 20

/** The 429 with the time until the next attempt. */
export const tooMany = (seconds: number) =>
  new ApiError(
    'rest_rate_limited',
    `Too many requests; try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    {
      retry_after: seconds,
    },
  )

/** The 413 for more requests at once than a minute may have. */
const tooManyAtOnce = (number: number, limit: number) =>
  new ApiError(
    'rest_payload_too_large',
    `These are ${number} requests at once, and one client may make ${limit} a minute; send fewer at a time.`,
  )

/** The ranges of addresses of the own machine and network, and of proxies that are not trusted. */
const OWN = ['loopback', 'private', 'linkLocal', 'uniqueLocal']

/** An address as limits see it. */
export type Client = {
  /** The address itself, or its /64 network for IPv6, all of which one client may have. */
  network: string
  /** Whether it is of the own machine or network. */
  isOwn: boolean
}

/** Addresses whose reading is remembered: to read one takes longer than much else of a request. */
const REMEMBERED = 1_000
const clients = new LRUCache<string, Client>({ max: REMEMBERED })

/** Reads the address of a request. */
export function readClient({ ip }: Pick<FastifyRequest, 'ip'>): Client {
  const known = clients.get(ip)
  if (known) return known
  const client = readAddress(ip)
  clients.set(ip, client)
  return client
}

function readAddress(ip: string): Client {
  if (!ipaddr.isValid(ip)) return { network: ip, isOwn: false } // a trusted proxy may forward anything
  const address = ipaddr.process(ip)
  return {
    network: address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString(),
    isOwn: OWN.includes(address.range()),
  }
}

/** The key of the client of a request: its address, or its network. */
export const clientOf = (request: Pick<FastifyRequest, 'ip'>): string => readClient(request).network

/**
 * The networks of a client, from its own to wider ones, which one owner may have as well: of IPv6 a /64, /48 and /32, of IPv4 the address and
 * its /24.
 */
export function networksOf(request: Pick<FastifyRequest, 'ip'>): string[] {
  const own = clientOf(request)
  const parts = own.split(':')
  if (parts.length === 4) return [own, parts.slice(0, 3).join(':'), parts.slice(0, 2).join(':')]
  return ipaddr.IPv4.isValidFourPartDecimal(own) ? [own, own.replace(/\.\d+$/, '.')] : [own]
}

/** An address as one client may have it: itself, or its /64 network for IPv6. */
export const networkOf = (ip: string): string => clientOf({ ip })

/** Whether the method of a request only reads. */
export const isRead = ({ method }: Pick<FastifyRequest, 'method'>) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Limits requests by credential, or by address for anonymous callers, if `perMinute` is set; wrong passwords always. */
export const limits = fp<{ perMinute: number | undefined }>(
  async (app, { perMinute }) => {
    const isLimited = perMinute !== undefined
    const counts = openCounts()
    const keyOf = (request: Limited) => request.caller?.credential ?? clientOf(request)
    await app.register(rateLimit, {
      global: isLimited, // without a limit, routes have no hook
      ...(isLimited ? { max: perMinute } : { allowList: () => true }),
      timeWindow: '1 minute',
      enableDraftSpec: true,
      store: storeOf(counts),
      keyGenerator: keyOf,
      errorResponseBuilder: (_request, { ttl }) => tooMany(Math.ceil(ttl / 1000)),
    })
    const countVisit = (max: number) => (ip: string | undefined) => {
      const { current, ttl } = counts.add(clientOf({ ip: String(ip) }), 1)
      if (current > max) return undefined
      const [left, seconds] = [String(max - current), String(Math.ceil(ttl / 1000))]
      return ['ratelimit-limit', String(max), 'ratelimit-remaining', left, 'ratelimit-reset', seconds]
    }
    app.decorate('countVisit', isLimited ? countVisit(perMinute) : undefined)
    app.decorate('countRequests', (request, number) => {
      if (!isLimited) return
      const { current, ttl } = counts.read(keyOf(request))
      if (number > perMinute) throw tooManyAtOnce(number, perMinute)
      if (current + number - 1 > perMinute) throw tooMany(Math.ceil(ttl / 1000))
      counts.add(keyOf(request), number - 1)
    })
    app.decorate('guesses', {
      logins: openGuesses(app, 'login', FAILURES),
      addresses: openGuesses(app, 'address', ALL_FAILURES),
      resets: openGuesses(app, 'password reset', RESETS),
      eventPasswords: openGuesses(app, 'event password', FAILURES),
      challenges: openGuesses(app, 'challenge', FAILURES),
    })
  },
  { name: 'limits', dependencies: ['headers', 'overload'] },
)

/** Requests in the current minute, and the milliseconds that are left of it. */
type Count = { current: number; ttl: number }

/** Counts requests by client, in minutes that begin with the first request of each. */
function openCounts() {
  const minutes = new LRUCache<string, { began: number; current: number }>({
    maxSize: MOST_CLIENTS,
    sizeCalculation: () => 1,
  })
  function read(client: string): Count & { began: number } {
    const now = Date.now()
    const { began, current } = minutes.get(client) ?? { began: now, current: 0 }
    const ttl = began + MINUTE - now
    return ttl > 0 ? { began, current, ttl } : { began: now, current: 0, ttl: MINUTE }
  }
  return {
    read,
    /** Counts so many requests. */
    add(client: string, number: number): Count {
      const count = read(client)
      count.current += number
      minutes.set(client, count)
      return count
    },
  }
}

type Done = (error: null, count: Count) => void
/** Counts in the form of a class that @fastify/rate-limit takes. What it counts apart has counts of its own. */
const storeOf = (counts: ReturnType<typeof openCounts>) =>
  class implements FastifyRateLimitStore {
    incr = (client: string, done: Done) => done(null, counts.add(client, 1))
    read = (client: string, done: Done) => done(null, counts.read(client))
    child = (): FastifyRateLimitStore => new (storeOf(openCounts()))()
  }

function openGuesses(app: FastifyInstance, kind: string, max: number): Guesses {
  const aims = new WeakMap<Guessing, string>()
  const failures = app.createRateLimit({
    max,
    timeWindow: '1 minute',
    allowList: [],
    keyGenerator: (request) => `failed ${kind} ${clientOf(request)} ${aims.get(request)}`,
  })
  async function refusal(request: Guessing, at = '') {
    aims.set(request, at)
    const limit = await failures(request as FastifyRequest, { increment: false })
    return !limit.isAllowed && limit.remaining <= 0 ? tooMany(limit.ttlInSeconds) : undefined
  }
  return {
    refusal,
    async check(request, at) {
      const refused = await refusal(request, at)
      if (refused) throw refused
    },
    async fail(request, at = '') {
      aims.set(request, at)
      const limit = await failures(request as FastifyRequest)
      return !limit.isAllowed && limit.isExceeded ? tooMany(limit.ttlInSeconds) : undefined
    },
  }
}

/** Milliseconds: resolution of the measurement, and interval of the checks. */
const RESOLUTION = 10
const EVERY = 1_000

/**
 * Refuses requests while the event loop lags more than `maxDelay` milliseconds on average over a second, because responses would come
 * too late. It measures from the moment at which the service listens, so the start does not count.
 */
export const overload = fp<{ maxDelay: number }>(
  async (app, { maxDelay }) => {
    if (maxDelay === 0) return
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
    let isLate = false
    const look = () => {
      // without any measurement, the loop was blocked
      isLate = histogram.count === 0 || histogram.mean / 1e6 - RESOLUTION > maxDelay
      histogram.reset()
    }
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      histogram.enable()
      timer = setInterval(look, EVERY).unref()
    })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      histogram.disable()
    })
    app.addHook('onRequest', (_request, _reply, done) => done(isLate ? overloaded() : undefined))
  },
  { name: 'overload', dependencies: ['headers'] },
)

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
