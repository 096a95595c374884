import type { IncomingMessage, OutgoingHttpHeader, RequestListener, Server, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Store } from '../store/store.ts'
import { etagOf, isKnown, openFreshness, zippedEtag } from './freshness.ts'
import { openDate } from './headers.ts'
import { type Hear, hear } from './log.ts'
import { JSON_ANSWER } from './responses.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** How often an answer was kept already, and how often one was made that could be kept. */
    answers: { hits: number; misses: number }
  }
  interface FastifyRequest {
    /** Unix milliseconds until which the answer holds if nothing is written; 0 where it holds for this moment only. */
    until: number
    /** The last write before anything was read for this request. */
    latest: ReturnType<Store['changes']['latest']>
  }
}

export type AnswersOptions = {
  /** Seconds for which other caches may keep what everyone may read. */
  maxAge: number
  clock(): number
  /** Whether reads are limited, so that what is kept has to wait for that. */
  limited: boolean
  ids(): string
  addressOf(request: IncomingMessage): string | undefined
  heard: Hear[]
}

type Entry = {
  version: number
  /** Unix milliseconds from and until which it holds. */
  made: number
  until: number
  etag: string
  headers: string[]
  body: Buffer
  /** The body compressed: once it was asked for, made beside other work. */
  zipped?: Buffer | 'soon'
  route: string
}
/** Stands for an answer that was asked for once. */
const ONCE = { version: Number.NaN, headers: [], body: Buffer.alloc(0) } as unknown as Entry

const MOST_BYTES = 32 * 2 ** 20
/** Bytes from which compressing is worth while. */
const LARGE = 1_000
/** Longer addresses are rarely asked for twice. */
const LONGEST_URL = 1_000

const zip = promisify(gzip)
/** Whether a client reads gzip (RFC 9110 §12.5.3). */
const readsGzip = ({ headers: { 'accept-encoding': accepted } }: IncomingMessage) =>
  accepted !== undefined && /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted)

/** What is kept compressed, for who reads that; else it is compressed for those who ask later. */
function zippedOf(entry: Entry, request: IncomingMessage): Buffer | undefined {
  const { zipped, body } = entry
  if (body.length < LARGE || !readsGzip(request) || zipped === 'soon') return undefined
  if (zipped) return zipped
  entry.zipped = 'soon'
  zip(body).then((made) => {
    entry.zipped = made
  })
  return undefined
}

type Headers = Record<string, OutgoingHttpHeader | undefined>

/** What answers depend on beside their address. */
const VARY = 'Authorization, Accept-Encoding'

/** Headers that belong to one answer, or are made anew for each. */
const OWN = new Set([
  'date',
  'x-request-id',
  'cache-control',
  'etag',
  'content-type',
  'content-length',
  'connection',
])
const isLimit = (name: string) => name.startsWith('ratelimit-')

/** Headers as Node.js writes them fastest: names and values in turn. */
const flat = (headers: Headers, wanted: (name: string) => boolean) =>
  Object.entries(headers).flatMap(([name, value]) => (wanted(name) ? [name, String(value)] : []))

/** How often a read that writes overtake is made again. */
const ATTEMPTS = 5

/**
 * Gives what `read` gives, from one state of the data: a read of several queries is made again where a write was committed
 * in between, so that it mixes nothing, and finds nothing gone that it had found a moment before.
 */
export async function readSteadily<T>(
  store: Pick<Store, 'changes'>,
  request: Pick<FastifyRequest, 'latest'>,
  read: () => Promise<T>,
  attempts = ATTEMPTS,
): Promise<T> {
  request.latest = store.changes.latest()
  const [outcome] = await Promise.allSettled([read()])
  const overtaken = store.changes.latest().seq !== request.latest.seq
  if (overtaken && attempts > 1) return readSteadily(store, request, read, attempts - 1)
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/**
 * Validators and caching of reads (RFC 9110, RFC 9111). What anonymous readers ask for again is kept as it went out, until
 * something is written or its time has come, and is then sent before Fastify sees the request.
 */
export function addAnswers(
  app: FastifyInstance,
  store: Store,
  { maxAge, clock, limited, ids, addressOf, heard }: AnswersOptions,
) {
  const kept = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, headers }, url) => body.length + 2 * (url.length + headers.length * 32),
  })
  const date = openDate(clock)
  const { lifetime, modifiedAt } = openFreshness(store, clock, maxAge)
  const counts = { hits: 0, misses: 0 }
  app.decorate('answers', counts)
  app.decorateRequest('until', Number.POSITIVE_INFINITY)
  app.decorateRequest('latest')

  /** Sends what is kept for a request, if it still holds. */
  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: string,
    own: string[],
  ): Entry | undefined {
    if (request.method !== 'GET' || request.headers.authorization !== undefined) return undefined
    const entry = kept.get(url)
    if (entry === undefined || store.schedule.isDue()) return undefined
    const { seq, at_utc } = store.changes.latest()
    if (entry.version !== seq) return undefined
    const now = clock()
    if (now < entry.made || now >= entry.until) return undefined
    const headers = [...entry.headers, 'cache-control', lifetime(entry.until), 'date', date(), ...own]
    const modified = modifiedAt(entry.until, at_utc)
    if (modified) headers.push('last-modified', modified.text)
    counts.hits++
    const zipped = zippedOf(entry, request)
    headers.push('etag', zipped ? zippedEtag(entry.etag) : entry.etag)
    if (isKnown(request, entry.etag, modified)) {
      response.writeHead(304, headers)
      response.end()
      return entry
    }
    const body = zipped ?? entry.body
    if (zipped) headers.push('content-encoding', 'gzip')
    headers.push('content-type', JSON_ANSWER, 'content-length', String(body.length))
    response.writeHead(200, headers)
    response.end(body)
    return entry
  }

  /** Keeps an answer that was asked for before: of many addresses each is asked for once. */
  function keep(request: FastifyRequest, reply: FastifyReply, etag: string, body: Buffer) {
    counts.misses++
    const { originalUrl: url, latest, until, routeOptions } = request
    if (!kept.has(url)) return void kept.set(url, ONCE)
    const shared = flat(reply.getHeaders(), (name) => !OWN.has(name) && !isLimit(name))
    kept.set(url, {
      version: latest.seq,
      made: clock(),
      until,
      headers: shared,
      etag,
      body: Buffer.from(body),
      route: routeOptions.url!,
    })
  }

  /** Answers before Fastify sees the request, as long as it does not close. */
  function answerFirst(server: Server) {
    const [route] = server.listeners('request') as [RequestListener]
    const isHeard = heard.length > 0
    const first: RequestListener = (request, response) => {
      const began = isHeard ? performance.now() : 0
      const url = request.url!
      const id = ids()
      const entry = answer(request, response, url, ['x-request-id', id])
      if (entry === undefined) route(request, response)
      else if (isHeard)
        response.once('close', () => {
          const milliseconds = performance.now() - began
          const status = response.statusCode
          const ip = addressOf(request)
          const log = app.log.child({ reqId: id })
          hear(heard, { log, method: 'GET', originalUrl: url, ip, route: entry.route, status, milliseconds })
        })
    }
    server.removeListener('request', route).on('request', first)
    return () => void server.removeListener('request', first).on('request', route)
  }

  if (limited)
    // the limit is a hook of routes
    app.addHook('preParsing', (request, reply, _payload, done) => {
      const own = ['x-request-id', request.id, ...flat(reply.getHeaders(), isLimit)]
      if (answer(request.raw, reply.raw, request.originalUrl, own)) reply.hijack()
      else done()
    })
  else {
    const last = answerFirst(app.server)
    app.addHook('preClose', async () => last())
    // what did not come over the network
    app.addHook('onRequest', (request, reply, done) => {
      if (answer(request.raw, reply.raw, request.originalUrl, ['x-request-id', request.id])) reply.hijack()
      else done()
    })
  }
  // once what was due is published
  app.addHook('preValidation', (request, _reply, done) => {
    request.latest = store.changes.latest()
    done()
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? VARY : `${vary}, ${VARY}`)
    const body = payload as Buffer
    const { operation, admin } = request.routeOptions.config
    if (operation === undefined || admin) return payload
    const guarded = 'password' in (request.query as object)
    const everyones = request.caller === undefined && !guarded
    if (reply.statusCode !== 200 || !everyones)
      reply.header('cache-control', guarded ? 'no-store' : 'private, no-cache')
    if (reply.statusCode !== 200) return payload
    const etag = etagOf(body)
    const modified = modifiedAt(request.until, request.latest.at_utc)
    reply.header('etag', etag)
    if (everyones) reply.header('cache-control', lifetime(request.until))
    if (everyones && request.until > clock() && request.originalUrl.length <= LONGEST_URL)
      keep(request, reply, etag, body)
    if (modified) reply.header('last-modified', modified.text)
    if (!isKnown(request, etag, modified)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return request.method === 'HEAD' ? payload : null
  })
}
