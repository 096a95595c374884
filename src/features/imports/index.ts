import * as schemas from '../../../schemas/imports.ts'
import type { ServiceFeature } from '../host.ts'
import { IMPORTS_ERRORS, IMPORTS_RIGHTS } from './declarations.ts'
import { mirroring } from './mirror/job.ts'
import { addMirrorMetrics } from './mirror/metrics.ts'
import { openMirrorsOf, openPassingOf } from './mirror/open.ts'
import { sourcesText } from './mirror/sources.ts'
import { statusOf } from './mirror/status.ts'
import { openWriteThrough, PASSED } from './mirror/write-through.ts'
import { importRoutes } from './routes.ts'
import { openImporting } from './runs/requests.ts'
import { IMPORTS_SETTINGS } from './settings.ts'
import { openImports } from './store/imports.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** What was taken from other calendars. */
    imports: ReturnType<typeof openImports>
  }
}

/** Files, sites and feeds of other calendars: importing them once, and keeping a mirror in step with them. */
export const imports: ServiceFeature = {
  name: 'imports',
  needs: ['files'],
  settings: IMPORTS_SETTINGS,
  tags: {
    Imports:
      'Files of events that are taken into the calendar, and the list of imports, each of which can be taken back. For editors and administrators.',
  },
  answers: [
    schemas.ImportUpload,
    schemas.ImportEntry,
    schemas.ImportReport,
    schemas.Import,
    schemas.ImportPage,
    schemas.ImportUndone,
  ],
  errors: IMPORTS_ERRORS,
  rights: IMPORTS_RIGHTS,
  openStore: ({ db, site }) => ({ imports: openImports(db, site) }),
  async plugin(app, { config, service, writes, warnings, clock }) {
    const { store, pictures } = service
    const mirrors = writes ? openMirrorsOf({ config, store, pictures, clock, log: app.log }) : []
    const passing = mirrors[0] && openPassingOf({ config, store, pictures, mirror: mirrors[0] })
    service.around.errors.push(...PASSED)
    if (passing) service.around.write = openWriteThrough(store, passing)
    if (mirrors.length > 0) app.measure((meter) => addMirrorMetrics(mirrors, meter.library, meter.registers))
    app.reportHealth('mirror', () => statusOf(mirrors))
    app.register(mirroring, {
      source: sourcesText(config.mirror),
      mirrors,
      warnings,
      forwards: config.mirrorWrites === 'forward',
    })
    app.register(importRoutes(openImporting(store, pictures)), { service })
  },
}
