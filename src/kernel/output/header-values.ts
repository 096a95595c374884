import type { IncomingMessage } from 'node:http'
import xxhash from 'xxhash-wasm'
import type { Corrections } from '../text/search.ts'
import { toEpoch } from '../time/dates.ts'

/** Clients refuse headers that are much longer. */
const MAX_HEADER = 4_000

// through a Buffer, since a lone surrogate can't be percent-encoded
const wellFormed = (name: string) => Buffer.from(name).toString()

/** A name as a part of another, percent-encoded but for letters and digits. */
export const encodeName = (name: string) => encodeURIComponent(wellFormed(name))

/** A name as a header carries it: percent-encoded where need be (brackets are not). */
export const printName = (name: string) => encodeURI(wellFormed(name)).replace(/%5[BD]/g, decodeURIComponent)

/** Names, printed before, with `...` for those that are too many. */
function join(names: string[]): string {
  let text = ''
  for (const name of names) {
    const more = (text && ', ') + name
    if (text.length + more.length > MAX_HEADER) return `${text && `${text}, `}...`
    text += more
  }
  return text
}

/** Where the status and the headers of a response are put: a reply, or the result of an operation in a batch. */
export type ResponseHead = {
  code(status: number): unknown
  header(name: string, value: string): unknown
  removeHeader(name: string): unknown
}

/** Names things in a header of the answer, where there are any; the names are printed. */
export function addNames(head: ResponseHead, header: string, names: string[]) {
  if (names.length > 0) head.header(header, join(names))
}

/** Names the words of a search that were taken as others, where there are any. */
export const addCorrections = (head: ResponseHead, corrections: Corrections = new Map()) =>
  addNames(
    head,
    'x-search-corrections',
    [...corrections].map((pair) => pair.map(encodeName).join('=')),
  )

/** Returns the current value of the Date header, formatted at most once a second. */
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

/** The Content-Type of JSON responses, always UTF-8 (D40). */
export const JSON_ANSWER = 'application/json; charset=utf-8'
/** The Content-Type of pages. */
export const HTML = 'text/html; charset=utf-8'

/** Header with the seconds since the copy of this node was last known to have everything; absent while it has. */
export const COPY_AGE = 'almanac-copy-age'

/** The time of the last write: in Unix milliseconds, and as a header. */
export type Modified = { at: number; text: string }

let h64Raw: Awaited<ReturnType<typeof xxhash>>['h64Raw']
/** To be awaited before the first ETag is made. */
export const loadHash = async () => {
  h64Raw = (await xxhash()).h64Raw
}
/** The strong ETag of a response (RFC 9110 §8.8.3). */
export const etagOf = (body: Buffer) => `"${h64Raw(body).toString(36)}"`

const opaque = (etag: string) => etag.trim().replace(/^W\//, '')

/** The ETag of a compressed response: the same value, and weak, because the bytes differ. */
export const encodedEtag = (etag: string) => `W/${opaque(etag)}`

/**
 * The first ETag in a header that has the value of this one; this one for `*`. A weak one differs from a strong one by the compression
 * alone, here as in a proxy: the value is a hash of all that is shown, so that it says as much to a write as to a read.
 */
export const named = (header: string, etag: string): string | undefined =>
  header.trim() === '*'
    ? etag
    : header
        .split(',')
        .find((tag) => opaque(tag) === opaque(etag))
        ?.trim()

/**
 * The ETag of the response that the client already has (RFC 9110 §13.1), as it has it, so that a cache finds what it kept; undefined if
 * it has another one.
 */
export function knownAs(
  { headers }: Pick<IncomingMessage, 'headers'>,
  etag: string,
  modified: Modified | undefined,
): string | undefined {
  const match = headers['if-none-match']
  if (match !== undefined) return named(match, etag)
  const since = headers['if-modified-since']
  return since !== undefined && modified !== undefined && modified.at <= Date.parse(since) ? etag : undefined
}

/** When something that is scheduled changes what is shown, in Unix milliseconds, and whether that time has come. */
export type Schedule = { next(): number; isDue(): boolean }

/** How long responses are valid, and when they last changed: with the last write, or when other settings were given to the same data. */
export function openFreshness(
  { schedule }: { schedule: Pick<Schedule, 'next'> },
  clock: () => number,
  { maxAge, since }: { maxAge: number; since(): number },
) {
  let last = { utc: undefined as string | undefined, from: Number.NaN, at: Number.NaN, text: '' }
  return {
    /** Cache-Control of a public response that is valid until `until`, limited by the next scheduled publication. */
    lifetime(until: number) {
      const end = Math.min(until, schedule.next())
      const seconds = Math.min(maxAge, Math.floor((end - clock()) / 1000))
      return seconds > 0 ? `public, max-age=${seconds}` : 'public, no-cache'
    },
    /** When a response last changed; undefined if it depends on time, or if another write could follow in the same second. */
    modifiedAt(until: number, utc: string | undefined): Modified | undefined {
      if (until !== Number.POSITIVE_INFINITY || utc === undefined) return undefined
      const from = since()
      if (utc !== last.utc || from !== last.from) {
        const at = Math.max(toEpoch(utc, 'UTC'), from)
        last = { utc, from, at, text: new Date(at).toUTCString() }
      }
      return clock() - last.at >= 2_000 ? last : undefined
    },
  }
}
export type Freshness = ReturnType<typeof openFreshness>
