import { monitorEventLoopDelay } from 'node:perf_hooks'
import fp from 'fastify-plugin'
import { overloaded } from '../../errors.ts'

/** Milliseconds: how fine the delay is measured, and after how long it is looked at. */
const RESOLUTION = 10
const EVERY = 1_000

/**
 * Refuses requests while the event loop is later than `maxDelay` milliseconds, on average over a second: answers would come
 * when nobody waits for them any more. It is measured from the moment at which the service listens; starting is no overload.
 */
export const overload = fp<{ maxDelay: number }>(
  async (app, { maxDelay }) => {
    if (maxDelay === 0) return
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
    let isLate = false
    const look = () => {
      // without a single measurement, the loop stood still
      isLate = histogram.count === 0 || histogram.mean / 1e6 - RESOLUTION > maxDelay
      histogram.reset()
    }
    let timer: NodeJS.Timeout | undefined
    app.addHook('onListen', async () => {
      histogram.enable()
      timer = setInterval(look, EVERY).unref()
    })
    app.addHook('onClose', async () => {
      clearInterval(timer)
      histogram.disable()
    })
    app.addHook('onRequest', (_request, _reply, done) => done(isLate ? overloaded() : undefined))
  },
  { name: 'overload', dependencies: ['headers', 'relay'] },
)
