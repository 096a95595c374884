import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import * as output from './output.ts'

export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export const SCOPES = ['read', 'write', 'admin'] as const

const Role = c.StringEnum(ROLES, { description: 'What the user may do.' })
const Time = (what: string) => Type.String({ description: `${what} in UTC, \`YYYY-MM-DD HH:MM:SS\`.` })
const Name = Type.String({ minLength: 1, maxLength: 100, description: 'What it is for.' })

export const UserInput = Type.Object({
  login: Type.String({
    minLength: 1,
    maxLength: 60,
    description: 'Name to sign in with: letters, digits, and . _ - @; without case.',
  }),
  role: Role,
})
export const UserUpdate = Type.Object({
  role: Type.Optional(Role),
  disabled: Type.Optional(
    Type.Boolean({ description: 'Credentials of a disabled user are refused at once.' }),
  ),
})
export const UserRemoval = Type.Object({
  reassign: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'ID of the user who takes over the records of the removed one.',
    }),
  ),
})
export const User = Type.Object(
  {
    id: c.Id('user'),
    login: Type.String(),
    role: Role,
    disabled: Type.Boolean(),
    created_utc: Time('Time of creation'),
  },
  { $id: 'User' },
)

export const NewUser = Type.Object(
  {
    ...User.properties,
    password: Type.String({ description: 'A first application password, shown this once.' }),
  },
  { $id: 'NewUser' },
)

export const PasswordInput = Type.Object({ name: Name })
const PasswordMembers = {
  id: c.Id('application password'),
  name: Name,
  created_utc: Time('Time of creation'),
  last_used_utc: Type.Optional(Time('Time of the last use, to the minute')),
}
export const ApplicationPassword = Type.Object(PasswordMembers, {
  $id: 'ApplicationPassword',
  description: 'A password for HTTP Basic; only its hash is kept.',
})
export const NewApplicationPassword = Type.Object(
  { ...PasswordMembers, password: Type.String({ description: 'Shown this once.' }) },
  { $id: 'NewApplicationPassword' },
)

export const TokenInput = Type.Object({
  user: Type.Integer({ minimum: 1, description: 'ID of the user whom the token stands for.' }),
  name: Name,
  scopes: Type.Optional(
    c.read<(typeof SCOPES)[number][]>('scopes', Type.Array(c.StringEnum(SCOPES)), {
      maxItems: 100,
      description:
        'What the token may do, never more than its user: read, write, admin (users and tokens). Default: all.',
    }),
  ),
  expires: Type.Optional(c.MomentInput('When the token stops working')),
})
const TokenMembers = {
  id: c.Id('token'),
  user: Type.Integer({ description: 'ID of the user whom it stands for.' }),
  name: Name,
  scopes: Type.Array(c.StringEnum(SCOPES)),
  created_utc: Time('Time of creation'),
  expires_utc: Type.Optional(Time('When it stops working')),
  last_used_utc: Type.Optional(Time('Time of the last use, to the minute')),
}
export const Token = Type.Object(TokenMembers, {
  $id: 'Token',
  description: 'A Bearer token; only its hash is kept.',
})
export const NewToken = Type.Object(
  { ...TokenMembers, token: Type.String({ description: 'Shown this once.' }) },
  { $id: 'NewToken' },
)

export type PasswordInput = Static<typeof PasswordInput>
export type UserInput = Static<typeof UserInput>
export type UserUpdate = c.Input<typeof UserUpdate>
export type TokenInput = Static<typeof TokenInput> & { expires?: string | null }

export const UserPage = output.Page('UserPage', 'users', Type.Ref('User'))
export const ApplicationPasswordPage = output.Page(
  'ApplicationPasswordPage',
  'application_passwords',
  Type.Ref('ApplicationPassword'),
)
export const TokenPage = output.Page('TokenPage', 'tokens', Type.Ref('Token'))
export const AccountQuery = Type.Object(c.Paging)
