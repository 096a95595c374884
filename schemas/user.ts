import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as i from './input.ts'
import * as output from './output.ts'

export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
/** What opens sessions. */
export const OPENERS = ['application_password', 'password', 'passkey', 'openid'] as const
export const SCOPES = ['read', 'write', 'admin'] as const

const Role = c.StringEnum(ROLES, {
  description: 'Role of the user. Each role has all rights of the roles before it.',
  examples: ['editor'],
})
const Time = (what: string) =>
  Type.String({ description: `${what} in UTC. Format: \`YYYY-MM-DD HH:MM:SS\`.` })
const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Name that says what the credential is used for.',
  examples: ['Website'],
})

const Person = {
  name: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Name that others are shown. An empty string removes it, null keeps the stored one.',
      examples: ['Berta Puig'],
    }),
  ),
  email: Type.Optional(
    Type.String({
      maxLength: 254,
      description:
        'Address of mail, which no two users share. Case is ignored. An empty string removes it, null keeps the stored one. Links that were mailed to the one before end.',
      examples: ['berta@example.org'],
    }),
  ),
}
const ids = (of: string) =>
  Type.Array(Type.Integer({ minimum: 1, maximum: c.GREATEST }), { description: `IDs of ${of}.` })
const MOST = { maxItems: 100 }
const LIMITED = { categories: ids('categories, each with those below it'), venues: ids('venues') }
export const RightLimits = Type.Object(LIMITED, {
  $id: 'RightLimits',
  description: 'Limits of rights to events in one of these categories, or at one of these venues.',
})
/** Limits as they are sent. */
const limitsInput = (description: string) =>
  Type.Optional(
    c.read<RightLimits | null>(
      'rightLimits',
      Type.Object(
        {
          categories: Type.Optional({ ...LIMITED.categories, ...MOST }),
          venues: Type.Optional({ ...LIMITED.venues, ...MOST }),
        },
        { additionalProperties: false },
      ),
      { description, examples: [{ categories: [3] }] },
    ),
  )

export const UserInput = Type.Object({
  login: Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: '^[A-Za-z0-9_.@-]*$',
    description: 'Name to sign in with: letters, digits, and `.`, `_`, `-`, `@`. Case is ignored.',
    examples: ['berta'],
  }),
  role: Role,
  ...Person,
  invite: Type.Optional(
    i.Switch(
      '`true` gives the user an invitation to choose an own password instead of an application password.',
    ),
  ),
  limits: limitsInput(
    'Limits the rights of the role to events in these categories or at these venues. An administrator has none. Without it, or with `null`, the rights hold for all events.',
  ),
})
export const UserUpdate = Type.Object({
  role: Type.Optional({
    ...Role,
    [c.Declared]: c.WordOrNull('RoleOrNull', ROLES, 'A role, or null to keep the stored one.'),
  }),
  disabled: Type.Optional(
    i.Switch('`true` rejects all credentials of the user at once; `false` accepts them again.'),
  ),
  ...Person,
  limits: limitsInput(
    'Limits the rights of the role to events in these categories or at these venues; `null` ends the limits. An administrator has none.',
  ),
})
export const UserRemoval = Type.Object({
  reassign: Type.Optional(
    c.IdFilter(
      'ID of the user who takes over the records of the removed user. Required if there are any.',
      1,
    ),
  ),
})
export const User = Type.Object(
  {
    id: c.Id('user'),
    login: Type.String({ description: 'Name with which the user signs in.' }),
    name: Type.Optional(Type.String({ description: 'Name that others are shown; absent if there is none.' })),
    email: Type.Optional(
      Type.String({ description: 'Address of mail, in lower case; absent if there is none.' }),
    ),
    role: Role,
    disabled: Type.Boolean({ description: 'Whether the credentials of the user are rejected.' }),
    limits: Type.Optional(
      Type.Ref('RightLimits', {
        description: 'The events that the rights are limited to; absent if they hold for all.',
      }),
    ),
    created_utc: Time('Time at which the user was created,'),
  },
  { $id: 'User', description: 'A user who can sign in.' },
)

export const PasswordInput = Type.Object({ name: Name })
const PasswordMembers = {
  id: c.Id('application password'),
  name: Name,
  created_utc: Time('Time of creation'),
  last_used_utc: Type.Optional(Time('Time of the last use of the password, to the minute,')),
}
export const ApplicationPassword = Type.Object(PasswordMembers, {
  $id: 'ApplicationPassword',
  description: 'An application password for HTTP Basic. Only its hash is stored.',
})
export const NewApplicationPassword = Type.Object(
  {
    ...PasswordMembers,
    password: Type.String({
      description: 'The application password itself. It is shown only in this response.',
    }),
  },
  { $id: 'NewApplicationPassword', description: 'A new application password.' },
)

export const TokenInput = Type.Object({
  user: i.Whole('ID of the user that the token belongs to.', 6),
  name: Name,
  scopes: Type.Optional(
    c.read<(typeof SCOPES)[number][]>('scopes', Type.Array(c.StringEnum(SCOPES)), {
      minItems: 1,
      maxItems: 100,
      description:
        'What the token may do within the rights of its user: `read`, `write`, `admin` (users, tokens and webhooks). Default: all three.',
      examples: [['read', 'write']],
    }),
  ),
  expires: Type.Optional(
    i.MomentInput(
      'Time at which the token expires, later than now, in UTC if it has no offset. Default: never',
      '2027-12-31',
    ),
  ),
  limits: limitsInput(
    'Narrows the rights of the token to events in these categories or at these venues; limits of its user hold as well. Not with the scope `admin`: without `scopes` the token then has `read` and `write`.',
  ),
})
export const UserSession = Type.Object(
  {
    id: c.Id('session'),
    kind: c.StringEnum(OPENERS, { description: 'What the session was opened with, and with which it ends.' }),
    application_password: Type.Optional(
      Type.Integer({ description: 'ID of the application password that opened the session, if one did.' }),
    ),
    name: Type.String({ description: 'Name of what the session was opened with; empty if it has none.' }),
    created_utc: Time('Time at which the session was opened,'),
    expires_utc: Time('Time at which the session ends at the latest,'),
    last_used_utc: Type.Optional(Time('Time of the last request of the session, to the minute,')),
    current: Type.Boolean({ description: 'Whether the request itself belongs to this session.' }),
  },
  { $id: 'UserSession', description: 'A session of a user: a Bearer token that a sign-in made.' },
)
const TokenMembers = {
  id: c.Id('token'),
  user: Type.Integer({ description: 'ID of the user that the token belongs to.' }),
  application_password: Type.Optional(
    Type.Integer({
      description: 'ID of the application password that opened a session; absent for other tokens.',
    }),
  ),
  sign_in: Type.Optional(
    Type.Integer({
      description: 'ID of the way of a person to sign in that opened a session; absent for other tokens.',
    }),
  ),
  name: Name,
  scopes: Type.Array(c.StringEnum(SCOPES), {
    description: 'What the token may do within the rights of its user.',
  }),
  limits: Type.Optional(
    Type.Ref('RightLimits', {
      description:
        'The events that the token is limited to, beside limits of its user; absent if there are none.',
    }),
  ),
  created_utc: Time('Time of creation'),
  expires_utc: Type.Optional(Time('Time at which the token expires,')),
  last_used_utc: Type.Optional(Time('Time of the last use of the token, to the minute,')),
}
export const Token = Type.Object(TokenMembers, {
  $id: 'Token',
  description: 'A Bearer token. Only its hash is stored.',
})
export const NewToken = Type.Object(
  {
    ...TokenMembers,
    token: Type.String({ description: 'The token itself. It is shown only in this response.' }),
  },
  { $id: 'NewToken', description: 'A new Bearer token.' },
)

export type RightLimits = Static<typeof RightLimits>
export type PasswordInput = Static<typeof PasswordInput>
export type UserInput = c.Input<typeof UserInput> & Pick<Static<typeof UserInput>, 'login' | 'role'>
export type UserUpdate = c.Input<typeof UserUpdate>
export type TokenInput = Static<typeof TokenInput> & { expires?: string | null; limits?: RightLimits | null }

export const UserPage = output.Page('UserPage', 'users', Type.Ref('User'))
export const ApplicationPasswordPage = output.Page(
  'ApplicationPasswordPage',
  'application_passwords',
  Type.Ref('ApplicationPassword'),
)
export const UserSessionPage = output.Page('UserSessionPage', 'sessions', Type.Ref('UserSession'))
export const TokenPage = output.Page('TokenPage', 'tokens', Type.Ref('Token'))
