import { setTimeout as wait } from 'node:timers/promises'
import type { Config } from '../../../calendar/config.ts'
import { openFetch } from '../../../kernel/outbound/requests.ts'
import { VERSION } from '../../../package.ts'

/** How to ask for addresses of a source: all that waits or reaches out comes from whoever imports. */
export type WebOptions = {
  fetch: typeof globalThis.fetch
  /** Unix milliseconds. */
  clock(): number
  /** Waits so many milliseconds, or until the signal, at which it fails. */
  pause(milliseconds: number, signal: AbortSignal | undefined): Promise<unknown>
  userAgent: string
  /** The Authorization header that the source gets. */
  authorization?: string | undefined
  /** Breaks off what is under way. */
  signal?: AbortSignal | undefined
  /** Milliseconds after which an answer is given up. */
  timeoutMs?: number
}

/** How this program calls itself where it reads. */
export const USER_AGENT = `Almanac/${VERSION}`

/** How a host is asked over the network; addresses of private networks only where `allow` has them. */
export const webTo = (
  host: string,
  allow: Config['downloadAllow'],
  clock: WebOptions['clock'],
  authorization: string | undefined,
): WebOptions => ({
  fetch: openFetch({ named: [host], allow }),
  clock,
  pause: (milliseconds, signal) => wait(milliseconds, undefined, { signal: signal! }),
  userAgent: USER_AGENT,
  authorization,
})

/** What a source answered: its status, its JSON, and its ETag if it has one. */
export type Answer = { status: number; body: unknown; etag?: string }
/** What an answer is known by, with which it is asked for again. */
export type Validators = { etag?: string; modified?: string }
/** The answer of a feed. */
type Loaded = { status: number; bytes: Buffer; known: Validators }
type Again = { again: string; after?: number | undefined }

/** The forms of feeds. */
const FEEDS =
  'text/calendar, application/rss+xml, application/atom+xml, application/xml;q=0.8, text/xml;q=0.8, */*;q=0.1'
/** Tries of one address. */
const TRIES = 5
/** Answers that may be others a little later. */
const TRANSIENT = [408, 425, 429, 500, 502, 503, 504]
/** The longest time that a source may ask to wait, in milliseconds. */
const LONGEST = 10 * 60_000
/** Most bytes of an answer. */
const MOST = 64 * 1024 * 1024

/** An error that is reported by its message. */
export const failed = (message: string, more: object = {}) =>
  Object.assign(new Error(message), { unusable: true, ...more })

/** The Authorization header for credentials: a login with its application password, or a token. `file` is where they stand. */
export function authorizationFor(credentials: string, file: string): string {
  const text = credentials.trim()
  if (text === '') throw failed(`${file}: has no credentials; write login:password or a token into it`)
  return text.includes(':') ? `Basic ${Buffer.from(text).toString('base64')}` : `Bearer ${text}`
}

/** The Authorization headers for several hosts: each line names the host, and after a space its credentials. Throws if a host is none of `hosts`. */
export function authorizationsFor(text: string, file: string, hosts: string[]): Map<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return new Map(
    lines.map((line) => {
      const [host = '', ...credentials] = line.trim().split(/\s+/)
      if (!hosts.includes(host))
        throw failed(
          `${file}: begins a line with something else than the host of a source, which are ${[...new Set(hosts)].join(', ')}; write the host, a space and the credentials`,
        )
      return [host, authorizationFor(credentials.join(' '), file)]
    }),
  )
}

/** Throws if the import was broken off. */
export function mustGoOn(signal: AbortSignal | undefined) {
  if (signal?.aborted)
    throw failed('broken off; what was imported stays, and the same command goes on where this one stopped')
}

/**
 * Reads JSON from a source, patiently: what fails for the moment is asked again after a pause that grows, or after the time that the source
 * names. Throws what can be told to people.
 */
export function openWeb({
  fetch,
  clock,
  pause,
  userAgent,
  authorization,
  signal,
  timeoutMs = 60_000,
}: WebOptions) {
  async function ask<T extends object>(
    url: string,
    headers: Record<string, string>,
    read: (loaded: Loaded, response: Response) => T | Again,
  ): Promise<T | Again> {
    const limit = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(url, {
        headers: { ...headers, 'user-agent': userAgent, ...(authorization && { authorization }) },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      const { status, headers: told } = response
      const bytes = await readBytes(response)
      if (TRANSIENT.includes(status))
        return { again: `answers ${status}`, after: waitOf(told.get('retry-after'), clock) }
      const [etag, modified] = [told.get('etag'), told.get('last-modified')]
      const known = { ...(etag !== null && { etag }), ...(modified !== null && { modified }) }
      return read({ status, bytes, known }, response)
    } catch (error) {
      mustGoOn(signal)
      if ((error as { unusable?: boolean }).unusable) throw error
      return {
        again: limit.aborted ? 'does not answer in time' : `can not be read (${causeOf(error as Error)})`,
      }
    }
  }

  /** Asks for what messages call `name` until it answers. */
  async function load<T extends object>(
    name: string,
    url: string,
    accept: string,
    { etag, modified }: Validators,
    read: (loaded: Loaded, response: Response) => T | Again,
  ): Promise<T> {
    const headers = {
      accept,
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...(modified !== undefined && { 'if-modified-since': modified }),
    }
    for (let tries = 1; ; tries++) {
      mustGoOn(signal)
      const answer = await ask(url, headers, read)
      if (!('again' in answer)) return answer
      const { again, after } = answer
      if (after !== undefined && after > LONGEST)
        throw failed(
          `${name} ${again} and asks to come back in ${Math.ceil(after / 60_000)} minutes; import again then`,
        )
      if (tries === TRIES) throw failed(`${name} ${again}, ${TRIES} times; import again later`)
      await pause(after ?? 1_000 * 2 ** (tries - 1), signal).catch(() => mustGoOn(signal))
    }
  }

  return {
    /** The answer of an address; 304 if it still has this ETag. */
    get: (url: string, etag?: string): Promise<Answer> =>
      load(url, url, 'application/json', etag === undefined ? {} : { etag }, readJson),
    /** The bytes of a feed, and what it is known by; 304 if it is still known by that. Messages call it `name`. */
    load: (url: string, name: string, known: Validators = {}): Promise<Loaded> =>
      load(name, url, FEEDS, known, (loaded) => loaded),
  }
}
export type Web = ReturnType<typeof openWeb>

/** The JSON in some bytes, ahead of which some sites send a byte order mark. Throws a SyntaxError. */
export const jsonOf = (bytes: Buffer) => JSON.parse(bytes.toString('utf8').replace(/^[\uFEFF\s]+/, ''))

/** The bytes of an answer; throws if they are too many. */
export async function readBytes({ body, url }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MOST) throw failed(`${new URL(url).host} answers with more than ${MOST / 1024 / 1024} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Reads the JSON of an answer. What was cut off is worth another try; a page for people is not. */
function readJson(
  { status, bytes, known: { etag } }: Loaded,
  { headers, url }: Pick<Response, 'headers' | 'url'>,
): Answer | Again {
  const isJson = /json/i.test(headers.get('content-type') ?? '')
  try {
    const body = status === 304 ? undefined : jsonOf(bytes)
    return { status, body, ...(etag !== undefined && { etag }) }
  } catch {
    if (isJson) return { again: 'answers with JSON that ends too early' }
    if (status !== 200) return { status, body: undefined }
    throw failed(
      `${url} answers with a page for people instead of JSON; it may ask to sign in, or it is no address of an API`,
      { isPage: true },
    )
  }
}

/** Milliseconds of a Retry-After header, which has seconds or a date; undefined without one that says when. */
function waitOf(value: string | null, clock: () => number): number | undefined {
  if (value === null) return undefined
  const wait = /^\s*\d+\s*$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - clock()
  return Number.isNaN(wait) ? undefined : Math.max(wait, 0)
}

const causeOf = ({ message, cause }: Error) => (cause as { code?: string } | undefined)?.code ?? message
