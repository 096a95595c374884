import type { ErrorTable } from '../../kernel/errors.ts'
import { type ConfigOf, daysOrOff, type SettingTable } from '../../kernel/settings.ts'

/** The errors of the history of events: code, status and meaning. */
export const HISTORY_ERRORS = {
  'revision-not-found': [
    404,
    'The event or series has no such change, or it is older than changes are kept.',
  ],
  'revision-archive-page-not-found': [404, 'The history of the record has no such page.'],
} as const satisfies ErrorTable

export const HISTORY_SETTINGS = {
  REVISIONS_DAYS: {
    default: '365',
    meaning: 'Days for which changes of events are kept for those who edit them; off keeps all.',
    read: daysOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof HISTORY_SETTINGS>
type Errors = typeof HISTORY_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
