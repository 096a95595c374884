import type { IncomingMessage } from 'node:http'
import xxhash from 'xxhash-wasm'
import { toEpoch } from '../../rules/dates.ts'
import type { Store } from '../../store/store.ts'
import type { Encoding } from './encoding.ts'

/** The time of the last write: in Unix milliseconds, and as a header. */
export type Modified = { at: number; text: string }

const { h64Raw } = await xxhash()
/** The strong ETag of a response (RFC 9110 §8.8.3). */
export const etagOf = (body: Buffer) => `"${h64Raw(body).toString(36)}"`

/** The ETag of a compressed response, whose bytes differ. */
export const encodedEtag = (etag: string, encoding: Encoding) => `${etag.slice(0, -1)}-${encoding}"`

const plain = (etag: string) => etag.trim().replace(/-(gzip|br)"$/, '"')
const strong = (etag: string) => plain(etag).replace(/^W\//, '')

/** Whether a list of ETags in a header contains this one, compressed or not. `*` matches all. */
export const names = (header: string, etag: string, weak: boolean) =>
  header.trim() === '*' ||
  header.split(',').some((tag) => (weak ? strong(tag) === strong(etag) : plain(tag) === etag))

/** Whether the client already has this response (RFC 9110 §13.1). */
export function isKnown(
  { headers }: Pick<IncomingMessage, 'headers'>,
  etag: string,
  modified: Modified | undefined,
): boolean {
  const match = headers['if-none-match']
  if (match !== undefined) return names(match, etag, true)
  const since = headers['if-modified-since']
  return since !== undefined && modified !== undefined && modified.at <= Date.parse(since)
}

/** How long responses are valid, and when they last changed. */
export function openFreshness({ schedule }: Store, clock: () => number, maxAge: number) {
  // an earlier process may have used other settings for the same data
  const started = Math.floor(clock() / 1000) * 1000
  let last: Modified & { utc: string | undefined } = { utc: undefined, at: Number.NaN, text: '' }
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
      if (utc !== last.utc) {
        const at = Math.max(toEpoch(utc, 'UTC'), started)
        last = { utc, at, text: new Date(at).toUTCString() }
      }
      return clock() - last.at >= 2_000 ? last : undefined
    },
  }
}
export type Freshness = ReturnType<typeof openFreshness>
