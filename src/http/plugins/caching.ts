import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Store } from '../../store/store.ts'
import { limitsOf, openKept } from '../output/cache.ts'
import { etagOf, isKnown, openFreshness } from '../output/freshness.ts'
import { type Hear, hear } from './log.ts'

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

/** What answers depend on beside their address. */
const VARY = 'Authorization, Accept-Encoding'

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
  const freshness = openFreshness(store, clock, maxAge)
  const { lifetime, modifiedAt } = freshness
  const kept = openKept(store, clock, freshness)
  app.decorate('answers', kept.counts)
  app.decorateRequest('until', Number.POSITIVE_INFINITY)
  app.decorateRequest('latest')

  /** Answers before Fastify sees the request, as long as it does not close. */
  function answerFirst(server: Server) {
    const [route] = server.listeners('request') as [RequestListener]
    const isHeard = heard.length > 0
    const first: RequestListener = (request, response) => {
      const began = isHeard ? performance.now() : 0
      const url = request.url!
      const id = ids()
      const answered = kept.send(request, response, url, ['x-request-id', id])
      if (answered === undefined) route(request, response)
      else if (isHeard)
        response.once('close', () => {
          const milliseconds = performance.now() - began
          const status = response.statusCode
          const ip = addressOf(request)
          const log = app.log.child({ reqId: id })
          hear(heard, { log, method: 'GET', originalUrl: url, ip, route: answered, status, milliseconds })
        })
    }
    server.removeListener('request', route).on('request', first)
    return () => void server.removeListener('request', first).on('request', route)
  }

  /** Answers from a hook of Fastify with what is kept, and with headers of the request's own. */
  function answerIn(request: FastifyRequest, reply: FastifyReply, done: () => void, own: string[] = []) {
    const headers = ['x-request-id', request.id, ...own]
    if (kept.send(request.raw, reply.raw, request.originalUrl, headers) === undefined) done()
    else reply.hijack()
  }

  if (limited)
    // the limit is a hook of routes
    app.addHook('preParsing', (request, reply, _payload, done) =>
      answerIn(request, reply, done, limitsOf(reply.getHeaders())),
    )
  else {
    const last = answerFirst(app.server)
    app.addHook('preClose', async () => last())
    // what did not come over the network
    app.addHook('onRequest', (request, reply, done) => answerIn(request, reply, done))
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
    const { operation, permission } = request.routeOptions.config
    if (operation === undefined || permission) return payload
    const guarded = 'password' in (request.query as object)
    const everyones = request.caller === undefined && !guarded
    if (reply.statusCode !== 200 || !everyones)
      reply.header('cache-control', guarded ? 'no-store' : 'private, no-cache')
    if (reply.statusCode !== 200) return payload
    const etag = etagOf(body)
    const modified = modifiedAt(request.until, request.latest.at_utc)
    reply.header('etag', etag)
    if (everyones) reply.header('cache-control', lifetime(request.until))
    const { latest, until, originalUrl, routeOptions } = request
    if (everyones && until > clock()) {
      const made = { version: latest.seq, made: clock(), until, etag, body }
      kept.keep(originalUrl, { ...made, headers: reply.getHeaders(), route: routeOptions.url! })
    }
    if (modified) reply.header('last-modified', modified.text)
    if (!isKnown(request, etag, modified)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return request.method === 'HEAD' ? payload : null
  })
}
