import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { overloaded } from '../errors.ts'

/** Refuses requests while the event loop is so late that answers would come when nobody waits for them any more. */
export async function addPressure(app: FastifyInstance, maxDelay: number) {
  if (maxDelay === 0) return
  await app.register(underPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler: async () => {
      throw overloaded()
    },
  })
}
