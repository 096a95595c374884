import * as revision from '../../../schemas/revision.ts'
import type { ServiceFeature } from '../host.ts'
import { HISTORY_ERRORS, HISTORY_SETTINGS } from './declarations.ts'
import { revisionRoutes } from './routes.ts'
import { openRevisions } from './store.ts'
import { openVersions } from './versions.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** What was changed in events and series. */
    revisions: ReturnType<typeof openRevisions>
    versions: ReturnType<typeof openVersions>
  }
}

/** Who changed what in events and series, and the way back. */
export const history: ServiceFeature = {
  name: 'history',
  settings: HISTORY_SETTINGS,
  tags: {
    History: 'What was changed in events and series, by whom, and the way back. For those who may edit them.',
  },
  answers: [revision.EventVersion, revision.Revision, revision.RevisionPage],
  errors: HISTORY_ERRORS,
  openStore: ({ db, site, events, series }) => ({
    revisions: openRevisions(db, site),
    versions: openVersions(db, { event: events.update, series: series.update }),
  }),
  async plugin(app, { config: { revisionsDays: days }, service }) {
    const { revisions } = service.store
    if (days !== undefined)
      app.retain({
        remove: () => revisions.removeOld(days),
        failed: 'old changes of events could not be removed',
      })
    app.register(revisionRoutes, { service })
  },
}
