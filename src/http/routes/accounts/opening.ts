import type { FastifyReply, FastifyRequest } from 'fastify'
import { SCOPES } from '../../../../schemas/user.ts'
import { type Actor, FACTOR_LASTS, type Opener, type SignIn, type User } from '../../../store/store.ts'
import { ApiError } from '../../../support/errors.ts'
import { actorOf } from '../../access/audit.ts'
import { setCookie, tokenIn } from '../../access/session-cookie.ts'
import type { Service } from '../../resource/service.ts'

/** How long a session lasts: a day of work. */
const LASTS = 12 * 3_600_000

/** A session as its user is shown it. */
export const sessionOf = ({ id, login, role }: User, scopes: readonly string[] = SCOPES) => ({
  ...{ user: id, login, role, scopes },
})

/** Who signs in, and from where: the caller, or who has just proven to be this user. */
const actorFor = (request: FastifyRequest, { id, role }: User): Actor => ({
  ...actorOf(request),
  caller: request.caller ?? { id, role },
})

/** Opens sessions for users who have proven who they are. */
export function openOpening({ store, root }: Pick<Service, 'store' | 'root'>) {
  const { tokens, sessions, secondFactors } = store
  /** Opens a session with what the user proved who they are. Returns its token, and when it ends in UTC. */
  async function open(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    await sessions.sweep(user.id)
    const { token, expires_utc } = await tokens.addSession(user.id, opener, LASTS, actorFor(request, user))
    reply.code(201).header('location', `${root(request)}/session`)
    return { token, shown: { ...sessionOf(user), expires_utc } }
  }
  /** Opens a session in a cookie of the browser, in place of the one that it had. Returns it as shown. */
  async function inCookie(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    const { token, shown } = await open(request, reply, user, opener)
    const before = await tokens.find(tokenIn(request.headers) ?? '')
    if (before) await tokens.remove(before.token.id, actorFor(request, user))
    setCookie(request, reply, root(request), token, LASTS / 1000)
    return shown
  }
  return {
    open,
    inCookie,
    /**
     * Opens a session in a cookie for a user whose own password was right. Throws 401 `second_factor_required` if the user has a second
     * factor: its ticket opens the session at `/session/factor`.
     */
    async signIn(request: FastifyRequest, reply: FastifyReply, user: User, signIn: Pick<SignIn, 'id'>) {
      const ticket = await secondFactors.ask(user, signIn)
      if (ticket === undefined) return inCookie(request, reply, user, { sign_in_id: signIn.id })
      throw new ApiError(
        'second_factor_required',
        'The password is right, and a second factor is required. Send the ticket with a code to /session/factor.',
        { ticket, ways: ['totp', 'recovery'], expires_in: FACTOR_LASTS / 1_000 },
      )
    },
  }
}
