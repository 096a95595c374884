import { rightsOf } from '../../kernel/access/rights.ts'

/** The rights of the audit log. The desk asks for them as well. */
export const AUDIT_RIGHTS = rightsOf({
  'read the audit log': 'administrator',
})
