import * as schemas from '../../../schemas/imports.ts'
import { declareErrors } from '../../kernel/errors.ts'
import type { ServiceFeature } from '../host.ts'
import { addImportCommand, addImportsCommand } from './command.ts'
import { addMirrors } from './mirror/plugin.ts'
import { importRoutes } from './routes.ts'
import { IMPORTS_SETTINGS } from './settings.ts'
import { openImports } from './store.ts'

/** The errors of imports and mirrors: code, status and meaning. */
const IMPORTS_ERRORS = declareErrors({
  calendar_is_mirror: [
    403,
    'This calendar is a mirror of another one and changes only with it; `data.source` is the address of that.',
  ],
  'import-not-found': [404, 'There is no such import.'],
  'import-archive-page-not-found': [404, 'The list of imports has no such page.'],
  source_refused: [
    409,
    'The calendar that this one is a mirror of refused the write, so nothing was written. `data.source_status`, `data.source_code` and `data.source_message` are its answer.',
  ],
  source_failed: [
    502,
    'The calendar that this one is a mirror of can not be reached, answers nonsense, or does not accept the credentials of the mirror. Nothing was written, unless `data.written` is true: then it was written there, and comes here later.',
  ],
})

type Errors = typeof IMPORTS_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

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
