import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Changes } from '../database/changes.ts'
import { accepts, LARGE, openZip } from '../output/encoding.ts'
import {
  COPY_AGE,
  encodedEtag,
  type Freshness,
  knownAs,
  openDate,
  type Schedule,
} from '../output/header-values.ts'
import { preferred, prefersStream } from '../output/negotiation.ts'

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

/** The key of a response: two formats of one URL never mix. */
function keyOf(request: IncomingMessage, url: string): string {
  const extension = prefersStream(request) ? 'stream' : preferred(request)
  return extension === undefined ? url : `${extension} ${url}`
}

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
export function openCache(
  { schedule, changes }: { schedule: Schedule; changes: Pick<Changes, 'latest'> },
  clock: () => number,
  { lifetime, modifiedAt }: Freshness,
  lag: () => number = () => 0,
) {
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
    /** Sends the cached response with additional headers, and returns its route; undefined if there is none that is still valid. */
    send(
      request: IncomingMessage,
      response: ServerResponse,
      url: string,
      own: () => string[],
    ): string | undefined {
      if (request.method !== 'GET' || request.headers.authorization !== undefined) return undefined
      const entry = cached.get(keyOf(request, url))
      if (entry === undefined || schedule.isDue() || lag() > 0) return undefined
      const { seq, seen_utc } = changes.latest()
      if (entry.version !== seq) return undefined
      const now = clock()
      if (now < entry.made || now >= entry.until) return undefined
      counts.hits++
      const headers = [...entry.headers, 'cache-control', lifetime(entry.until), 'date', date(), ...own()]
      const modified = modifiedAt(entry.until, seen_utc)
      if (modified) headers.push('last-modified', modified.text)
      const zipped = zippedOf(entry, request)
      const etag = zipped ? encodedEtag(entry.etag) : entry.etag
      const known = knownAs(request, etag, modified)
      headers.push('etag', known ?? etag)
      if (known !== undefined) {
        response.writeHead(304, headers)
        response.end()
        return entry.route
      }
      const body = zipped ?? entry.body
      if (zipped) headers.push('content-encoding', 'gzip')
      headers.push('content-type', entry.type, 'content-length', String(body.length))
      response.writeHead(200, headers)
      response.end(body)
      return entry.route
    },
  }
}
