import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyBaseLogger } from 'fastify'
import fp from 'fastify-plugin'
import type { Logger } from 'pino'

/** Numbers requests so that no two have the same ID, not over restarts either. */
export function openIds(): () => string {
  const process = randomBytes(4).toString('hex')
  let number = 0
  return () => `${process}-${(++number).toString(36)}`
}

/** The address of whom a request is from: what trusted proxies say (TRUST_PROXY), else who is connected. */
export function openAddresses(trusted: boolean | string): (request: IncomingMessage) => string | undefined {
  if (trusted === false) return ({ socket }) => socket.remoteAddress
  const isTrusted =
    trusted === true ? () => true : proxyAddr.compile(trusted.split(',').map((one) => one.trim()))
  return (request) => proxyAddr(request, isTrusted)
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What hears of each request that was answered. */
    heard: Hear[]
  }
}

/** A request that was answered. */
export type Answered = {
  log: FastifyBaseLogger
  method: string
  originalUrl: string
  ip: string | undefined
  /** The address that it was matched to, with names of parameters. */
  route: string
  status: number
  milliseconds: number
}
/** What hears of each request that was answered. */
export type Hear = (answered: Answered) => void

export function hear(heard: Hear[], answered: Answered) {
  for (const listener of heard) listener(answered)
}

/** Tells of every answer to the log and the metrics; of what is passed on where it is answered. */
export const log = fp(
  async (app) => {
    const heard = [...openLog(app.log), ...(app.metrics ? [app.metrics.count] : [])]
    app.decorate('heard', heard)
    if (heard.length === 0) return
    app.addHook('onResponse', (request, reply, done) => {
      const { log, method, originalUrl, ip, routeOptions, passedOn } = request
      const { statusCode: status, elapsedTime: milliseconds } = reply
      if (!passedOn)
        hear(heard, { log, method, originalUrl, ip, route: routeOptions.url ?? '', status, milliseconds })
      done()
    })
  },
  { name: 'log', dependencies: ['metrics'] },
)

/** One line a request; nothing where such lines are not wanted. */
function openLog(log: FastifyBaseLogger): Hear[] {
  if (!(log as Partial<Logger>).isLevelEnabled?.('info')) return []
  return [
    ({ log, method, originalUrl, ip, status, milliseconds: exact }) => {
      const milliseconds = Math.round(exact * 100) / 100
      log.info({ req: { method, originalUrl, ip }, status, milliseconds }, 'answered')
    },
  ]
}
