import type { RightTable } from '../../kernel/access/rights.ts'
import type { ErrorTable } from '../../kernel/errors.ts'

/** The errors of the audit log: code, status and meaning. */
export const AUDIT_ERRORS = {
  'audit-archive-page-not-found': [404, 'The audit log has no such page.'],
} as const satisfies ErrorTable

export const AUDIT_RIGHTS = {
  'read the audit log': 'administrator',
} as const satisfies RightTable

type Errors = typeof AUDIT_ERRORS
type Rights = typeof AUDIT_RIGHTS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}
declare module '../../kernel/access/rights.ts' {
  interface DeclaredRights extends Rights {}
}
