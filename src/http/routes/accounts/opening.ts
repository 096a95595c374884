import type { FastifyReply, FastifyRequest } from 'fastify'
import { SCOPES } from '../../../../schemas/user.ts'
import type { Opener, SignIn, User } from '../../../store/store.ts'
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

/** Opens sessions for users who have proven who they are. */
export function openOpening({
  store: { tokens, sessions, people },
  root,
  localSignIn,
}: Pick<Service, 'store' | 'root' | 'localSignIn'>) {
  /** Throws 403 where people sign in with a provider alone. */
  function mustBeLocal() {
    if (localSignIn) return
    throw new ApiError('local_sign_in_off', 'One signs in to this calendar with its provider alone.')
  }
  /** Opens a session with what the user proved who they are. Returns its token, and when it ends in UTC. */
  async function open(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    await sessions.sweep(user.id)
    const by = actorOf(request)
    const { id, token, expires_utc } = await tokens.addSession(user.id, opener, LASTS, by)
    reply.code(201).header('location', `${root(request)}/session`)
    return { id, token, shown: { ...sessionOf(user), expires_utc } }
  }
  return {
    /** Opens a session with what this service knows of the user. */
    async open(...given: Parameters<typeof open>) {
      mustBeLocal()
      return open(...given)
    },
    /** Opens a session in a cookie of the browser, in place of the one that it had. Returns it as shown. */
    async inCookie(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
      mustBeLocal()
      const { token, shown } = await open(request, reply, user, opener)
      const before = await tokens.find(tokenIn(request.headers) ?? '')
      if (before) await tokens.remove(before.token.id, actorOf(request))
      setCookie(request, reply, root(request), token, LASTS / 1000)
      return shown
    },
    /**
     * Opens a session in a cookie for whom a provider vouches, in place of the token with the ID `before`. `proved` says whether the
     * provider saw the person prove who they are just then.
     */
    async fromProvider(
      request: FastifyRequest,
      reply: FastifyReply,
      user: User,
      signIn: SignIn,
      { proved, before }: { proved: boolean; before: string | undefined },
    ) {
      const { id, token } = await open(request, reply, user, { sign_in_id: signIn.id })
      if (proved) await people.prove(signIn, id)
      // it may have ended meanwhile
      if (before !== undefined && tokens.byId(Number(before)))
        await tokens.remove(Number(before), actorOf(request))
      setCookie(request, reply, root(request), token, LASTS / 1000)
    },
  }
}
