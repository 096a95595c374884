import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { Metrics } from '../plugins/metrics.ts'
import { SITE } from '../plugins/mounts.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers before anything else is looked at. */
    direct?: (request: FastifyRequest, reply: FastifyReply) => unknown
  }
}

export type HealthOptions = {
  version: string
  /** Whether the service is on its way out. */
  stopping(): boolean
  metrics: Metrics | undefined
  /** Who brings it may read the metrics. */
  token: string | undefined
}

/** Lets routes answer at once; to be added before everything that may refuse a request or needs the database. */
export function addDirect(app: FastifyInstance) {
  app.addHook('onRequest', (request, reply, done) => {
    const { direct } = request.routeOptions.config
    if (!direct) return void done()
    new Promise((resolve) => resolve(direct(request, reply))).then(
      (answer) => void reply.header('cache-control', 'no-store').send(answer),
      done,
    )
  })
}

/** What operators' tools ask for, outside of the API. */
export function addHealth(app: FastifyInstance, { db }: Store, options: HealthOptions) {
  const { version, stopping, metrics, token } = options

  const answer = (path: string, direct: (request: FastifyRequest, reply: FastifyReply) => unknown) =>
    app.get(SITE + path, { schema: { hide: true }, logLevel: 'warn', config: { direct } }, () => {})

  answer('/healthz', () => ({ status: 'ok' }))
  answer('/version', () => ({ name: 'almanac', version }))
  answer('/readyz', (request) => {
    if (stopping()) throw new ApiError('rest_not_ready', 'The service is stopping.')
    try {
      db.rows('SELECT 1 FROM posts LIMIT 1')
    } catch (err) {
      request.log.error({ err }, 'the database can not be read')
      throw new ApiError('rest_not_ready', 'The database can not be read.')
    }
    return { status: 'ok' }
  })
  if (metrics && token !== undefined)
    answer('/metrics', ({ headers }, reply) => {
      if (!isSame(headers.authorization ?? '', `Bearer ${token}`))
        throw new ApiError('invalid_token', 'Send the METRICS_TOKEN as `Authorization: Bearer <token>`.')
      reply.type(metrics.contentType)
      return metrics.text()
    })
}

/** Compared by their hashes, in constant time. */
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))
const digest = (text: string) => createHash('sha256').update(text).digest()
