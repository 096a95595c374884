import { Type } from '@sinclair/typebox'
import { NewToken, Token, User } from './user.ts'

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
