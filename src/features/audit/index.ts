import * as schemas from '../../../schemas/audit.ts'
import type { ServiceFeature } from '../host.ts'
import { addAuditCommand } from './command.ts'
import { AUDIT_ERRORS, AUDIT_RIGHTS } from './declarations.ts'
import { auditRoutes } from './routes.ts'

/** The audit log for administrators. The kernel writes it, whoever reads it. */
export const audit: ServiceFeature = {
  name: 'audit',
  tags: {
    Audit: 'Who did what that matters for security, when and from where. For administrators only.',
  },
  answers: [schemas.AuditSubject, schemas.AuditEntry, schemas.AuditPage],
  errors: AUDIT_ERRORS,
  rights: AUDIT_RIGHTS,
  addCommands(program, tools) {
    addAuditCommand(program.command('audit'), tools)
  },
  async plugin(app, { service }) {
    app.register(auditRoutes, { service })
  },
}
