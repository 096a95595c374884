import cors from '@fastify/cors'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

/** What pages of other origins may read of an answer. */
const EXPOSED = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Link',
  'ETag',
  'Location',
  'X-TEC-Total',
  'X-TEC-TotalPages',
  'X-WP-Total',
  'X-WP-TotalPages',
  'X-Ignored-Fields',
  'X-Request-Id',
]

const READS = ['GET', 'HEAD']

/** For pages that we serve: our own scripts and pictures and nothing else; Swagger UI writes styles into elements. */
export const PAGE_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'", "'unsafe-inline'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
}

/** For everything else: no browser has to load anything for it. */
const DATA_POLICY = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }

/** Headers of every answer: any origin reads, only `origins` write; browsers are held to what we mean; the clock is ours (R6). */
export async function addHeaders(
  app: FastifyInstance,
  origins: string[],
  baseUrl: string,
  clock: () => number,
) {
  const own = new URL(baseUrl)
  await app.register(helmet, {
    contentSecurityPolicy: DATA_POLICY,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
    hsts: own.protocol === 'https:' && { maxAge: 31_536_000 },
  })
  await app.register(cors, {
    delegator: ({ method, headers }, done) => {
      const asked = method === 'OPTIONS' ? (headers['access-control-request-method'] ?? 'GET') : method
      const reads = READS.includes(asked)
      done(null, {
        origin: reads ? '*' : origins,
        exposedHeaders: EXPOSED,
        preflightContinue: true,
        strictPreflight: false,
      })
    },
  })
  // browsers add credentials that they know to forms of any page: where a page comes from, they always say
  app.addHook('onRequest', async ({ method, headers: { origin, host } }: FastifyRequest) => {
    if (origin === undefined || READS.includes(method) || method === 'OPTIONS') return
    if (origin === own.origin || origin.replace(/^https?:\/\//, '') === host || origins.includes(origin))
      return
    throw new ApiError(
      'rest_forbidden',
      `Pages of ${origin} may only read; the operator names those that may write in CORS_ORIGINS.`,
    )
  })
  const date = openDate(clock)
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.header('date', date())
    done()
  })
}

/** The Date header of now, printed once a second. */
export function openDate(clock: () => number) {
  let second = Number.NaN
  let text = ''
  return () => {
    const now = Math.floor(clock() / 1000)
    if (now !== second) {
      second = now
      text = new Date(now * 1000).toUTCString()
    }
    return text
  }
}
