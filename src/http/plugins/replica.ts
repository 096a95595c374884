import fp from 'fastify-plugin'
import { ApiError } from '../../errors.ts'
import type { Db } from '../../store/sqlite/db.ts'
import { isRead } from './limits.ts'

/** Header with the seconds since the copy of this node was last known to have everything; absent while it has. */
export const COPY_AGE = 'almanac-copy-age'

/**
 * Requests with credentials see every write that was answered anywhere before: they wait until this node's copy has it. While
 * PostgreSQL does not answer, reads go on with the age of the copy in a header, or are refused.
 */
export const replica = fp<{ db: Pick<Db, 'fresh'>; staleReads: boolean }>(
  async (app, { db: { fresh }, staleReads }) => {
    if (!fresh) return
    app.addHook('onRequest', async (request, reply) => {
      if (request.raw.headers.authorization === undefined) return
      const age = await fresh()
      if (age === 0) return
      if (!staleReads && isRead(request))
        throw new ApiError(
          'database_unavailable',
          'This node does not know whether it has every write, because it can not ask PostgreSQL, which keeps the truth; reads without credentials still work.',
          { retry_after: 2 },
        )
      reply.header(COPY_AGE, String(age))
    })
  },
  { name: 'replica', dependencies: ['headers', 'relay'] },
)
