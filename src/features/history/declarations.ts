import type { ErrorTable } from '../../kernel/errors.ts'

/** The errors of the history of events: code, status and meaning. */
export const HISTORY_ERRORS = {
  'revision-not-found': [
    404,
    'The event or series has no such change, or it is older than changes are kept.',
  ],
  'revision-archive-page-not-found': [404, 'The history of the record has no such page.'],
} as const satisfies ErrorTable

type Errors = typeof HISTORY_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
