import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Store, User } from '../../../calendar/store.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { clientOf } from '../../../kernel/limits.ts'
import { openFairSemaphore } from '../../../kernel/tasks/semaphore.ts'

type Proven = { user: User; signIn: SignIn }

/** Passwords that are compared at a time: each takes a thread for as long as scrypt is meant to. */
const IN_WORK = { all: 1, each: 1 }
/** Those that may wait, in all and of one address. */
const WAITING = { all: 1_000, each: 30 }

/**
 * Returns a function that gives the user with a login or an address of mail whose own password this is, and throws 401 if it is not.
 * Whether there is such a user is told neither by the answer nor by the work. Guesses are limited like those of application passwords. They
 * are compared by turns of the addresses, one at a time: so many at once neither exceed the limit nor keep others waiting.
 */
export function openOwnPassword(app: FastifyInstance, { people, users }: Pick<Store, 'people' | 'users'>) {
  const semaphore = openFairSemaphore(IN_WORK, WAITING)

  async function prove(request: FastifyRequest, name: string, password: string): Promise<Proven> {
    const { logins, addresses } = app.guesses
    const aim = users.nameIn(name)
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
    return semaphore.run(clientOf(request), () => prove(request, called, password))
  }
}
