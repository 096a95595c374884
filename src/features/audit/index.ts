import * as schemas from '../../../schemas/audit.ts'
import { AuditQuery } from '../../../schemas/audit.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import type { AuditRow } from '../../calendar/store.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import type { ServiceFeature } from '../host.ts'
import { addAuditCommand } from './command.ts'
import { AUDIT_RIGHTS } from './rights.ts'

/** The errors of the audit log: code, status and meaning. */
const AUDIT_ERRORS = declareErrors({
  'audit-archive-page-not-found': [404, 'The audit log has no such page.'],
})

type Errors = typeof AUDIT_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

const AREA = {
  tag: 'Audit',
  permission: { right: AUDIT_RIGHTS['read the audit log'], to: 'read the audit log' },
} as const

/** An entry as shown: what has no value is left out. */
export function showEntry({ subject_kind, subject_id, user_id, details, ...row }: AuditRow) {
  const subject = subject_kind === null ? null : { kind: subject_kind, id: subject_id }
  const { id, at_utc, code, origin, address, login, credential, count } = row
  return shown({
    id,
    at_utc,
    code,
    origin,
    address,
    user: user_id,
    login,
    credential,
    subject,
    details,
    count,
  })
}

/** The audit log, for administrators: a list that nobody can write to. */
const auditRoutes = family('audit', async (app, service) => {
  const { list } = openCollection(app, service, AREA)
  const { audit } = service.store

  list({
    kind: 'audit',
    plural: 'entries',
    url: '/audit',
    operationId: 'listAudit',
    summary: 'List the audit log',
    description:
      'Returns what was done that matters for security, the latest first: sign-ins and failures, credentials, users and roles, settings, webhooks, permanent deletions, exports. Entries are kept for a year unless the operator set another time. Requires the role `administrator` and, with a token, the scope `admin`. Times are in UTC. With `order=asc`, following `next_rest_url` returns every entry once, also while others are added.',
    errors: ['audit-archive-page-not-found'],
    answer: 'AuditPage',
    query: AuditQuery,
    async find(paging, _params, request) {
      const { order, code, user, subject, subject_id, address, ...times } = request.query as AuditQuery
      const read = (text: string | undefined) =>
        text && inZone(readMoment(text, { now: service.site.clock(), zone: 'UTC' })!, 'UTC')
      const filter = {
        codes: code,
        user,
        kind: subject,
        id: subject_id,
        address,
        from: read(times.from),
        until: read(times.until),
      }
      const { rows, total } = await audit.list(filter, { ...paging, order })
      return { rows: rows.map(showEntry), total }
    },
  })
})

/** The audit log for administrators. The kernel writes it, whoever reads it. */
export const audit: ServiceFeature = {
  name: 'audit',
  tags: {
    Audit: 'Who did what that matters for security, when and from where. For administrators only.',
  },
  answers: [schemas.AuditSubject, schemas.AuditEntry, schemas.AuditPage],
  errors: AUDIT_ERRORS,
  addCommands(program, tools) {
    addAuditCommand(program.command('audit'), tools)
  },
  async plugin(app, { service }) {
    app.register(auditRoutes, { service })
  },
}
