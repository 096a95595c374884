import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readAddress } from '../../rules/people.ts'
import type { SignIn, Store, User } from '../../store/store.ts'
import { ApiError } from '../../support/errors.ts'
import { clientOf } from '../limits/limits.ts'
import { openTurns } from './auth.ts'

type Proven = { user: User; signIn: SignIn }

/**
 * Returns a function that gives the user with a login or an address of mail whose own password this is, and throws 401 if it is not.
 * Whether there is such a user is told neither by the answer nor by the work. Guesses are limited like those of application passwords.
 */
export function openOwnPassword(app: FastifyInstance, { people, users }: Pick<Store, 'people' | 'users'>) {
  const inTurn = openTurns()

  async function prove(request: FastifyRequest, name: string, password: string): Promise<Proven> {
    const { logins, addresses } = app.guesses
    // texts that call nobody are counted together, so that they can not fill the memory
    const aim = users.isLogin(name) ? name : (readAddress(name) ?? '')
    await addresses.check(request)
    await logins.check(request, aim)
    const { user, signIn } = await people.verify(name, password)
    if (user && signIn && !user.disabled) return { user, signIn }
    app.audited.failure(request, 'incorrect_password', user)
    throw (
      (await addresses.fail(request)) ??
      (await logins.fail(request, aim)) ??
      new ApiError('incorrect_password', 'The login or the password is wrong.')
    )
  }

  return (request: FastifyRequest, name: string, password: string): Promise<Proven> => {
    const called = name.trim().toLowerCase()
    return inTurn(`${clientOf(request)} ${called}`, () => prove(request, called, password))
  }
}
