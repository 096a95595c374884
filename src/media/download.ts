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

/** `allow` lists hosts, addresses and CIDR blocks exempt from the ban (R9 DOWNLOAD_ALLOW); the defaults of the others are in R4. */
export type DownloadOptions = {
  allow: string[]
  userAgent: string
  timeoutMs?: number
  maxBytes?: number
  maxRedirects?: number
  lookup?: Lookup
}

type Refused = { refused: string }
type Hop = { bytes: Buffer } | { location: string } | Refused
type Limits = Required<Omit<DownloadOptions, 'timeoutMs'>> & { signal: AbortSignal }

const NOT_A_URL =
  'The URL, or a redirect, is not an absolute http or https URL without credentials; send such a URL.'
const NOT_ALLOWED = 'The host of this URL is not allowed; send the URL of a file on a public web server.'
const NOT_REACHABLE = 'The host of this URL can not be reached; check the URL, or upload the file instead.'
const BROKEN_OFF =
  'The server closed the connection during the download; try again, or upload the file instead.'
const TOO_SLOW = 'The download took too long; try again, or upload the file instead.'

const REDIRECTS = [301, 302, 303, 307, 308]

// ipaddr.js calls every unnamed block unicast, also ::7f00:1; only this block is allocated (RFC 4291, IANA).
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
// A public address by number, but in Azure the endpoint with the settings and secrets of each machine.
const AZURE_HOST = '168.63.129.16'

/**
 * Downloads an http(s) URL; returns the bytes and the final URL after redirects, within the limits of R4: public
 * addresses only, one deadline for everything. A failure is returned as `refused`, a message for the client.
 */
export async function download(
  url: string,
  options: DownloadOptions,
): Promise<{ bytes: Buffer; url: string } | Refused> {
  const { timeoutMs = 10_000, maxBytes = 10 * 1024 * 1024, maxRedirects = 5, lookup = dns.lookup } = options
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(), timeoutMs)
  const limits = { ...options, maxBytes, maxRedirects, lookup, signal: deadline.signal }
  try {
    return await follow(url, limits)
  } finally {
    clearTimeout(timer)
  }
}

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

async function follow(start: string, limits: Limits): Promise<{ bytes: Buffer; url: string } | Refused> {
  let location = start
  let base: string | undefined
  for (let redirects = 0; redirects <= limits.maxRedirects; redirects++) {
    const url = readUrl(location, base)
    if (url === undefined) return { refused: NOT_A_URL }
    const hop = await request(url, limits)
    if ('refused' in hop) return hop
    if ('bytes' in hop) return { bytes: hop.bytes, url: url.href }
    location = hop.location
    base = url.href
  }
  return {
    refused: `The server redirects more than ${limits.maxRedirects} times; send the URL of the file itself.`,
  }
}

function readUrl(location: string, base: string | undefined): URL | undefined {
  if (!URL.canParse(location, base)) return undefined
  const url = new URL(location, base)
  const usable = url.protocol === 'http:' || url.protocol === 'https:'
  return usable && url.username === '' && url.password === '' ? url : undefined
}

async function request(url: URL, limits: Limits): Promise<Hop> {
  const host = bare(url.hostname)
  // Node.js looks up only names, so an address in the URL is checked here.
  if (isIP(host) !== 0 && !isAllowed(host, host, limits.allow)) return { refused: NOT_ALLOWED }
  let failure = NOT_REACHABLE
  const lookup = checkedLookup(limits, () => {
    failure = NOT_ALLOWED
  })
  const headers = { 'user-agent': limits.userAgent, accept: 'image/*', 'accept-encoding': 'identity' }
  const { get } = url.protocol === 'https:' ? https : http
  const sent = get(url, { agent: false, headers, lookup, signal: limits.signal })
  return answerTo(sent)
    .then((response) => {
      failure = BROKEN_OFF
      return readResponse(response, limits.maxBytes)
    })
    .catch(() => ({ refused: limits.signal.aborted ? TOO_SLOW : failure }))
    .finally(() => sent.destroy())
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  // A 101 response closes the connection without a response event or an error.
  return new Promise((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).on('close', reject)
  })
}

/** The `lookup` of one request. Node.js connects to the addresses that it returns, without a second lookup. */
function checkedLookup(limits: Limits, ban: () => void): LookupFunction {
  return (hostname, options, callback) =>
    limits.lookup(hostname, { all: true }, (error, addresses = []) => {
      const first = addresses[0]
      if (first === undefined) return callback(error ?? new Error('no address'), [])
      if (!addresses.every(({ address }) => isAllowed(bare(hostname), address, limits.allow))) {
        ban()
        return callback(new Error('not allowed'), [])
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
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

async function readResponse(response: IncomingMessage, maxBytes: number): Promise<Hop> {
  const tooLarge = { refused: `The file is too large; the limit is ${maxBytes} bytes.` }
  const { statusCode, headers } = response
  const redirects = REDIRECTS.includes(statusCode!)
  if (redirects && headers.location !== undefined) return { location: headers.location }
  if (statusCode !== 200) return { refused: `The server returned status ${statusCode} instead of 200.` }
  if (Number(headers['content-length']) > maxBytes) return tooLarge
  // One buffer, because a list of one-byte chunks would take a hundred times the size.
  const body = Buffer.allocUnsafe(maxBytes)
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (size + chunk.length > maxBytes) return tooLarge
    size += chunk.copy(body, size)
  }
  return { bytes: Buffer.from(body.subarray(0, size)) }
}
