import type { RightTable } from '../../kernel/access/roles.ts'
import type { ErrorTable } from '../../kernel/errors.ts'

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

type Errors = typeof WEBHOOKS_ERRORS
type Rights = typeof WEBHOOKS_RIGHTS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/access/roles.ts' {
  interface DeclaredRights extends Rights {}
}
