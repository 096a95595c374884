import { CHANGE_ANSWERS } from '../../../schemas/changes.ts'
import type { ServiceFeature } from '../host.ts'
import { changeRoutes } from './changes.ts'
import { SYNC_ERRORS } from './declarations.ts'
import { openSync } from './sync.ts'
import { openSyncTokens } from './sync-tokens.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    sync: ReturnType<typeof openSync> & { tokens: ReturnType<typeof openSyncTokens> }
  }
}

/** What changed since a client last asked, as pages and as streams. */
export const sync: ServiceFeature = {
  name: 'sync',
  tags: {
    Changes: 'What was created, changed and removed since a last visit, of all kinds of records.',
  },
  answers: [...CHANGE_ANSWERS],
  errors: SYNC_ERRORS,
  openStore: (store) => ({
    sync: { ...openSync(store.changes, store), tokens: openSyncTokens(store.changes, store.keyed) },
  }),
  async plugin(app, { service }) {
    app.register(changeRoutes, { service })
  },
}
