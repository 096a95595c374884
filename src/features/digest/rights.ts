import { rightsOf } from '../../kernel/access/rights.ts'

/** The rights of digests. The desk asks for them as well. */
export const DIGEST_RIGHTS = rightsOf({
  'manage subscriptions by mail': 'administrator',
})
