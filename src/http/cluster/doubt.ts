import fp from 'fastify-plugin'
import type { Store } from '../../store/store.ts'
import { isRead } from '../limits/limits.ts'
import { COPY_AGE } from '../output/header-values.ts'

/**
 * A write is never refused for what the copy of a node lacks: a record that another node has just created is not 404, and an ETag that
 * it has just given is not 412. Where it is in doubt whether the copy has everything, it is brought first on the way of a write, and
 * the request gets the 503 of a write if that is not possible. All other requests pay nothing.
 */
export const doubt = fp<{ db: Pick<Store['db'], 'bring'> }>(
  async (app, { db: { bring } }) => {
    if (!bring) return
    app.addHook('preHandler', async (request, reply) => {
      const { inDoubt, routeOptions, validationError } = request
      // what is invalid is refused whatever the copy has
      if (!inDoubt || isRead(request) || !routeOptions.config.operation || validationError) return
      await bring()
      reply.removeHeader(COPY_AGE)
    })
  },
  { name: 'doubt', dependencies: ['replica', 'rights'] },
)
