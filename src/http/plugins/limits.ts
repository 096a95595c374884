import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Failed logins and wrong event passwords, counted by address. */
    guesses: { logins: Guesses; visits: Guesses }
  }
}

/** Failures of one kind, counted by address. */
type Guesses = {
  /** Throws 429 if this address has failed too often. */
  check(request: FastifyRequest): Promise<void>
  /** Counts a failure; returns a 429 if it exceeds the limit. */
  fail(request: FastifyRequest): Promise<ApiError | undefined>
}

/** Default limit of writes per minute for one client: a hundred a second. */
const WRITES = 6_000
/** Failures of one kind a minute from one address. */
const FAILURES = 60

/** The 429 with the time until the next attempt. */
export const tooMany = (seconds: number) =>
  new ApiError(
    'rest_rate_limited',
    `Too many requests; try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    {
      retry_after: seconds,
    },
  )

/** The key of an address: the address itself, or its /64 network for IPv6, all of which one client may have. */
export const clientOf = ({ ip }: Pick<FastifyRequest, 'ip'>): string => networkOf(ip)

/** An address as one client may have it: itself, or its /64 network for IPv6. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip // a trusted proxy may forward anything
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Whether the method of a request only reads. */
export const isRead = ({ method }: FastifyRequest) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Limits requests by credential, or by address for anonymous callers: reads only if `perMinute` is set, writes and wrong passwords always. */
export const limits = fp<{ perMinute: number | undefined }>(
  async (app, { perMinute }) => {
    const isFree = (request: FastifyRequest) => perMinute === undefined && isRead(request)
    await app.register(rateLimit, {
      global: true,
      max: perMinute ?? WRITES,
      timeWindow: '1 minute',
      enableDraftSpec: true,
      allowList: isFree,
      keyGenerator: (request) => (isFree(request) ? '' : (request.caller?.credential ?? clientOf(request))),
      errorResponseBuilder: (_request, { ttl }) => tooMany(Math.ceil(ttl / 1000)),
    })
    app.decorate('guesses', { logins: openGuesses(app, 'login'), visits: openGuesses(app, 'visit') })
  },
  { name: 'limits', dependencies: ['headers', 'overload'] },
)

function openGuesses(app: FastifyInstance, kind: string): Guesses {
  const failures = app.createRateLimit({
    max: FAILURES,
    timeWindow: '1 minute',
    allowList: [],
    keyGenerator: (request) => `failed ${kind} ${clientOf(request)}`,
  })
  return {
    async check(request) {
      const limit = await failures(request, { increment: false })
      if (!limit.isAllowed && limit.remaining <= 0) throw tooMany(limit.ttlInSeconds)
    },
    async fail(request) {
      const limit = await failures(request)
      return !limit.isAllowed && limit.isExceeded ? tooMany(limit.ttlInSeconds) : undefined
    },
  }
}
