import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Db } from '../database/db.ts'
import type { ReplicaStatus } from '../database/replica.ts'
import { ApiError } from '../errors.ts'
import { SITE } from './mounts.ts'

/** Reads how this process stands to others on the same data. */
export type ReadStatus = () => Promise<{ role: string; state?: ReplicaStatus['state'] | undefined }>

type HealthOptions = {
  version: string
  db: Pick<Db, 'rows'>
  /** How this node stands to the others. */
  readStatus: ReadStatus
  /** The token that allows reading the metrics. */
  token: string | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Adds a member to `/health`, which is absent while `read` returns undefined. */
    reportHealth(name: string, read: () => object | undefined): void
  }
}

/** Routes for operators' tools, outside the API. They respond before any hook that may refuse a request or needs the database. */
export const health = fp<HealthOptions>(
  async (app, { version, db, readStatus, token }) => {
    const { metrics } = app
    const reports: Record<string, () => object | undefined> = {}
    app.decorate('reportHealth', (name, read) => {
      reports[name] = read
    })
    let stopping = false
    app.addHook('preClose', async () => {
      stopping = true
    })

    const answer = (path: string, make: (request: FastifyRequest, reply: FastifyReply) => unknown) => {
      const direct = async (request: FastifyRequest, reply: FastifyReply) => {
        const body = await make(request, reply)
        reply.header('cache-control', 'no-store')
        return body
      }
      app.get(SITE + path, { schema: { hide: true }, logLevel: 'warn', config: { direct } }, direct)
    }

    answer('/healthz', () => ({ status: 'ok' }))
    answer('/version', () => ({ name: 'almanac', version }))
    answer('/health', async () => {
      const told = Object.entries(reports).map(([name, read]) => [name, read()])
      return {
        status: 'ok',
        ...(await readStatus()),
        ...Object.fromEntries(told.filter(([, report]) => report !== undefined)),
      }
    })
    answer('/readyz', async (request) => {
      if (stopping) throw new ApiError('rest_not_ready', 'The service is stopping.')
      try {
        db.rows('SELECT 1 FROM changes LIMIT 1')
      } catch (err) {
        request.log.error({ err }, 'the database can not be read')
        throw new ApiError('rest_not_ready', 'The database can not be read.')
      }
      const { state } = await readStatus().catch(() => ({ state: undefined })) // reads go on without the writer
      const why = state && WHY[state]
      if (why) throw new ApiError('rest_not_ready', why)
      return { status: 'ok' }
    })
    if (metrics && token !== undefined)
      answer('/metrics', ({ headers }, reply) => {
        if (!isSame(headers.authorization ?? '', `Bearer ${token}`))
          throw new ApiError('invalid_token', 'Send the METRICS_TOKEN as `Authorization: Bearer <token>`.')
        reply.type(metrics.contentType)
        return metrics.text()
      })
  },
  { name: 'health', dependencies: ['metrics', 'methods', 'headers'] },
)

const WHY: Partial<Record<ReplicaStatus['state'], string>> = {
  behind: 'This node lacks what others wrote more than a minute ago, and is following.',
  stuck: 'This node can not write its copy; `/health` and its log say why.',
  stale: 'This node takes its copy anew.',
  outdated: 'A newer version of Almanac has changed the tables in PostgreSQL; start that version here.',
}

/** Compared by their hashes, in constant time. */
const isSame = (one: string, other: string) => timingSafeEqual(digest(one), digest(other))
const digest = (text: string) => createHash('sha256').update(text).digest()
