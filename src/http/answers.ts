import { createHash } from 'node:crypto'
import type { OutgoingHttpHeader } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { toEpoch } from '../dates.ts'
import type { Store } from '../store/store.ts'
import { openDate } from './headers.ts'
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
  /** Whether reads are counted, so that what is kept has to wait for that. */
  counted: boolean
}

/** The time of the last write: in Unix milliseconds, and as a header. */
type Modified = { at: number; text: string }

type Entry = {
  version: number
  /** Unix milliseconds from and until which it holds. */
  made: number
  until: number
  etag: string
  headers: string[]
  body: Buffer
}

const MOST_BYTES = 32 * 2 ** 20
/** Longer addresses are rarely asked for twice. */
const LONGEST_URL = 1_000

/** The strong validator of an answer's bytes (RFC 9110 §8.8.3). */
export const etagOf = (body: Buffer | string) => `"${createHash('sha1').update(body).digest('base64url')}"`

/** Whether a list of ETags in a header names this one; `*` names all. */
export const names = (header: string, etag: string, weak: boolean) =>
  header.trim() === '*' ||
  header.split(',').some((tag) => (weak ? tag.trim().replace(/^W\//, '') : tag.trim()) === etag)

/** Whether the client has this answer already (RFC 9110 §13.1). */
function isKnown({ headers }: FastifyRequest, etag: string, modified: Modified | undefined): boolean {
  const match = headers['if-none-match']
  if (match !== undefined) return names(match, etag, true)
  const since = headers['if-modified-since']
  return since !== undefined && modified !== undefined && modified.at <= Date.parse(since)
}

type Headers = Record<string, OutgoingHttpHeader | undefined>

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
 * Validators and caching of reads (RFC 9110, RFC 9111). What the anonymous read of public data is kept as it went out, until
 * something is written or its time has come, and then costs neither validation nor queries.
 */
export function addAnswers(app: FastifyInstance, store: Store, { maxAge, clock, counted }: AnswersOptions) {
  const kept = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, headers }, url) => body.length + 2 * (url.length + headers.length * 32),
  })
  const date = openDate(clock)
  // what an earlier process said of the same data may have been made with other settings
  const started = Math.floor(clock() / 1000) * 1000

  const counts = { hits: 0, misses: 0 }
  app.decorate('answers', counts)
  app.decorateRequest('until', Number.POSITIVE_INFINITY)
  app.decorateRequest('latest')

  /** For how long other caches may keep an answer: not past what can be foreseen. */
  const lifetime = (until: number) => {
    const end = Math.min(until, store.schedule.next())
    const seconds = Math.min(maxAge, Math.floor((end - clock()) / 1000))
    return seconds > 0 ? `public, max-age=${seconds}` : 'public, no-cache'
  }

  let last: Modified & { utc: string | undefined } = { utc: undefined, at: Number.NaN, text: '' }
  /** When an answer last changed, unless it changes with time or a write of this very second could still follow. */
  function modifiedAt(until: number, utc: string | undefined): Modified | undefined {
    if (until !== Number.POSITIVE_INFINITY || utc === undefined) return undefined
    if (utc !== last.utc) {
      const at = Math.max(toEpoch(utc, 'UTC'), started)
      last = { utc, at, text: new Date(at).toUTCString() }
    }
    return clock() - last.at >= 2_000 ? last : undefined
  }

  /** Sends what is kept for this request, if it still holds. */
  function answer(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.headers.authorization !== undefined || store.schedule.isDue()) return false
    const entry = kept.get(request.originalUrl)
    const { seq, at_utc } = store.changes.latest()
    if (entry === undefined || entry.version !== seq) return false
    const now = clock()
    if (now < entry.made || now >= entry.until) return false
    const { raw } = reply
    const headers = [
      ...entry.headers,
      'etag',
      entry.etag,
      'cache-control',
      lifetime(entry.until),
      'date',
      date(),
      'x-request-id',
      request.id,
    ]
    const modified = modifiedAt(entry.until, at_utc)
    if (modified) headers.push('last-modified', modified.text)
    if (counted) headers.push(...flat(reply.getHeaders(), isLimit))
    counts.hits++
    reply.hijack()
    if (isKnown(request, entry.etag, modified)) {
      raw.writeHead(304, headers)
      raw.end()
    } else {
      raw.writeHead(200, [
        ...headers,
        'content-type',
        JSON_ANSWER,
        'content-length',
        String(entry.body.length),
      ])
      raw.end(entry.body)
    }
    return true
  }

  // first of all, or after the hooks of routes, of which counting is one
  if (counted)
    app.addHook('preParsing', (request, reply, _payload, done) => {
      if (request.method !== 'GET' || !answer(request, reply)) done()
    })
  else
    app.addHook('onRequest', (request, reply, done) => {
      if (request.method !== 'GET' || !answer(request, reply)) done()
    })
  // once what was due is published
  app.addHook('preValidation', (request, _reply, done) => {
    request.latest = store.changes.latest()
    done()
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    const vary = reply.getHeader('vary')
    reply.header('vary', vary === undefined ? 'Authorization' : `${vary}, Authorization`)
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
    if (everyones && request.until > clock() && request.originalUrl.length <= LONGEST_URL) {
      counts.misses++
      kept.set(request.originalUrl, {
        version: request.latest.seq,
        made: clock(),
        until: request.until,
        etag,
        headers: flat(reply.getHeaders(), (name) => !OWN.has(name) && !isLimit(name)),
        body,
      })
    }
    if (modified) reply.header('last-modified', modified.text)
    if (!isKnown(request, etag, modified)) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return request.method === 'HEAD' ? payload : null
  })
}
