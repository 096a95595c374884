import { CHANGE_ANSWERS } from '../../../schemas/changes.ts'
import { declareErrors } from '../../kernel/errors.ts'
import type { ServiceFeature } from '../host.ts'
import { changeRoutes } from './routes.ts'
import { openSync } from './sync.ts'
import { openSyncTokens } from './tokens.ts'

/** The errors of following changes: code, status and meaning. */
const SYNC_ERRORS = declareErrors({
  'sync-token-invalid': [400, 'The sync token was not made by this calendar, or was cut off.'],
  'sync-token-expired': [
    410,
    'What changed since the sync token was made is no longer known; begin anew without `sync_token`.',
  ],
})

type Errors = typeof SYNC_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

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
  streams: /^\/changes\/?(\?|$)/,
  openStore: (store) => ({
    sync: { ...openSync(store.changes, store), tokens: openSyncTokens(store.changes, store.keyed) },
  }),
  async plugin(app, { service }) {
    app.register(changeRoutes, { service })
  },
}
