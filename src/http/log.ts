import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/** Numbers requests so that no two have the same ID, not over restarts either. */
export function openIds(): () => string {
  const process = randomBytes(4).toString('hex')
  let number = 0
  return () => `${process}-${(++number).toString(36)}`
}

/** One line a request, when it was answered, and its ID in the answer; what is passed on is logged where it is answered. */
export function addLog(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  if (!(app.log as Partial<Logger>).isLevelEnabled?.('info')) return
  app.addHook('onResponse', (request, reply, done) => {
    if (request.passedOn) return done()
    const milliseconds = Math.round(reply.elapsedTime * 100) / 100
    request.log.info({ req: request, status: reply.statusCode, milliseconds }, 'answered')
    done()
  })
}
