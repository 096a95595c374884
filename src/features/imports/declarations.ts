import type { RightTable } from '../../kernel/access/rights.ts'
import type { ErrorTable } from '../../kernel/errors.ts'

/** The errors of imports and mirrors: code, status and meaning. */
export const IMPORTS_ERRORS = {
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
} as const satisfies ErrorTable

export const IMPORTS_RIGHTS = {
  'import events': { from: 'editor', ofAll: true },
} as const satisfies RightTable

type Errors = typeof IMPORTS_ERRORS
type Rights = typeof IMPORTS_RIGHTS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/access/rights.ts' {
  interface DeclaredRights extends Rights {}
}
