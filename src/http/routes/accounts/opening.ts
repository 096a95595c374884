import type { FastifyReply, FastifyRequest } from 'fastify'
import { SCOPES } from '../../../../schemas/user.ts'
import type { Opener, User } from '../../../store/store.ts'
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
export function openOpening({ store: { tokens, sessions, limits }, root }: Pick<Service, 'store' | 'root'>) {
  /** Opens a session with what the user proved who they are. Returns its token, and when it ends in UTC. */
  async function open(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    await sessions.sweep(user.id)
    const by = actorOf(request)
    const { token, expires_utc } = await tokens.addSession(user.id, opener, LASTS, by)
    reply.code(201).header('location', `${root(request)}/session`)
    const own = limits.of(user.limits)
    return { token, shown: { ...sessionOf(user), ...(own && { limits: own.sets }), expires_utc } }
  }
  return {
    open,
    /** Opens a session in a cookie of the browser, in place of the one that it had. Returns it as shown. */
    async inCookie(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
      const { token, shown } = await open(request, reply, user, opener)
      const before = await tokens.find(tokenIn(request.headers) ?? '')
      if (before) await tokens.remove(before.token.id, actorOf(request))
      setCookie(request, reply, root(request), token, LASTS / 1000)
      return shown
    },
  }
}
