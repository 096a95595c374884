import cors from '@fastify/cors'
import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import helmet, { type HelmetOptions } from 'helmet'
import { ApiError } from '../errors.ts'
import { openDate } from '../output/header-values.ts'
import { refusedOverride } from './mounts.ts'

/** Response headers that pages of other origins may read. */
const EXPOSED = [
  'RateLimit',
  'RateLimit-Policy',
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
  'X-Search-Corrections',
  'X-Translations-Differ',
  'X-Request-Id',
]

declare module 'fastify' {
  interface FastifyInstance {
    /** The security headers of each kind of page. */
    policies: Record<keyof typeof POLICIES, Record<string, string>>
  }
  interface FastifyContextConfig {
    /** A page for browsers, not data: which content policy it has. */
    page?: keyof typeof POLICIES
    /** The handler of a route that answers as soon as the response has its headers, before any other check. */
    direct?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
  }
}

const READS = ['GET', 'HEAD']

/** Content policy of the documentation: only own scripts and images; Swagger UI needs inline styles. */
const DOC_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}
const CALENDAR_POLICY = {
  ...DOC_POLICY,
  styleSrc: ["'self'"],
  imgSrc: ["'self'"],
  fontSrc: ["'self'"],
  formAction: ["'self'"],
}
/**
 * Content policies of pages. The calendar has forms, and fonts that the operator may add; nothing in it is inline. The desk shows
 * pictures before they are uploaded and previews of pages in a frame, and makes elements of text in one place of its own and one of its editor. An embed may be in frames of any site.
 */
const POLICIES = {
  doc: DOC_POLICY,
  calendar: CALENDAR_POLICY,
  desk: {
    ...CALENDAR_POLICY,
    imgSrc: ["'self'", 'blob:'],
    formAction: ["'none'"],
    frameSrc: ["'self'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ['desk', 'ProseMirrorClipboard'],
  },
  preview: { ...CALENDAR_POLICY, frameAncestors: ["'self'"] },
  embed: { ...CALENDAR_POLICY, formAction: ["'none'"], frameAncestors: ['*'] },
}

/** Content policy for everything else: nothing may be loaded. */
const DATA_POLICY = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }

/** What no page of the calendar uses, nor a frame in one. Text is copied to the clipboard at the desk. */
const PERMISSIONS = [
  ...[
    'accelerometer',
    'autoplay',
    'camera',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'geolocation',
  ],
  ...['gyroscope', 'magnetometer', 'microphone', 'midi', 'payment', 'picture-in-picture'],
  ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]
  .map((feature) => `${feature}=()`)
  .join(', ')

/** One signs in with a passkey at the desk, and nowhere else. */
const PERMISSIONS_OF_DESK = PERMISSIONS.replace('credentials-get=()', 'credentials-get=(self)')

/** Headers that browsers only use in pages; data omits them, because each header costs time. */
const NOT_FOR_DATA = {
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false,
} as const

/** The headers of helmet, computed once because they are the same for every request. */
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

type Options = {
  origins: string[]
  baseUrl: string
  clock(): number
  /** Whether a response is a page of the calendar though its route does not say so. */
  isPage(request: FastifyRequest): boolean
  /** Origins of pictures that pages of the calendar may load beside those of the site. */
  pictures: string[]
}

/** Headers of every response: any origin may read, only `origins` may write; security headers; Date from the injected clock (R6). */
export const headers = fp<Options>(
  async (app, { origins, baseUrl, clock, isPage, pictures }) => {
    const own = new URL(baseUrl)
    const shared = {
      crossOriginResourcePolicy: { policy: 'cross-origin' },
      hsts: own.protocol === 'https:' && { maxAge: 31_536_000 },
      xFrameOptions: { action: 'deny' }, // as frame-ancestors 'none' says
    } as const
    const ofData = secure({ ...shared, ...NOT_FOR_DATA, contentSecurityPolicy: DATA_POLICY })
    const policy = (directives: Record<string, string[]>) => ({ useDefaults: false, directives })
    const ofPage = (options: HelmetOptions) => ({ ...secure(options), 'permissions-policy': PERMISSIONS })
    const ofPages = {
      doc: ofPage({ ...shared, contentSecurityPolicy: policy(POLICIES.doc) }),
      calendar: ofPage({
        ...shared,
        contentSecurityPolicy: policy({
          ...POLICIES.calendar,
          imgSrc: [...POLICIES.calendar.imgSrc, ...pictures],
        }),
        referrerPolicy: { policy: 'same-origin' }, // with none, browsers send forms without their origin
      }),
      desk: {
        ...ofPage({
          ...shared,
          contentSecurityPolicy: policy(POLICIES.desk),
        }),
        'permissions-policy': PERMISSIONS_OF_DESK,
      },
      preview: ofPage({
        ...shared,
        contentSecurityPolicy: policy(POLICIES.preview),
        referrerPolicy: { policy: 'same-origin' },
        xFrameOptions: { action: 'sameorigin' },
      }),
      embed: ofPage({
        ...shared,
        contentSecurityPolicy: policy(POLICIES.embed),
        xFrameOptions: false, // knows no value for frames of any site
      }),
    }
    // browsers send stored credentials with forms of any page, but always with its origin
    const mayWrite = ({ headers: { origin, host } }: FastifyRequest) =>
      origin === undefined ||
      [own.origin, ...origins].includes(origin) ||
      origin.replace(/^https?:\/\//, '') === host
    const date = openDate(clock)
    app.decorate('policies', ofPages)

    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      const page =
        request.routeOptions.config.page ?? (request.is404 && isPage(request) ? 'calendar' : undefined)
      reply.headers(page ? ofPages[page] : ofData)
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
      const { direct } = request.routeOptions.config
      if (direct) return void direct(request, reply).then((body) => void reply.send(body), done)
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
