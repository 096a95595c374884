import dns, { type LookupAddress } from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** The form of `dns.lookup` in use: all addresses of a name at once. */
export type Lookup = (
  hostname: string,
  options: { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void,
) => void

/** `allow` lists hosts, addresses and CIDR blocks exempt from the ban (R4, R9 DOWNLOAD_ALLOW). */
export type Guarded = { allow: string[]; lookup: Lookup }

// ipaddr.js calls every unnamed block unicast, also ::7f00:1; only this block is allocated (RFC 4291, IANA).
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
// A public address by number, but in Azure the endpoint with the settings and secrets of each machine.
const AZURE_HOST = '168.63.129.16'

/**
 * Whether an IP address is public (R4). An IPv6 form that contains an IPv4 address is public if that address is.
 * Throws if the text is not an address.
 */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return isPublicIPv4(parsed)
  const carried = carriedIPv4(parsed)
  if (carried.length > 0) return carried.every(isPublicIPv4)
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_IPV6)
}

function isPublicIPv4(address: IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== AZURE_HOST
}

function carriedIPv4(address: IPv6): IPv4[] {
  const bytes = address.toByteArray()
  const range = address.range()
  if (range === '6to4') return [new ipaddr.IPv4(bytes.slice(2, 6))]
  if (address.match(NAT64)) return [new ipaddr.IPv4(bytes.slice(12))]
  if (range !== 'teredo') return []
  // Teredo contains the address of its server as it is, and that of its client with all bits inverted (RFC 4380).
  return [new ipaddr.IPv4(bytes.slice(4, 8)), new ipaddr.IPv4(bytes.slice(12).map((byte) => byte ^ 255))]
}

/** An absolute http(s) URL without credentials, or one that is relative to such a `base`; otherwise undefined. */
export function readWebUrl(location: string, base?: string): URL | undefined {
  if (!URL.canParse(location, base)) return undefined
  const url = new URL(location, base)
  const usable = url.protocol === 'http:' || url.protocol === 'https:'
  return usable && url.username === '' && url.password === '' ? url : undefined
}

/** Whether the host of a URL is an address that is banned. Node.js looks up only names, so this is asked before each request. */
export function isBanned({ hostname }: URL, { allow }: Pick<Guarded, 'allow'>): boolean {
  const host = bare(hostname)
  return isIP(host) !== 0 && !isAllowed(host, host, allow)
}

/** The code of the error of a connection to a name that has a banned address. */
export const BANNED = 'ADDRESS_NOT_ALLOWED'

/**
 * The `lookup` of one request; calls `ban` if an address of the name is banned. Node.js connects to the addresses that it returns,
 * without a second lookup.
 */
export function checkedLookup({ allow, lookup }: Guarded, ban: () => void): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, { all: true }, (error, addresses = []) => {
      const first = addresses[0]
      if (first === undefined) return callback(error ?? new Error('no address'), [])
      if (!addresses.every(({ address }) => isAllowed(bare(hostname), address, allow))) {
        ban()
        return callback(Object.assign(new Error('not allowed'), { code: BANNED }), [])
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
}

/** Whether the host of a URL is banned, or a name of which an address is banned now. A name that is not found is not banned. */
export async function leadsInward(url: URL, guarded: Guarded): Promise<boolean> {
  if (isBanned(url, guarded)) return true
  return new Promise((resolve) => {
    checkedLookup(guarded, () => resolve(true))(bare(url.hostname), { all: true }, () => resolve(false))
  })
}

function isAllowed(host: string, address: string, allow: string[]): boolean {
  return isIP(address) !== 0 && (isPublic(address) || allow.some((entry) => exempts(entry, host, address)))
}

function exempts(entry: string, host: string, address: string): boolean {
  const parsed = ipaddr.process(address)
  if (ipaddr.isValidCIDR(entry)) {
    const [network, bits] = ipaddr.parseCIDR(entry)
    return network.kind() === parsed.kind() && parsed.match(network, bits)
  }
  const name = bare(entry)
  return isIP(name) === 0 ? name === host : ipaddr.process(name).toString() === parsed.toString()
}

/** A host in the form for comparison: lower case, without the brackets of IPv6 and the final dot of DNS. */
function bare(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$|\.$/g, '')
}

/** What may be reached: hosts that the operator named, with their ports if these are not the usual ones, and public addresses. */
export type FetchOptions = Pick<Guarded, 'allow'> & Partial<Pick<Guarded, 'lookup'>> & { named: string[] }

const REDIRECTS = [301, 302, 303, 307, 308]
const MOST_REDIRECTS = 10

/** Whether a host is one of these, or that of one of them at its usual port, as where a site moved to https. */
const isNamed = ({ host, hostname, port }: URL, named: string[]) =>
  named.some((one) => one === host || (port === '' && new URL(`http://${one}`).hostname === hostname))

/** Whether whoever has an address may read what was meant for another one: the same host, and no less secret on the way. */
export const isSameReader = (from: URL, to: URL) =>
  isNamed(to, [from.host]) && (from.protocol !== 'https:' || to.protocol === 'https:')

const refused = (from: URL, to: string) =>
  Object.assign(
    new Error(
      `${from.host} redirects to ${to}, which is no public web address; name the address that is meant itself, or its host in DOWNLOAD_ALLOW`,
    ),
    { unusable: true },
  )

/**
 * `fetch` for addresses that the operator named. Their hosts may be private. Wherever a redirect leads to has to be public (R4), by each
 * address of its name, and credentials do not follow to another host. Requests with `redirect: 'manual'` follow nowhere.
 */
export function openFetch({ named, allow, lookup = dns.lookup }: FetchOptions): typeof globalThis.fetch {
  let guard: Promise<{ guarded: object; fetch: typeof globalThis.fetch }> | undefined
  /** What connects to public addresses alone; loaded with the first redirect to another host. */
  const openGuard = () =>
    (guard ??= import('undici').then(({ Agent, fetch }) => ({
      guarded: new Agent({ connect: { lookup: checkedLookup({ allow, lookup }, () => {}) } }),
      fetch: fetch as unknown as typeof globalThis.fetch,
    })))

  /** One request to an address to which a redirect led. */
  async function reach(url: URL, from: URL, init: RequestInit): Promise<Response> {
    if (isNamed(url, named)) return globalThis.fetch(url, init)
    if (!/^https?:$/.test(url.protocol) || isBanned(url, { allow }))
      throw refused(from, url.host || url.protocol)
    const { guarded, fetch } = await openGuard()
    return fetch(url, { ...init, dispatcher: guarded } as RequestInit).catch((error) => {
      throw error.cause?.code === BANNED ? refused(from, url.host) : error
    })
  }

  return async (input, init = {}) => {
    const first = new URL(String(input))
    const manual = { ...init, redirect: 'manual' as const }
    let [url, response] = [first, await globalThis.fetch(first, manual)]
    if (init.redirect === 'manual') return response
    for (let redirects = 0; REDIRECTS.includes(response.status); redirects++) {
      const location = response.headers.get('location')
      if (location === null) return response
      await response.body?.cancel()
      if (redirects === MOST_REDIRECTS || !URL.canParse(location, url.href))
        throw new Error('too many redirects')
      const next = new URL(location, url)
      const headers = new Headers(init.headers)
      if (!isSameReader(first, next)) for (const name of ['authorization', 'cookie']) headers.delete(name)
      response = await reach(next, url, { ...manual, headers })
      url = next
    }
    return response
  }
}

/** What is sent, and the addresses that it may go to; `timeoutMs` counts from the lookup of the name to the headers of the answer. */
export type PostOptions = {
  headers: Record<string, string>
  body: Buffer
  allow: string[]
  /** Ends the request early. */
  signal?: AbortSignal
  timeoutMs?: number
  lookup?: Guarded['lookup']
}

/** The answer to a request with the beginning of its body, or why there is none. */
export type Answer = { status: number; retryAfter: string | undefined; text: string } | { failure: string }

/** How much of the body of an answer is read. */
const MOST_BYTES = 1024
const TIMEOUT = 15_000

const NOT_ALLOWED = 'The host of the URL is not allowed: it is, or resolves to, a private or local address.'
const BROKEN_OFF = 'The server closed the connection without an answer.'
const CUT_OFF = 'The service stopped before the server had answered.'

/**
 * Sends a POST to an http(s) URL, and returns the answer. Redirects are not followed. Banned addresses are refused before anything
 * is sent (R4). Never throws.
 */
export async function post(url: URL, options: PostOptions): Promise<Answer> {
  const { headers, body, allow, signal, timeoutMs = TIMEOUT, lookup = dns.lookup } = options
  if (isBanned(url, { allow })) return { failure: NOT_ALLOWED }
  const deadline = AbortSignal.timeout(timeoutMs)
  let banned = false
  const guarded = checkedLookup({ allow, lookup }, () => {
    banned = true
  })
  const { request } = url.protocol === 'https:' ? https : http
  const sent = request(url, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': body.length },
    lookup: guarded,
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  })
  const explain = (error: unknown): Answer => {
    if (banned) return { failure: NOT_ALLOWED }
    if (signal?.aborted) return { failure: CUT_OFF }
    if (deadline.aborted) return { failure: `The server did not answer within ${timeoutMs / 1000} seconds.` }
    const code = (error as NodeJS.ErrnoException | undefined)?.code
    return { failure: code ? `The server can not be reached: ${code}.` : BROKEN_OFF }
  }
  return answerTo(sent, body)
    .then(readAnswer)
    .catch(explain)
    .finally(() => sent.destroy())
}

function answerTo(sent: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  // A 101 response closes the connection without a response event or an error.
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).on('close', reject).end(body)
  })
}

/** The status, and what of the body arrives in time: it is for people, so that its failure does not matter. */
async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size >= MOST_BYTES) break
    }
  } catch {}
  return {
    status: response.statusCode!,
    retryAfter: response.headers['retry-after'],
    text: plain(Buffer.concat(chunks).subarray(0, MOST_BYTES)),
  }
}

/** Bytes as text without control characters, except line breaks and tabs. */
const plain = (bytes: Buffer) =>
  bytes
    .toString()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
