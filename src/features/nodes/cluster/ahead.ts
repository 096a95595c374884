import { setImmediate as turn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Store } from '../../../calendar/store.ts'
import { tokenAhead } from '../../../kernel/errors.ts'
import { isRead } from '../../../kernel/limits.ts'
import { COPY_AGE } from '../../../kernel/output/header-values.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Waits until this node has the row of the log with this number, or knows that nobody has it. Returns false if another process
     * answers the request. Throws `sync-token-ahead` if the row does not come in time.
     */
    arrive(request: FastifyRequest, reply: FastifyReply, seq: number): Promise<boolean>
    /** Runs long work with a signal that the client has left, or that the service is stopping. */
    whileThere<T>(reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>): Promise<T>
  }
}

/**
 * Lets requests wait that continue what another node told, where this node's copy is behind. Of several processes the one that follows
 * the other nodes answers them. Where there is one file, everything is here.
 */
export const ahead = fp<{ store: Pick<Store, 'db' | 'changes'> }>(
  async (app, { store: { db, changes } }) => {
    const waiting = new Set<AbortController>()
    app.addHook('preClose', async () => {
      for (const one of waiting) one.abort()
    })

    app.decorate('whileThere', async ({ raw }, work) => {
      const one = new AbortController()
      const leave = () => one.abort()
      waiting.add(one)
      raw.once('close', leave)
      if (raw.destroyed) leave()
      try {
        return await work(one.signal)
      } finally {
        raw.off('close', leave)
        waiting.delete(one)
      }
    })

    app.decorate('arrive', async (request: FastifyRequest, reply: FastifyReply, seq: number) => {
      const isHere = () => seq <= changes.latest().seq
      if (isHere()) return true
      await turn() // this one may have begun before another process wrote
      const { fresh, reach } = db
      if (isHere() || !fresh) return true
      if (!reach) {
        await app.passOn!(request, reply)
        return false
      }
      if ((await app.whileThere(reply, (signal) => reach(isHere, signal))) === 'late') throw tokenAhead()
      return true
    })
  },
  { name: 'ahead' },
)

/**
 * A write is never refused for what the copy of a node lacks: a record that another node has just created is not 404, and an ETag that
 * it has just given is not 412. Where it is in doubt whether the copy has everything, it is brought first on the way of a write, and
 * the request gets the 503 of a write if that is not possible. All other requests pay nothing.
 */
export const doubt = fp<{ bring: NonNullable<Store['db']['bring']> }>(
  async (app, { bring }) => {
    app.addHook('preHandler', async (request, reply) => {
      const { inDoubt, routeOptions, validationError } = request
      // what is invalid is refused whatever the copy has
      if (!inDoubt || isRead(request) || !routeOptions.config.operation || validationError) return
      await bring()
      reply.removeHeader(COPY_AGE)
    })
  },
  { name: 'doubt', dependencies: ['rights'] },
)
