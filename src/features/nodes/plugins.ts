import type { AddressInfo } from 'node:net'
import type { Store } from '../../calendar/store.ts'
import type { Between } from '../../kernel/server/plugins.ts'
import { relay, type WorkerRole } from './forwarding.ts'
import { awaiting, catchingUp, freshness, openLag, openStatusReader } from './freshness.ts'
import { addNodeMetrics } from './metrics.ts'
import { addressOf } from './session.ts'

type Settings = {
  host: string
  postgres: string | undefined
  mirror: readonly unknown[] | undefined
  mirrorWrites: 'refuse' | 'forward'
  staleReads: boolean
}

/**
 * What several processes and several machines put between the plugins of the kernel, and how this process stands to the others. A single
 * process with its own file has none of it.
 */
export function openNodePlugins(
  store: Store,
  { host, postgres, mirror, mirrorWrites, staleReads }: Settings,
  worker: WorkerRole | undefined,
) {
  const { db } = store
  const { replica, fresh, catchUp } = db
  const readStatus = openStatusReader(db, (postgres ?? mirror) ? worker : undefined)
  const lag = openLag(db, readStatus)
  const between: Between = {
    measures: (app) =>
      replica && app.measure(({ library, registers }) => addNodeMetrics(replica, library, registers)),
    forwarding(app) {
      // tells other nodes where this one listens: with `PORT=0`, that is known only now
      app.addHook('onListen', async () => {
        const { port } = app.server.address() as AddressInfo
        replica?.listensAt(addressOf({ host, port }))
      })
      if (worker) app.register(relay, { store, worker, forwards: mirrorWrites === 'forward' })
      app.register(awaiting, { store })
    },
    copying: (app) => fresh && lag && app.register(freshness, { fresh, lag, staleReads }),
    writing: (app) => catchUp && app.register(catchingUp, { catchUp }),
  }
  return { readStatus, lag, between }
}
