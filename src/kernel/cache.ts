import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import type { Changes } from './database/changes.ts'
import {
  COPY_AGE,
  encodedEtag,
  etagOf,
  type Freshness,
  knownAs,
  openDate,
  openFreshness,
  type Schedule,
} from './output/header-values.ts'
import {
  accepts,
  EVENT_STREAM,
  isNegotiated,
  LARGE,
  type Negotiation,
  openZip,
  prefersStream,
  QUICK,
} from './output/negotiation.ts'
import { hear } from './server/log.ts'
import { isOverridden } from './server/mounts.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Numbers of responses that came from the cache, and of cacheable responses that did not. */
    cacheCounts: { hits: number; misses: number }
  }
  interface FastifyRequest {
    /** Unix milliseconds until which the response is valid if nothing is written; 0 if only at this moment. */
    until: number
    /** The last write before anything was read for this request; without it, the response is not kept and has no validators. */
    latest: ReturnType<Changes['latest']>
  }
}

type Options = {
  store: { schedule: Schedule; changes: Pick<Changes, 'latest'> }
  /** Seconds for which caches may reuse public responses. */
  maxAge: number
  /** Unix milliseconds since when answers are made as they are from the same data. */
  since(): number
  clock(): number
  /** While it is above 0, answers tell how old they are, and none is taken from the cache. */
  lag: (() => number) | undefined
  /** Whether reads are limited; cached responses are then sent after the limit. */
  limited: boolean
  negotiation: Negotiation
  ids(): string
  addressOf(request: IncomingMessage): string | undefined
}

/** Marks a request without a cached response. The mark lies on the request, as an entry of a weak map outlives many more collections. */
const MISSED = Symbol('missed')
type Missed = IncomingMessage & { [MISSED]?: true }

/** The request headers that responses depend on. */
const VARY = 'Authorization, Accept-Encoding'

/**
 * Validators and caching of reads (RFC 9110, RFC 9111). A response that anonymous readers request again is cached as sent, until
 * the next write or until it expires. Each request is looked up once: before Fastify sees it; after the limit, if reads are
 * limited; or in the first hook, if it did not come over the network, or its route understands only a part of its URL.
 */
export const cache = fp<Options>(
  async (app, options) => {
    const { store, clock, limited } = options
    const freshness = openFreshness(store, clock, options)
    const responses = openCache(options, freshness)
    app.decorate('cacheCounts', responses.counts)
    app.decorateRequest('until', Number.POSITIVE_INFINITY)
    app.decorateRequest('latest')

    const answer = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
      const { raw, id, originalUrl, address } = request
      if ((raw as Missed)[MISSED] && address === originalUrl) return void done()
      const entry = responses.find(raw, address)
      if (entry === undefined) return void done()
      responses.send(entry, raw, reply.raw, ['x-request-id', id, ...limitsOf(reply.getHeaders())])
      reply.hijack()
    }
    answerFirst(app, options, responses)
    // the limit is a hook of each route
    if (limited) app.addHook('preParsing', (request, reply, _payload, done) => answer(request, reply, done))
    else app.addHook('onRequest', answer)
    app.addHook('onSend', openValidation(clock, freshness, responses))
  },
  { name: 'cache', dependencies: ['log', 'headers', 'health', 'understood', 'entrance'] },
)

/**
 * Sends a cached response before Fastify sees the request, unless Fastify is closing; notes requests without one. Where requests are limited, it
 * counts those that it answers, and leaves to Fastify those that are too many.
 */
function answerFirst(app: FastifyInstance, { ids, addressOf }: Options, cache: ReturnType<typeof openCache>) {
  const { heard, log } = app
  let isClosing = false
  function answer(request: IncomingMessage, response: ServerResponse, entry: Entry, limits: string[]) {
    const began = heard.length > 0 ? performance.now() : 0
    const id = ids()
    cache.send(entry, request, response, ['x-request-id', id, ...limits])
    if (heard.length === 0) return
    response.on('close', () => {
      const milliseconds = performance.now() - began
      const own = log.child({ reqId: id })
      const { statusCode: status } = response
      const said = { method: 'GET', originalUrl: request.url!, ip: addressOf(request), route: entry.route }
      hear(heard, { log: own, ...said, status, milliseconds })
    })
  }
  app.enter('cache', (route) => {
    const { countVisit } = app
    return (request, response) => {
      if (isClosing) return route(request, response)
      const entry = cache.find(request, request.url!)
      if (entry === undefined) {
        ;(request as Missed)[MISSED] = true
        return route(request, response)
      }
      const limits = countVisit ? countVisit(addressOf(request)) : []
      if (limits) answer(request, response, entry, limits)
      else route(request, response)
    }
  })
  app.addHook('preClose', async () => {
    isClosing = true
  })
}

/** The headers of a body, which a 304 lacks. */
const OF_BODIES = ['content-type', 'content-length', 'content-encoding']

/** Adds validators to a response, and keeps it if everyone may read it. */
function openValidation(
  clock: () => number,
  { lifetime, modifiedAt }: Freshness,
  cache: ReturnType<typeof openCache>,
) {
  const zip = openZip(QUICK)
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    const vary = [reply.getHeader('vary'), VARY, isNegotiated(request.raw) && 'Accept']
    reply.header('vary', vary.filter(Boolean).join(', '))
    const { operation, permission } = request.routeOptions.config
    if (operation === undefined || permission) return payload
    if (reply.getHeader('content-type') === EVENT_STREAM) {
      reply.header('cache-control', 'no-store')
      return payload
    }
    const guarded = 'password' in ((request.given ?? request.query) as object)
    const everyones = request.caller === undefined && !guarded
    const { latest } = request
    if (reply.statusCode !== 200 || !everyones || !latest)
      reply.header('cache-control', guarded ? 'no-store' : 'private, no-cache')
    if (reply.statusCode !== 200 || !latest) return payload
    // a stream has the ETag that its handler computed, and what has a token
    const stream = payload instanceof Readable ? payload : undefined
    const body = payload as Buffer
    const etag = String(reply.getHeader('etag') ?? etagOf(body))
    const { at_utc, seen_utc } = latest
    const modified = modifiedAt(request.until, everyones ? seen_utc : at_utc)
    reply.header('etag', etag)
    if (everyones) reply.header('cache-control', lifetime(request.until))
    const { until, address, routeOptions } = request
    if (everyones && !stream && until > clock() && !isOverridden(request.raw)) {
      cache.keep(request.raw, address, () => ({
        ...{ version: latest.seq, made: clock(), until, etag, body, route: routeOptions.url! },
        ...{ type: String(reply.getHeader('content-type')), headers: reply.getHeaders() },
      }))
    }
    if (modified) reply.header('last-modified', modified.text)
    const known = knownAs(request, etag, modified)
    if (known !== undefined) reply.header('etag', known)
    const isHead = request.method === 'HEAD'
    if (stream && (known !== undefined || isHead)) stream.destroy()
    if (known !== undefined) {
      for (const name of OF_BODIES) reply.removeHeader(name)
      reply.code(304)
    }
    if (isHead) return stream ? Readable.from([]) : payload
    if (known !== undefined) return null
    if (stream || body.length < LARGE || !accepts(request.raw, 'gzip')) return payload
    const zipped = zip(body)
    if (zipped) reply.header('content-encoding', 'gzip').header('etag', encodedEtag(etag))
    return zipped ?? payload
  }
}

type Payload = string | Buffer | Readable | null | undefined

/** Sends the headers of what GET would send, and nothing of it. */
function withoutBody(
  { method }: FastifyRequest,
  reply: FastifyReply,
  payload: Payload,
  done: (error: null, payload?: Payload) => void,
) {
  if (method !== 'HEAD') return done(null, payload)
  if (payload && typeof payload === 'object' && 'resume' in payload) {
    payload.on('error', reply.log.error.bind(reply.log))
    payload.resume()
  } else reply.header('content-length', Buffer.byteLength(payload ?? ''))
  done(null, null)
}

/**
 * Lets each route of GET answer HEAD as well, instead of a route of its own, which Fastify would add. Register it before any route.
 */
export const heads = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'GET') return
      route.method = ['GET', 'HEAD']
      route.onSend = [route.onSend ?? [], withoutBody].flat() as never
    })
  },
  { name: 'heads' },
)

/** A cached response. */
export type Cached = {
  /** The number of the last write before it was created. */
  version: number
  /** Unix milliseconds from which and until which it is valid. */
  made: number
  until: number
  etag: string
  headers: Headers
  /** Its Content-Type. */
  type: string
  body: Buffer
  /** The URL pattern of its route. */
  route: string
}
type Headers = Record<string, OutgoingHttpHeader | undefined>
type Entry = Omit<Cached, 'headers'> & {
  headers: string[]
  /** The compressed body; `soon` while it is being created in the background. */
  zipped?: Buffer | 'soon'
}

const MOST_BYTES = 32 * 2 ** 20
/** Number of URLs to remember that were requested once. */
const MOST_ASKED = 5_000
/** Longer URLs are rarely requested twice. */
const LONGEST_URL = 1_000

/** Headers that belong to one response, or are created for each. */
const OWN = new Set([
  'date',
  'x-request-id',
  'cache-control',
  'etag',
  'content-type',
  'content-length',
  'connection',
  COPY_AGE,
])
const isLimit = (name: string) => name.startsWith('ratelimit')

/** Headers in the form that Node.js writes fastest: names and values alternating. */
const flat = (headers: Headers, wanted: (name: string) => boolean) =>
  Object.entries(headers).flatMap(([name, value]) => (wanted(name) ? [name, String(value)] : []))
/** The headers about the remaining part of a limit. */
export const limitsOf = (headers: Headers) => flat(headers, isLimit)

const HOST = /^https?:\/\/[^/?]*/i
/** The escapes of characters that need none (RFC 3986 §2.3), and all others. */
const NEEDLESS = /%(2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi
const ESCAPES = /%../g
const nameOf = (pair: string) => {
  const [[name] = ['']] = new URLSearchParams(pair) as Iterable<[string, string]>
  return name.replace(/\[.*$/s, '')
}

/** A URL without the parameters that are not among these, and with its path in one spelling. */
export function reduce(url: string, names: readonly string[]): string {
  const [path = '', query] = url.replace(HOST, '').split(/[?#](.*)/s, 2)
  const plain = path.replace(NEEDLESS, decodeURIComponent).replace(ESCAPES, (code) => code.toLowerCase())
  const pairs = query === undefined ? [] : query.split('&').filter((pair) => names.includes(nameOf(pair)))
  return pairs.length === 0 ? plain : `${plain}?${pairs.join('&')}`
}

/**
 * Returns the compressed body of a response if the client accepts gzip. If it does not exist yet, it is created for later requests,
 * unless another one is being created.
 */
function openZipped() {
  const zip = openZip()
  return (entry: Entry, request: IncomingMessage): Buffer | undefined => {
    const { zipped, body } = entry
    if (body.length < LARGE || !accepts(request, 'gzip') || zipped === 'soon') return undefined
    if (zipped) return zipped
    const soon = zip(body)
    if (soon === undefined) return undefined
    entry.zipped = 'soon'
    soon.then((made) => {
      entry.zipped = made
    })
    return undefined
  }
}

/** The cache of responses to anonymous reads, by URL and by the format that `Accept` asks for. It holds those that were requested at least twice. */
function openCache(
  {
    store: { schedule, changes },
    negotiation: { preferred },
    clock,
    lag = () => 0,
  }: Pick<Options, 'store' | 'negotiation' | 'clock' | 'lag'>,
  { lifetime, modifiedAt }: Freshness,
) {
  /** The key of a response: two formats of one URL never mix. */
  function keyOf(request: IncomingMessage, url: string): string {
    const extension = prefersStream(request) ? 'stream' : preferred(request)
    return extension === undefined ? url : `${extension} ${url}`
  }
  const asked = new LRUCache<string, true>({ maxSize: MOST_ASKED, sizeCalculation: () => 1 })
  const cached = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, headers }, url) => body.length + 2 * (url.length + headers.length * 32),
  })
  const date = openDate(clock)
  const zippedOf = openZipped()
  const counts = { hits: 0, misses: 0 }
  return {
    /** Numbers of responses that came from the cache, and of cacheable responses that did not. */
    counts,
    /** Caches the response that `make` gives if its URL was requested before, because many URLs are requested only once. */
    keep(request: IncomingMessage, address: string, make: () => Cached) {
      const url = keyOf(request, address)
      if (url.length > LONGEST_URL) return
      counts.misses++
      if (!cached.has(url) && !asked.delete(url)) return void asked.set(url, true)
      const { headers, body, ...rest } = make()
      const shared = flat(headers, (name) => !OWN.has(name) && !isLimit(name))
      cached.set(url, { ...rest, headers: shared, body: Buffer.from(body) })
    },
    /** Finds the cached response to a request, if there is one that is still valid. */
    find(request: IncomingMessage, url: string): Entry | undefined {
      if (request.method !== 'GET' || request.headers.authorization !== undefined) return undefined
      const entry = cached.get(keyOf(request, url))
      if (entry === undefined || schedule.isDue() || lag() > 0) return undefined
      if (entry.version !== changes.latest().seq) return undefined
      const now = clock()
      return now < entry.made || now >= entry.until ? undefined : entry
    },
    /** Sends a cached response with additional headers. */
    send(entry: Entry, request: IncomingMessage, response: ServerResponse, own: string[]) {
      counts.hits++
      const headers = [...entry.headers, 'cache-control', lifetime(entry.until), 'date', date(), ...own]
      const modified = modifiedAt(entry.until, changes.latest().seen_utc)
      if (modified) headers.push('last-modified', modified.text)
      const zipped = zippedOf(entry, request)
      const etag = zipped ? encodedEtag(entry.etag) : entry.etag
      const known = knownAs(request, etag, modified)
      headers.push('etag', known ?? etag)
      if (known !== undefined) {
        response.writeHead(304, headers)
        response.end()
        return
      }
      const body = zipped ?? entry.body
      if (zipped) headers.push('content-encoding', 'gzip')
      headers.push('content-type', entry.type, 'content-length', String(body.length))
      response.writeHead(200, headers)
      response.end(body)
    },
  }
}
