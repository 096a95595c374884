import { type Static, Type } from '@sinclair/typebox'
import * as c from './common.ts'
import { NewToken, Token, User } from './user.ts'

/** The own password that is set; its other rules are those of NIST SP 800-63B. */
const NewPassword = Type.String({
  maxLength: 200,
  [c.Declared]: Type.String({ minLength: 10, maxLength: 200 }),
  description:
    'The new password: 10 to 200 characters. Not the login, the name or the address of its user, and not one that many people use. There are no other rules.',
  examples: ['three cups of green tea'],
})
const Ticket = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'What stands in the link after the last `/`. It works once, until its time.',
  examples: ['Zq1xWc0v2Jd7mN4bT8yRkL5sHfAeUgPi'],
})
const Called = Type.String({
  minLength: 1,
  maxLength: 254,
  description: 'Login of the user, or address of mail. Case is ignored.',
  examples: ['berta'],
})

export const SignInInput = Type.Object({
  login: Type.Optional(Called),
  password: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The own password of the user.',
      examples: ['three cups of green tea'],
    }),
  ),
})
export const OwnPasswordInput = Type.Object({
  password: NewPassword,
  present: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The own password as it is. It stands for a sign-in of the last 10 minutes.',
      examples: ['a garden full of bees'],
    }),
  ),
})
export const InvitationAcceptance = Type.Object({ ticket: Ticket, password: NewPassword })
export const PasswordResetInput = Type.Object({ login: Called })
export const PasswordResetConfirmation = Type.Object({ ticket: Ticket, password: NewPassword })

const InvitationMembers = {
  mailed: Type.Boolean({ description: 'Whether the link was mailed to the user.' }),
  url: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'The link for the user, if it was not mailed. It is shown only in this response.',
    }),
  ),
  expires_utc: Type.String({ description: `Time at which the link ends, in UTC. Format: \`${c.Wall}\`.` }),
}
export const Invitation = Type.Object(InvitationMembers, {
  $id: 'Invitation',
  description: 'A link with which a user chooses an own password. It works once.',
})
export const NewUser = Type.Object(
  {
    ...User.properties,
    password: Type.Optional(
      Type.String({
        description:
          'First application password of the user, who was not invited. It is shown only in this response.',
      }),
    ),
    invitation: Type.Optional(Type.Ref('Invitation')),
  },
  { $id: 'NewUser', description: 'A new user with a first application password, or with an invitation.' },
)
export const PasswordReset = Type.Object(
  {
    mails: Type.Boolean({
      description: 'Whether the service sends mail at all. Whether somebody is called so is not told.',
    }),
  },
  { $id: 'PasswordReset', description: 'That a new password was asked for.' },
)
export const OwnPassword = Type.Object(
  { login: User.properties.login },
  { $id: 'OwnPassword', description: 'Whose password was set.' },
)

export type SignInInput = Static<typeof SignInInput>
export type OwnPasswordInput = { password: string; present?: string | null }
export type InvitationAcceptance = Static<typeof InvitationAcceptance>
export type PasswordResetInput = Static<typeof PasswordResetInput>

const { scopes, expires_utc } = Token.properties
const Members = {
  user: Type.Integer({ minimum: 1, description: 'ID of the user who has signed in.' }),
  login: User.properties.login,
  name: User.properties.name,
  role: User.properties.role,
  scopes,
  expires_utc,
  limits: Type.Optional(
    Type.Array(Type.Ref('RightLimits'), {
      description:
        'The limits of the user and of the token, all of which have to allow an event, with the categories below and the translations that there are now; absent if the rights hold for all events.',
    }),
  ),
}

export const Session = Type.Object(Members, {
  $id: 'Session',
  description: 'Who the credentials of a request belong to, and what they allow.',
})
export const NewSession = Type.Object(
  { ...Members, token: NewToken.properties.token },
  { $id: 'NewSession', description: 'A new session with its Bearer token.' },
)
