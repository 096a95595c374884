import dns from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { checkedLookup, isBanned, type Lookup, readWebUrl } from '../../kernel/outbound/requests.ts'

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

async function follow(start: string, limits: Limits): Promise<{ bytes: Buffer; url: string } | Refused> {
  let location = start
  let base: string | undefined
  for (let redirects = 0; redirects <= limits.maxRedirects; redirects++) {
    const url = readWebUrl(location, base)
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

async function request(url: URL, limits: Limits): Promise<Hop> {
  if (isBanned(url, limits)) return { refused: NOT_ALLOWED }
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
