import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Logger, pino } from 'pino'

/** Returns request IDs that are unique, also across restarts. */
export function openIds(): () => string {
  const process = randomBytes(4).toString('hex')
  let number = 0
  return () => `${process}-${(++number).toString(36)}`
}

/** The address of the client: from trusted proxies (TRUST_PROXY), otherwise that of the connection. */
export function openAddresses(trusted: boolean | string): (request: IncomingMessage) => string | undefined {
  if (trusted === false) return ({ socket }) => socket.remoteAddress
  const isTrusted =
    trusted === true ? () => true : proxyAddr.compile(trusted.split(',').map((one) => one.trim()))
  return (request) => proxyAddr(request, isTrusted)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** A listener for completed requests. */
    heard: Hear[]
  }
  interface FastifyRequest {
    /** Whether its response lasts, and is reported when it has ended or was left. */
    lasts?: boolean
  }
}

/** A completed request. */
type Answered = {
  log: FastifyBaseLogger
  method: string
  originalUrl: string
  ip: string | undefined
  /** The URL pattern of its route. */
  route: string
  status: number
  milliseconds: number
  /** Whether the response lasted for as long as the client stayed. */
  lasted?: true
}
/** A listener for completed requests. */
export type Hear = (answered: Answered) => void

export function hear(heard: Hear[], answered: Answered) {
  for (const listener of heard) listener(answered)
}

/** The URL pattern of the route of a request, or of those that its address has for other methods. */
function routeOf(request: FastifyRequest): string {
  const { url = '' } = request.routeOptions
  return url.startsWith('/') ? url : (request.server.besideRoutes(request)?.url ?? url)
}

/** Reports every response to the log and the metrics; for forwarded requests, the process that answers reports it. */
export const log = fp(
  async (app) => {
    const heard = [...openLog(app.log), ...(app.metrics ? [app.metrics.count] : [])]
    app.decorate('heard', heard)
    if (heard.length === 0) return
    app.addHook('onResponse', (request, reply, done) => {
      const { log, method, originalUrl, ip, servedByWriter, lasts } = request
      const { statusCode: status, elapsedTime: milliseconds } = reply
      if (!servedByWriter && !lasts)
        hear(heard, { log, method, originalUrl, ip, route: routeOf(request), status, milliseconds })
      done()
    })
  },
  { name: 'log', dependencies: ['metrics'] },
)

/** Logs one line for each request, if the log level allows it. */
function openLog(log: FastifyBaseLogger): Hear[] {
  if (!(log as Partial<Logger>).isLevelEnabled?.('info')) return []
  return [
    ({ log, method, originalUrl, ip, status, milliseconds: exact, lasted }) => {
      const milliseconds = Math.round(exact * 100) / 100
      log.info({ req: { method, originalUrl, ip }, status, milliseconds }, lasted ? 'listened' : 'answered')
    },
  ]
}

/** Milliseconds for which lines wait for others, and the characters with which they do not wait any more. */
const WAIT = 100
const MOST = 16_000
/** The level of lines that wait, and of those below. */
const INFO = 30

/**
 * Where a logger writes its lines. Those of requests come by the thousand, and a write for each takes as long as much of a cached response, so
 * they wait a moment for others. A warning or an error is written at once, with what came before it.
 */
export function openLines(output: { write(text: string): unknown }) {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  function flush() {
    clearTimeout(timer)
    timer = undefined
    if (lines === '') return
    const text = lines
    lines = ''
    output.write(text)
  }
  return {
    /** Asks pino for the level of each line. */
    [Symbol.for('pino.metadata')]: true,
    lastLevel: INFO,
    write(line: string) {
      lines += line
      if (this.lastLevel > INFO || lines.length > MOST) flush()
      else timer ??= setTimeout(flush, WAIT).unref()
    },
    /** Writes all that waits. */
    flush,
  }
}

let lines: ReturnType<typeof openLines> | undefined
/** The lines of this process on standard output, all of which are written when it ends. */
export function standardOutput() {
  if (lines) return lines
  const output = pino.destination(1)
  lines = openLines(output)
  process.on('exit', () => {
    lines!.flush()
    output.flushSync()
  })
  return lines
}

/** Headers in which proxies send the client address (RFC 7239, and its predecessor). */
const FORWARDED = ['x-forwarded-for', 'forwarded']

/**
 * Warns once if a header shows a proxy while none is trusted: all its clients then count as one address, and share its limits.
 */
export const proxies = fp<{ trusted: boolean | string }>(
  async (app, { trusted }) => {
    if (trusted !== false) return
    let warned = false
    app.addHook('onRequest', ({ headers, socket, log }, _reply, done) => {
      const header = warned ? undefined : FORWARDED.find((name) => headers[name] !== undefined)
      if (header) {
        warned = true
        const peer = String(socket.remoteAddress).replace(/^::ffff:/, '')
        log.warn({ header, peer }, adviceOn(peer))
      }
      done()
    })
  },
  { name: 'proxies', dependencies: ['log'] },
)

const adviceOn = (peer: string) =>
  `a request says that it was forwarded, and TRUST_PROXY is off: if ${peer} is a proxy of yours, set TRUST_PROXY=${peer}; otherwise all who come through it share one limit of failed logins, and one budget of COST_LIMIT, or none if that address is private. Any client can send such a header: trust no address that you do not know`

/** Milliseconds for which repeated warnings are only counted. */
const QUIET = 1_000

type Warning = { log: FastifyBaseLogger; details: object; message: string }

/**
 * Warnings about events that may happen a thousand times a second. The first of a kind is logged at once, later ones as one line a
 * second with their number in `times`.
 */
export function openWarnings() {
  const kinds = new Map<string, { times: number; last: Warning; timer: NodeJS.Timeout }>()

  const write = ({ log, details, message }: Warning, times: number) =>
    log.warn({ ...details, times }, message)

  /** Logs the counted warnings of a kind; if there are none, it removes the kind. */
  function flush(kind: string) {
    const { times, last, timer } = kinds.get(kind)!
    if (times === 0) return void kinds.delete(kind)
    write(last, times)
    kinds.set(kind, { times: 0, last, timer: timer.refresh() })
  }

  return {
    warn(kind: string, log: FastifyBaseLogger, details: object, message: string) {
      const last = { log, details, message }
      const known = kinds.get(kind)
      if (known) return void Object.assign(known, { times: known.times + 1, last })
      write(last, 1)
      kinds.set(kind, { times: 0, last, timer: setTimeout(flush, QUIET, kind).unref() })
    },
    /** Logs all counted warnings. */
    close() {
      for (const [kind, { timer }] of kinds) {
        clearTimeout(timer)
        flush(kind)
      }
    },
  }
}
export type Warnings = ReturnType<typeof openWarnings>
