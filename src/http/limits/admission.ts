import type { FastifyReply, FastifyRequest, onSendHookHandler, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { openFairSemaphore } from '../../support/semaphore.ts'
import { aroundCostly } from './costly.ts'
import { clientOf } from './limits.ts'

/**
 * Expensive reads that are in work at a time, in all and for one address. All share the event loop, so that more of one address would
 * only make its turns longer for all others.
 */
const IN_WORK = { all: 32, each: 2 }
/** Expensive reads that may wait, in all and for one address. More are refused at once. */
const WAITING = { all: 1_000, each: 200 }

/**
 * Lets expensive reads in by turns of the addresses that ask, a few at a time, so that an address that asks for hundreds at once waits
 * for itself alone. Cached responses and single records pass no hook. A read that lasts, as a stream does, leaves once its head is sent.
 */
export const admission = fp(
  async (app) => {
    const semaphore = openFairSemaphore(IN_WORK, WAITING)
    const places = new WeakMap<FastifyRequest, ReturnType<typeof semaphore.place>>()

    const enter: preParsingHookHandler = (request, reply, _payload, done) => {
      const place = semaphore.place(clientOf(request))
      places.set(request, place)
      // of a client that leaves, nothing is read
      reply.raw.once('close', place.leave)
      place.enter(done)
    }
    const leave: onSendHookHandler = (request: FastifyRequest, _reply: FastifyReply, payload, done) => {
      places.get(request)?.leave()
      done(null, payload)
    }
    aroundCostly(app, { before: enter, after: leave })
  },
  { name: 'admission', dependencies: ['costs'] },
)
