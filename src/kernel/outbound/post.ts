import dns from 'node:dns'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { checkedLookup, type Guarded, isBanned } from './guard.ts'

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
