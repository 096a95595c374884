import { type Static, Type } from '@sinclair/typebox'
import { NewToken, Token, User } from './user.ts'

const { scopes, expires_utc } = Token.properties
const Members = {
  user: Type.Integer({ minimum: 1, description: 'ID of the user who has signed in.' }),
  login: User.properties.login,
  role: User.properties.role,
  scopes,
  expires_utc,
}

export const Session = Type.Object(Members, {
  $id: 'Session',
  description: 'Who the credentials of a request belong to, and what they allow.',
})
export const NewSession = Type.Object(
  { ...Members, token: NewToken.properties.token },
  { $id: 'NewSession', description: 'A new session with its Bearer token.' },
)

export const OwnPassword = Type.Object({
  login: Type.Optional(
    Type.String({ maxLength: 60, description: 'Login of the user. Case is ignored.', examples: ['berta'] }),
  ),
  password: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'The own password of the user, not an application password.',
      examples: ['correct horse battery staple'],
    }),
  ),
})
export type OwnPassword = Static<typeof OwnPassword>
