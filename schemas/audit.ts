import { type Static, Type } from '@sinclair/typebox'
import { AUDIT_CODES, AUDIT_ORIGINS, AUDIT_SUBJECTS } from './audit-codes.ts'
import * as c from './common.ts'
import { MomentFilter } from './dates.ts'
import * as output from './output.ts'

const IN_UTC = 'A time without an offset is in UTC, a date without a time is the beginning of its day.'

export const AuditSubject = Type.Object(
  {
    kind: c.StringEnum(AUDIT_SUBJECTS, { description: 'Kind of the subject.', examples: ['token'] }),
    id: Type.Integer({ description: 'ID of the subject. It is not given again when the subject is gone.' }),
  },
  { $id: 'AuditSubject', description: 'What something was done to.' },
)

export const AuditEntry = Type.Object(
  {
    id: c.Id('entry'),
    at_utc: Type.String({ description: `Time in UTC. Format: \`${c.Wall}\`.` }),
    code: c.StringEnum(AUDIT_CODES, { description: 'What happened.', examples: ['token_created'] }),
    origin: c.StringEnum(AUDIT_ORIGINS, {
      description:
        'From where: `http` is a request, `command` the command line of a host, `service` the service itself.',
    }),
    address: Type.String({
      description:
        'Address of the client. For commands the user of the operating system and the host, for the service the host. Empty if several addresses were counted together.',
      examples: ['192.0.2.7', 'root@calendar-1'],
    }),
    user: Type.Optional(Type.Integer({ description: 'ID of the user who did it; absent if there is none.' })),
    login: Type.Optional(Type.String({ description: 'Login of that user at that time.' })),
    credential: Type.Optional(
      Type.String({
        description: 'Credential of the request: `password` or `token` with its ID.',
        examples: ['password 3'],
      }),
    ),
    subject: Type.Optional(Type.Ref('AuditSubject')),
    details: Type.Record(Type.String(), Type.String(), {
      description: 'Details by name, without secrets. `a → b` is a value before and after.',
      examples: [{ role: 'author → editor' }],
    }),
    count: Type.Integer({
      minimum: 1,
      description: 'How often it happened. More than 1 only for failures that were counted together.',
    }),
  },
  { $id: 'AuditEntry', description: 'An entry of the audit log. Entries are never changed.' },
)
export const AuditPage = output.Page('AuditPage', 'entries', Type.Ref('AuditEntry'))

export const AuditQuery = Type.Object({
  ...c.Paging,
  order: c.Defaulted(
    c.StringEnum(['asc', 'desc'], {
      description: '`desc` returns the latest entries first, `asc` the oldest.',
      examples: ['desc'],
    }),
    'desc',
  ),
  code: Type.Optional(c.WordsFilter(AUDIT_CODES, 'Only entries with this code.', ['login_failed'])),
  user: Type.Optional(c.IdFilter('Only what the user with this ID did.', 6)),
  subject: Type.Optional(
    c.StringEnum(AUDIT_SUBJECTS, {
      description: 'Only entries about a subject of this kind.',
      examples: ['token'],
    }),
  ),
  subject_id: Type.Optional(
    c.IdFilter('Only entries about the subject with this ID; send `subject` as well.', 6),
  ),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Only entries with exactly this address.',
      examples: ['192.0.2.7'],
    }),
  ),
  from: Type.Optional(MomentFilter(`Only entries at this time or later. ${IN_UTC}`)),
  until: Type.Optional(MomentFilter(`Only entries before this time. ${IN_UTC}`)),
})
export type AuditQuery = Omit<Static<typeof AuditQuery>, 'from' | 'until'> & { from?: string; until?: string }
