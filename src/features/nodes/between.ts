import type { AddressInfo } from 'node:net'
import type { Store } from '../../calendar/store.ts'
import type { Between } from '../../kernel/server/plugins.ts'
import { ahead, doubt } from './cluster/ahead.ts'
import { type Link, relay } from './cluster/relay.ts'
import { openLag, openStatus, replica } from './cluster/replica.ts'
import { addressOf } from './connection/url.ts'
import { addNodeMetrics } from './metrics.ts'

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
  link: Link | undefined,
) {
  const { db } = store
  const { node, fresh, bring } = db
  const readStatus = openStatus(db, (postgres ?? mirror) ? link : undefined)
  const lag = openLag(db, readStatus)
  const between: Between = {
    measures: (app) =>
      node && app.measure(({ library, registers }) => addNodeMetrics(node, library, registers)),
    forwarding(app) {
      // tells other nodes where this one listens: with `PORT=0`, that is known only now
      app.addHook('onListen', async () => {
        const { port } = app.server.address() as AddressInfo
        node?.listens(addressOf({ host, port }))
      })
      if (link) app.register(relay, { store, link, forwards: mirrorWrites === 'forward' })
      app.register(ahead, { store })
    },
    copying: (app) => fresh && lag && app.register(replica, { fresh, lag, staleReads }),
    writing: (app) => bring && app.register(doubt, { bring }),
  }
  return { readStatus, lag, between }
}
