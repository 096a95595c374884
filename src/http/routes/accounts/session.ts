import type { FastifyReply, FastifyRequest } from 'fastify'
import { SCOPES } from '../../../../schemas/user.ts'
import { ApiError } from '../../../support/errors.ts'
import { actorOf } from '../../access/audit.ts'
import { isByCookie, setCookie, tokenIn } from '../../access/session-cookie.ts'
import { family } from '../../resource/service.ts'
import { openAccounts, shown } from './accounts.ts'

const PERMISSION = { right: 'sign in', to: 'sign in' } as const
const AREA = { tag: 'Session', permission: PERMISSION }
/** How long a session lasts: a day of work. */
const LASTS = 12 * 3_600_000

/** The kind and the ID of the credential that a request was made with. */
const credentialOf = ({ caller }: FastifyRequest) => {
  const [kind, id] = caller!.credential!.split(' ')
  return { kind, id: Number(id) }
}
/** The ID of the token that a request was made with; undefined with a password. */
const tokenOf = (request: FastifyRequest) => {
  const { kind, id } = credentialOf(request)
  return kind === 'token' ? id : undefined
}

/** Signing in and out: a password becomes a token that expires. For every role, unlike the other operations on tokens. */
export const sessionRoutes = family('session', async (app, service) => {
  const { users, tokens, sessions } = service.store
  const { add } = openAccounts(app, service, AREA)
  const show = async ({ caller }: FastifyRequest) => {
    const { id, role } = caller!
    return { user: id, login: (await users.find(id)).login, role, scopes: caller!.scopes ?? SCOPES }
  }
  /** Opens a session of the caller, who has proven a password. */
  async function open(request: FastifyRequest, reply: FastifyReply) {
    if (tokenOf(request) !== undefined)
      throw new ApiError(
        'rest_forbidden',
        'A token can not sign in. Use HTTP Basic with a login and an application password.',
      )
    const user = request.caller!.id
    await sessions.sweep(user)
    const { id } = credentialOf(request)
    const { token, expires_utc } = await tokens.addSession(user, id, LASTS, actorOf(request))
    reply.code(201).header('location', `${service.root(request)}/session`)
    return { token, shown: { ...(await show(request)), expires_utc } }
  }

  add({
    method: 'GET',
    url: '/session',
    operation: 'read',
    operationId: 'getSession',
    summary: 'Read who has signed in',
    description:
      'Returns the user whom the credentials of the request belong to, with the role and scopes that decide what may be done. Times are in UTC.',
    answer: 'Session',
    async handle(request) {
      const token = tokenOf(request)
      const { expires_utc = null } = token === undefined ? {} : await tokens.read(token)
      return shown({ ...(await show(request)), expires_utc })
    },
  })
  add({
    method: 'POST',
    url: '/session',
    operation: 'create',
    operationId: 'createSession',
    summary: 'Sign in',
    description:
      'Returns a Bearer token of the caller, which expires after 12 hours and is shown only in this response. It ends earlier if the application password is revoked, or the user disabled or removed. Requires HTTP Basic with an application password: a token can not extend itself.',
    answer: 'NewSession',
    except: ['rest_invalid_param', 'rest_missing_callback_param', 'rest_unsupported_media_type'],
    async handle(request, reply) {
      const { token, shown } = await open(request, reply)
      return { ...shown, token }
    },
  })
  add({
    method: 'POST',
    url: '/session/cookie',
    operation: 'create',
    operationId: 'createCookieSession',
    summary: 'Sign in a browser',
    description:
      'Opens a session like `POST /session`, and keeps its token in a cookie of the browser instead of showing it: scripts can not read it, and requests from other sites do not send it. A page of the service then sends `Authorization: Session` with the ID of the user. A session that the browser had before ends. Requires HTTP Basic with an application password.',
    answer: 'Session',
    except: ['rest_invalid_param', 'rest_missing_callback_param', 'rest_unsupported_media_type'],
    async handle(request, reply) {
      const { token, shown } = await open(request, reply)
      const before = await tokens.find(tokenIn(request.headers) ?? '')
      if (before) await tokens.remove(before.token.id, actorOf(request))
      setCookie(request, reply, service.root(request), token, LASTS / 1000)
      return shown
    },
  })
  add({
    method: 'DELETE',
    url: '/session',
    operation: 'delete',
    operationId: 'deleteSession',
    summary: 'Sign out',
    description:
      'Revokes the token of the request at once, whatever its scopes, and removes the cookie that the request was made with. A password has no token, so it gets 403.',
    permission: { ...PERMISSION, scopes: [] },
    except: ['rest_invalid_param'],
    answer: 'Session',
    async handle(request, reply) {
      const token = tokenOf(request)
      if (token === undefined)
        throw new ApiError(
          'rest_forbidden',
          'A password can not sign out. Send the token that is to be revoked as Bearer.',
        )
      const session = await show(request)
      if (isByCookie(request.headers)) setCookie(request, reply, service.root(request), 'ended', 0)
      const { expires_utc } = await tokens.remove(token, actorOf(request))
      return shown({ ...session, expires_utc })
    },
  })
})
