import * as revision from '../../../schemas/revision.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { type ConfigOf, daysOrOff, type SettingTable } from '../../kernel/settings.ts'
import type { ServiceFeature } from '../host.ts'
import { addRevision, openRevisions, openVersions } from './revisions.ts'
import { revisionRoutes } from './routes.ts'

/** The errors of the history of events: code, status and meaning. */
const HISTORY_ERRORS = declareErrors({
  'revision-not-found': [
    404,
    'The event or series has no such change, or it is older than changes are kept.',
  ],
  'revision-archive-page-not-found': [404, 'The history of the record has no such page.'],
})

const HISTORY_SETTINGS = {
  REVISIONS_DAYS: {
    default: '365',
    meaning: 'Days for which changes of events are kept for those who edit them; off keeps all.',
    read: daysOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof HISTORY_SETTINGS>
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
type Errors = typeof HISTORY_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

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
  openStore({ db, site, domainEvents, events, series }) {
    domainEvents.on('record.changed', addRevision)
    return {
      revisions: openRevisions(db, site),
      versions: openVersions(db, { event: events.update, series: series.update }),
    }
  },
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
