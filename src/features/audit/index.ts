import { type Command, InvalidArgumentError, Option } from 'commander'
import { AuditEntry, AuditPage, AuditQuery, AuditSubject as Subject } from '../../../schemas/audit.ts'
import {
  AUDIT_CODES,
  AUDIT_SUBJECTS,
  type AuditCode,
  type AuditSubject,
} from '../../../schemas/audit-codes.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import type { AuditRow } from '../../kernel/access/audit-log.ts'
import { table } from '../../kernel/cli.ts'
import { declareErrors } from '../../kernel/errors.ts'
import { tell } from '../../kernel/shell.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'
import type { ServiceFeature, Tools } from '../host.ts'
import { AUDIT_RIGHTS } from './rights.ts'

/** The errors of the audit log: code, status and meaning. */
const AUDIT_ERRORS = declareErrors({
  'audit-archive-page-not-found': [404, 'The audit log has no such page.'],
})

type Errors = typeof AUDIT_ERRORS
declare module '../../kernel/errors.ts' {
  interface DeclaredErrors extends Errors {}
}

type Options = {
  code?: AuditCode[]
  user?: string
  subject?: AuditSubject
  subjectId?: number
  address?: string
  from?: string
  until?: string
  limit: number
  json?: boolean
}

const HEAD = ['TIME (UTC)', 'CODE', 'WHO', 'FROM', 'SUBJECT', 'DETAILS']

/** `audit`: the entries of the audit log, the latest first. */
function addAuditCommand(command: Command, shell: Tools) {
  command
    .description('print the audit log: who did what that matters for security, the latest first')
    .addOption(new Option('--code <code...>', 'only entries with these codes').choices(AUDIT_CODES))
    .option('--user <login>', 'only what this user did')
    .addOption(
      new Option('--subject <kind>', 'only entries about a subject of this kind').choices(AUDIT_SUBJECTS),
    )
    .option('--subject-id <id>', 'only entries about the subject with this ID', readNumber)
    .option('--address <address>', 'only entries with this address')
    .option(
      '--from <time>',
      'only entries at this time or later, such as 2027-01-01 or "-7 days" (UTC)',
      readTime,
    )
    .option('--until <time>', 'only entries before this time (UTC)', readTime)
    .option('--limit <number>', 'greatest number of entries', readNumber, 50)
    .option('--json', 'print JSON')
    .action(({ json, limit, code, user, subject, subjectId, address, from, until }: Options) =>
      shell.withStore(async ({ audit }) => {
        const filter = {
          codes: code,
          login: user?.toLowerCase(),
          kind: subject,
          id: subjectId,
          address,
          from,
          until,
        }
        const { rows, total } = await audit.list(filter, { page: 1, per_page: limit })
        tell(shell, json, { total, entries: rows }, words(rows, total))
      }),
    )
}

function words(rows: AuditRow[], total: number): string {
  if (rows.length === 0) return 'No entry matches.'
  const rest = total - rows.length
  return [
    table([HEAD, ...rows.map(cellsOf)]),
    ...(rest > 0 ? [`${rest} more; --limit shows them.`] : []),
  ].join('\n')
}

function cellsOf({ at_utc, code, login, origin, address, ...row }: AuditRow): string[] {
  const details = Object.entries(row.details).map(([name, value]) => `${name}: ${value}`)
  return [
    at_utc,
    code,
    login ?? (origin === 'http' ? '' : origin),
    address,
    row.subject_kind === null ? '' : `${row.subject_kind} ${row.subject_id}`,
    [...(row.count > 1 ? [`${row.count} times`] : []), ...details].join('; '),
  ]
}

function readNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number.')
  return Number(text)
}

function readTime(text: string): string {
  const moment = readMoment(text, { now: Date.now(), zone: 'UTC' })
  if (!moment)
    throw new InvalidArgumentError('Use a date such as 2027-01-01, or a relative time such as "-7 days".')
  return inZone(moment, 'UTC')
}

const AREA = {
  tag: 'Audit',
  permission: { right: AUDIT_RIGHTS['read the audit log'], to: 'read the audit log' },
} as const

/** An entry as shown: what has no value is left out. */
function showEntry({ subject_kind, subject_id, user_id, details, ...row }: AuditRow) {
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
  answers: [Subject, AuditEntry, AuditPage],
  errors: AUDIT_ERRORS,
  addCommands(program, tools) {
    addAuditCommand(program.command('audit'), tools)
  },
  async plugin(app, { service }) {
    app.register(auditRoutes, { service })
  },
}
