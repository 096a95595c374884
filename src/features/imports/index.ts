import * as schemas from '../../../schemas/imports.ts'
import type { ServiceFeature } from '../host.ts'
import { addImportCommand, addImportsCommand } from './commands/import.ts'
import { IMPORTS_ERRORS, IMPORTS_RIGHTS } from './declarations.ts'
import { openImporting } from './importing.ts'
import { openMirrorsOf, openWriteThroughOf, statusOf } from './mirror/mirror.ts'
import { addMirrorMetrics, mirroring } from './mirror/plugin.ts'
import { sourcesText } from './mirror/sources.ts'
import { openForwarding, WRITE_THROUGH_ERRORS } from './mirror/write-through.ts'
import { importRoutes } from './routes.ts'
import { IMPORTS_SETTINGS } from './settings.ts'
import { openImports } from './store.ts'

declare module '../../kernel/feature.ts' {
  interface FeatureStores {
    /** What was taken from other calendars. */
    imports: ReturnType<typeof openImports>
  }
}

/** Files, sites and feeds of other calendars: importing them once, and keeping a mirror in step with them. */
export const imports: ServiceFeature = {
  name: 'imports',
  needs: ['exports'],
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
  addCommands(program, tools) {
    addImportCommand(program.command('import'), tools)
    addImportsCommand(program.command('imports'), tools)
  },
  async plugin(app, { config, service, writes, warnings, clock }) {
    const { store, pictures } = service
    const mirrors = writes ? openMirrorsOf({ config, store, pictures, clock, log: app.log }) : []
    const writeThrough = mirrors[0] && openWriteThroughOf({ config, store, pictures, mirror: mirrors[0] })
    service.around.errors.push(...WRITE_THROUGH_ERRORS)
    if (writeThrough) service.around.write = openForwarding(store, writeThrough)
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
