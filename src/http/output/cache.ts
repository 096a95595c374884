import type { IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Store } from '../../store/store.ts'
import { JSON_ANSWER } from './content-type.ts'
import { openDate } from './date.ts'
import { type Freshness, isKnown, zippedEtag } from './freshness.ts'

/** An answer as it went out. */
export type Kept = {
  /** The last write before it was made. */
  version: number
  /** Unix milliseconds from and until which it holds. */
  made: number
  until: number
  etag: string
  headers: Headers
  body: Buffer
  /** The address of its route, with names of parameters. */
  route: string
}
type Headers = Record<string, OutgoingHttpHeader | undefined>
type Entry = Omit<Kept, 'headers'> & {
  headers: string[]
  /** The body compressed: once it was asked for, made beside other work. */
  zipped?: Buffer | 'soon'
}

const MOST_BYTES = 32 * 2 ** 20
/** Addresses that were asked for once and are remembered for it. */
const MOST_ASKED = 5_000
/** Longer addresses are rarely asked for twice. */
const LONGEST_URL = 1_000
/** Bytes from which compressing is worth while. */
const LARGE = 1_000

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
/** The headers that tell how much of a limit is left. */
export const limitsOf = (headers: Headers) => flat(headers, isLimit)

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

/** Answers to anonymous reads of what everyone may read, by address: those that were asked for before. */
export function openKept(
  { schedule, changes }: Store,
  clock: () => number,
  { lifetime, modifiedAt }: Freshness,
) {
  const asked = new LRUCache<string, true>({ max: MOST_ASKED })
  const kept = new LRUCache<string, Entry>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body, headers }, url) => body.length + 2 * (url.length + headers.length * 32),
  })
  const date = openDate(clock)
  const counts = { hits: 0, misses: 0 }
  return {
    /** How often an answer was sent that was kept, and how often one was made that could be. */
    counts,
    /** Keeps an answer, if it was asked for before: of many addresses each is asked for once. */
    keep(url: string, { headers, body, ...rest }: Kept) {
      if (url.length > LONGEST_URL) return
      counts.misses++
      if (!kept.has(url) && !asked.delete(url)) return void asked.set(url, true)
      const shared = flat(headers, (name) => !OWN.has(name) && !isLimit(name))
      kept.set(url, { ...rest, headers: shared, body: Buffer.from(body) })
    },
    /** Sends what is kept for a request, with headers of its own, and gives its route; undefined where nothing is, or nothing that still holds. */
    send(request: IncomingMessage, response: ServerResponse, url: string, own: string[]): string | undefined {
      if (request.method !== 'GET' || request.headers.authorization !== undefined) return undefined
      const entry = kept.get(url)
      if (entry === undefined || schedule.isDue()) return undefined
      const { seq, at_utc } = changes.latest()
      if (entry.version !== seq) return undefined
      const now = clock()
      if (now < entry.made || now >= entry.until) return undefined
      counts.hits++
      const headers = [...entry.headers, 'cache-control', lifetime(entry.until), 'date', date(), ...own]
      const modified = modifiedAt(entry.until, at_utc)
      if (modified) headers.push('last-modified', modified.text)
      const zipped = zippedOf(entry, request)
      headers.push('etag', zipped ? zippedEtag(entry.etag) : entry.etag)
      if (isKnown(request, entry.etag, modified)) {
        response.writeHead(304, headers)
        response.end()
        return entry.route
      }
      const body = zipped ?? entry.body
      if (zipped) headers.push('content-encoding', 'gzip')
      headers.push('content-type', JSON_ANSWER, 'content-length', String(body.length))
      response.writeHead(200, headers)
      response.end(body)
      return entry.route
    },
  }
}
