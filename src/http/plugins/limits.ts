import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import ipaddr from 'ipaddr.js'
import { ApiError } from '../../errors.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Failures of addresses to sign in, and to name the passwords of events. */
    guesses: { logins: Guesses; visits: Guesses }
  }
}

/** Failures of one kind, counted by address. */
type Guesses = {
  /** Throws 429 where this address failed too often. */
  check(request: FastifyRequest): Promise<void>
  /** Counts a failure; gives the 429 of one too many. */
  fail(request: FastifyRequest): Promise<ApiError | undefined>
}

/** Writes a minute that one client may make where the operator sets no number: a hundred a second. */
const WRITES = 6_000
/** Failures of one kind a minute from one address. */
const FAILURES = 60

/** The 429 that says when to come back. */
export const tooMany = (seconds: number) =>
  new ApiError(
    'rest_rate_limited',
    `Too many requests; try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    {
      retry_after: seconds,
    },
  )

/** Whom an address counts as: itself, or of IPv6 its network, all of which one client may have. */
function clientOf({ ip }: FastifyRequest): string {
  if (!ipaddr.isValid(ip)) return ip // what a trusted proxy forwards may be anything
  const address = ipaddr.process(ip)
  return address instanceof ipaddr.IPv6 ? address.parts.slice(0, 4).join(':') : address.toString()
}

/** Whether a request is made to read only. */
export const isRead = ({ method }: FastifyRequest) =>
  method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Limits per credential, or per address of the anonymous: reads only where `perMinute` is set, writes and wrong passwords always. */
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
