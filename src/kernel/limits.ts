import { monitorEventLoopDelay } from 'node:perf_hooks'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ApiError, overloaded } from './errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
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

/** Default limit of writes per minute for one client: a hundred a second. */
const WRITES = 6_000
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

/** Limits requests by credential, or by address for anonymous callers: reads only if `perMinute` is set, writes and wrong passwords always. */
export const limits = fp<{ perMinute: number | undefined }>(
  async (app, { perMinute }) => {
    const isFree = (request: Pick<FastifyRequest, 'method'>) => perMinute === undefined && isRead(request)
    // routes of reads without a limit have no hook
    app.addHook('onRoute', (route) => {
      const methods = [route.method].flat()
      if (methods.every((method) => isFree({ method }))) route.config = { ...route.config, rateLimit: false }
    })
    await app.register(rateLimit, {
      global: true,
      max: perMinute ?? WRITES,
      timeWindow: '1 minute',
      enableDraftSpec: true,
      allowList: isFree,
      keyGenerator: (request) => (isFree(request) ? '' : (request.caller?.credential ?? clientOf(request))),
      errorResponseBuilder: (_request, { ttl }) => tooMany(Math.ceil(ttl / 1000)),
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
