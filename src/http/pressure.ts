import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

/** Seconds after which it is worth to try again. */
const RETRY_AFTER = 2

/** Refuses requests while the event loop is so late that answers would come when nobody waits for them any more. */
export async function addPressure(app: FastifyInstance, maxDelay: number) {
  if (maxDelay === 0) return
  await app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler: async () => {
      throw new ApiError(
        'rest_overloaded',
        `Too much to do at the moment; come back in ${RETRY_AFTER} seconds.`,
        {
          retry_after: RETRY_AFTER,
        },
      )
    },
  })
}
