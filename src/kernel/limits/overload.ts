import { monitorEventLoopDelay } from 'node:perf_hooks'
import fp from 'fastify-plugin'
import { overloaded } from '../errors.ts'

/** Milliseconds: resolution of the measurement, and interval of the checks. */
const RESOLUTION = 10
const EVERY = 1_000

/**
 * Refuses requests while the event loop lags more than `maxDelay` milliseconds on average over a second, because responses would come
 * too late. It measures from the moment at which the service listens, so the start does not count.
 */
export const overload = fp<{ maxDelay: number }>(
  async (app, { maxDelay }) => {
    if (maxDelay === 0) return
    const histogram = monitorEventLoopDelay({ resolution: RESOLUTION })
    let isLate = false
    const look = () => {
      // without any measurement, the loop was blocked
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
  { name: 'overload', dependencies: ['headers'] },
)
