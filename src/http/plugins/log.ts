import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import proxyAddr from '@fastify/proxy-addr'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
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

/** Gives every answer its request's ID, and tells of it; of what is passed on where it is answered. */
export function addHearing(app: FastifyInstance, heard: Hear[]) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  if (heard.length === 0) return
  app.addHook('onResponse', (request, reply, done) => {
    const { log, method, originalUrl, ip, routeOptions, passedOn } = request
    const { statusCode: status, elapsedTime: milliseconds } = reply
    if (!passedOn)
      hear(heard, { log, method, originalUrl, ip, route: routeOptions.url ?? '', status, milliseconds })
    done()
  })
}

/** One line a request; nothing where such lines are not wanted. */
export function openLog(log: FastifyBaseLogger): Hear[] {
  if (!(log as Partial<Logger>).isLevelEnabled?.('info')) return []
  return [
    ({ log, method, originalUrl, ip, status, milliseconds: exact }) => {
      const milliseconds = Math.round(exact * 100) / 100
      log.info({ req: { method, originalUrl, ip }, status, milliseconds }, 'answered')
    },
  ]
}
