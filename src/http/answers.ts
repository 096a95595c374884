import { createHash } from 'node:crypto'
import type { OutgoingHttpHeader } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Store } from '../store/store.ts'
import { openDate } from './headers.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Unix milliseconds until which the answer holds if nothing is written; 0 where it holds for this moment only. */
    until: number
    /** The last write before anything was read for this request. */
    latest: ReturnType<Store['changes']['latest']>
  }
}

export type AnswersOptions = {
  /** Whether answers are kept here at all. */
  keep: boolean
  /** Seconds for which other caches may keep what everyone may read. */
  maxAge: number
  clock(): number
}

type Entry = {
  version: number
  /** Unix milliseconds from and until which it holds. */
  made: number
  until: number
  etag: string
  /** Unix milliseconds of the last write, where a later one can not bear the same time. */
  modified: number
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
function isKnown({ headers }: FastifyRequest, { etag, modified }: Pick<Entry, 'etag' | 'modified'>): boolean {
  const match = headers['if-none-match']
  if (match !== undefined) return names(match, etag, true)
  const since = headers['if-modified-since']
  return since !== undefined && modified <= Date.parse(since)
}

/** Headers that belong to one answer, or are made anew for each. */
const OWN = new Set(['date', 'cache-control', 'etag', 'content-length', 'connection', 'keep-alive'])

/** Headers as Node.js writes them fastest: names and values in turn. */
const flat = (headers: Record<string, OutgoingHttpHeader | undefined>) =>
  Object.entries(headers).flatMap(([name, value]) =>
    OWN.has(name) ? [] : [value].flat().flatMap((one) => [name, String(one)]),
  )

/**
 * Validators and caching of reads (RFC 9110, RFC 9111). What the anonymous read of public data is kept as it went out, until
 * something is written or its time has come, and then costs neither validation nor queries.
 */
export function addAnswers(app: FastifyInstance, store: Store, { keep, maxAge, clock }: AnswersOptions) {
  const kept = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, headers }, url) => body.length + 2 * (url.length + headers.length * 32),
  })
  const date = openDate(clock)

  app.decorateRequest('until', Number.POSITIVE_INFINITY)
  app.decorateRequest('latest')

  /** For how long other caches may keep an answer. */
  const lifetime = (until: number) => {
    const seconds = Math.min(maxAge, Math.floor((until - clock()) / 1000))
    return seconds > 0 ? `public, max-age=${seconds}` : 'public, no-cache'
  }

  /** When an answer last changed, unless it changes with time or a write of this very second could still follow. */
  const modifiedAt = ({ until, latest: { at_utc } }: FastifyRequest): number => {
    const at = at_utc === undefined ? Number.NaN : Date.parse(`${at_utc.replace(' ', 'T')}Z`)
    return until === Number.POSITIVE_INFINITY && clock() - at >= 2_000 ? at : Number.NaN
  }

  /** Sends what is kept for this request, if it still holds. */
  function answer(request: FastifyRequest, reply: FastifyReply): boolean {
    if (request.headers.authorization !== undefined || store.schedule.isDue()) return false
    const entry = kept.get(request.originalUrl)
    if (entry === undefined || entry.version !== request.latest.seq) return false
    const now = clock()
    if (now < entry.made || now >= entry.until) return false
    const { raw } = reply
    const fresh = ['etag', entry.etag, 'cache-control', lifetime(entry.until), 'date', date()]
    reply.hijack()
    if (isKnown(request, entry)) {
      raw.writeHead(304, [...entry.headers, ...fresh])
      raw.end()
    } else {
      raw.writeHead(200, [...entry.headers, 'content-length', String(entry.body.length), ...fresh])
      raw.end(entry.body)
    }
    return true
  }

  app.addHook('onRequest', (request, reply, done) => {
    request.latest = store.changes.latest()
    if (request.method !== 'GET' || !answer(request, reply)) done()
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return payload
    reply.header('vary', [reply.getHeader('vary'), 'Authorization'].filter(Boolean).join(', '))
    const body = payload as Buffer
    const { operation } = request.routeOptions.config
    if (reply.statusCode !== 200 || operation === undefined || !Buffer.isBuffer(body)) return payload
    const everyones = request.caller === undefined && !('password' in (request.query as object))
    const etag = etagOf(body)
    const modified = modifiedAt(request)
    reply.header('etag', etag)
    if (!Number.isNaN(modified)) reply.header('last-modified', new Date(modified).toUTCString())
    reply.header('cache-control', everyones ? lifetime(request.until) : 'private, no-cache')
    if (keep && everyones && request.until > clock() && request.originalUrl.length <= LONGEST_URL)
      kept.set(request.originalUrl, {
        version: request.latest.seq,
        made: clock(),
        until: request.until,
        etag,
        modified,
        headers: flat({ ...reply.raw.getHeaders(), ...reply.getHeaders() }),
        body,
      })
    if (!isKnown(request, { etag, modified })) return payload
    reply.code(304).removeHeader('content-type').removeHeader('content-length')
    return ''
  })
}
