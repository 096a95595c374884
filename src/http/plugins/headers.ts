import cors from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import helmet, { type HelmetOptions } from 'helmet'
import { ApiError } from '../../errors.ts'
import { openDate } from '../output/date.ts'
import { refusedOverride } from './override.ts'

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
  'X-Ignored-Parameters',
  'X-Created-Terms',
  'X-Request-Id',
]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page for browsers, not data. */
    page?: boolean
  }
}

const READS = ['GET', 'HEAD']

/** For pages that we serve: our own scripts and pictures and nothing else; Swagger UI writes styles into elements. */
const PAGE_POLICY = {
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

/** What browsers heed in pages only; every header costs a part of a kept answer. */
const NOT_FOR_DATA = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
} as const

/** What helmet sets, worked out once: it is the same for every request. */
function secure(options: HelmetOptions): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
    removeHeader() {},
  }
  helmet(options)({} as never, response as never, () => {})
  return headers
}

type Options = { origins: string[]; baseUrl: string; clock(): number }

/** Headers of every answer: any origin reads, only `origins` write; browsers are held to what we mean; the clock is ours (R6). */
export const headers = fp<Options>(
  async (app, { origins, baseUrl, clock }) => {
    const own = new URL(baseUrl)
    const shared = {
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      hsts: own.protocol === 'https:' && { maxAge: 31_536_000 },
    } as const
    const ofData = secure({ ...shared, ...NOT_FOR_DATA, contentSecurityPolicy: DATA_POLICY })
    const ofPages = secure({ ...shared, contentSecurityPolicy: PAGE_POLICY })
    // browsers add credentials that they know to forms of any page: where a page comes from, they always say
    const mayWrite = ({ headers: { origin, host } }: FastifyRequest) =>
      origin === undefined ||
      [own.origin, ...origins].includes(origin) ||
      origin.replace(/^https?:\/\//, '') === host
    const date = openDate(clock)

    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      reply.headers(request.routeOptions.config.page ? ofPages : ofData)
      done()
    })
    await app.register(cors, {
      origin: origins,
      exposedHeaders: EXPOSED,
      preflightContinue: true,
      strictPreflight: false,
    })
    app.addHook('onRequest', (request, reply, done) => {
      const { method, headers } = request
      const asked = method === 'OPTIONS' ? (headers['access-control-request-method'] ?? 'GET') : method
      if (READS.includes(asked)) reply.header('access-control-allow-origin', '*').removeHeader('vary')
      if (method === 'OPTIONS' || READS.includes(method)) return void done()
      if (mayWrite(request)) return void done(refusedOverride(request.raw))
      const message = `The origin ${headers.origin} may only read. The operator allows origins to write in CORS_ORIGINS.`
      done(new ApiError('rest_forbidden', message))
    })
    app.addHook('onSend', (_request, reply, _payload, done) => {
      reply.header('date', date())
      done()
    })
  },
  { name: 'headers', dependencies: ['errors', 'log', 'methods'] },
)
