/** What the audit log tells of: a closed list. */
export const AUDIT_CODES = [
  'session_created',
  'session_ended',
  'login_failed',
  'credential_used',
  'sign_in_added',
  'sign_in_changed',
  'sign_in_removed',
  'invitation_made',
  'invitation_accepted',
  'reset_asked',
  'reset_done',
  'password_created',
  'password_revoked',
  'token_created',
  'token_revoked',
  'user_added',
  'user_changed',
  'user_removed',
  'settings_changed',
  'webhook_added',
  'webhook_changed',
  'webhook_removed',
  'webhook_secret_replaced',
  'webhook_disabled',
  'record_deleted',
  'data_exported',
  'data_restored',
  'data_imported',
  'import_undone',
  'submission_received',
  'submission_asked',
  'submission_accepted',
  'submission_refused',
  'submission_withdrawn',
] as const
export type AuditCode = (typeof AUDIT_CODES)[number]

/** From where something was done: by a request, on the command line of a host, or by the service itself. */
export const AUDIT_ORIGINS = ['http', 'command', 'service'] as const
export type AuditOrigin = (typeof AUDIT_ORIGINS)[number]

/** What it was done to. */
export const AUDIT_SUBJECTS = [
  'user',
  'password',
  'sign_in',
  'token',
  'session',
  'webhook',
  'event',
  'series',
  'venue',
  'organizer',
  'category',
  'tag',
  'media',
] as const
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]
