import type { RightTable } from '../../kernel/access/rights.ts'
import type { ErrorTable } from '../../kernel/errors.ts'
import { type ConfigOf, onOrOff, type SettingTable } from '../../kernel/settings.ts'

/** The errors of webhooks: code, status and meaning. */
export const WEBHOOKS_ERRORS = {
  'too-many-webhooks': [400, 'There are as many webhooks as are possible.'],
  'webhook-not-found': [404, 'There is no such webhook.'],
  'webhook-delivery-not-found': [404, 'The webhook has no such delivery.'],
  'webhook-archive-page-not-found': [404, 'The list of webhooks has no such page.'],
  'delivery-archive-page-not-found': [404, 'The list of deliveries has no such page.'],
} as const satisfies ErrorTable

export const WEBHOOKS_RIGHTS = {
  'manage webhooks': 'administrator',
} as const satisfies RightTable

export const WEBHOOKS_SETTINGS = {
  WEBHOOKS: {
    default: 'on',
    meaning: 'off: nothing is sent to webhooks, for a copy of a calendar.',
    read: onOrOff,
  },
} as const satisfies SettingTable

type Settings = ConfigOf<typeof WEBHOOKS_SETTINGS>
type Errors = typeof WEBHOOKS_ERRORS
type Rights = typeof WEBHOOKS_RIGHTS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/access/rights.ts' {
  interface DeclaredRights extends Rights {}
}
declare module '../../kernel/settings.ts' {
  interface DeclaredConfig extends Settings {}
}
