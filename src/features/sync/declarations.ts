import type { ErrorTable } from '../../kernel/errors.ts'

/** The errors of following changes: code, status and meaning. */
export const SYNC_ERRORS = {
  'sync-token-invalid': [400, 'The sync token was not made by this calendar, or was cut off.'],
  'sync-token-expired': [
    410,
    'What changed since the sync token was made is no longer known; begin anew without `sync_token`.',
  ],
} as const satisfies ErrorTable

type Errors = typeof SYNC_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
