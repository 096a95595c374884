import { rightsOf } from '../../kernel/access/rights.ts'

/** The rights of webhooks. The desk asks for them as well. */
export const WEBHOOKS_RIGHTS = rightsOf({
  'manage webhooks': 'administrator',
})
