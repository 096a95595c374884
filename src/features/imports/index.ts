import * as schemas from '../../../schemas/imports.ts'
import type { ServiceFeature } from '../host.ts'
import { addImportCommand, addImportsCommand } from './command.ts'
import { IMPORTS_ERRORS, IMPORTS_RIGHTS } from './declarations.ts'
import { addMirrors } from './mirror/plugin.ts'
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
  async plugin(app, host) {
    addMirrors(app, host)
    app.register(importRoutes, { service: host.service })
  },
}
