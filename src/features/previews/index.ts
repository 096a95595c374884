import { Preview } from '../../../schemas/preview.ts'
import type { ServiceFeature } from '../host.ts'
import { previewRoutes } from './routes.ts'
import { openPreviews } from './store.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** Addresses under which an event is shown before visitors see it. */
    previews: ReturnType<typeof openPreviews>
  }
}

/** Links under which an event is shown before visitors see it. */
export const previews: ServiceFeature = {
  name: 'previews',
  answers: [Preview],
  openStore: ({ users, tokens, limits, keyed, site }) => ({
    previews: openPreviews(users.find, tokens, limits, keyed, site),
  }),
  async plugin(app, { service }) {
    app.register(previewRoutes, { service })
  },
}
