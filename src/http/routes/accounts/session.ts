import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { OwnPassword } from '../../../../schemas/session.ts'
import { ApiError, forbidden } from '../../../support/errors.ts'
import { verifyPassword } from '../../../support/passwords.ts'
import { openSemaphore } from '../../../support/semaphore.ts'
import { actorOf } from '../../access/audit.ts'
import { isByCookie, mustBeOwn, setCookie } from '../../access/session-cookie.ts'
import { publishBody } from '../../input/validator.ts'
import { family } from '../../resource/service.ts'
import { openAccounts, shown } from './accounts.ts'
import { openOpening, sessionOf } from './opening.ts'

const PERMISSION = { right: 'sign in', to: 'sign in' } as const
const AREA = { tag: 'Session', permission: PERMISSION }

/** The scrypt hash of no password. */
const NOBODYS = `scrypt:${Buffer.alloc(16).toString('base64')}:${Buffer.alloc(32).toString('base64')}`

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
  const { users, tokens, signIns } = service.store
  const opening = openOpening(service)
  const { add } = openAccounts(app, service, AREA)
  publishBody(app, Type.Object(OwnPassword.properties, { $id: 'OwnPassword' }))
  const inTurn = openSemaphore(1, 100)
  const show = async ({ caller }: FastifyRequest) => sessionOf(await users.find(caller!.id), caller!.scopes)
  /** The caller, who has proven an application password, and that password. */
  async function proven(request: FastifyRequest) {
    if (tokenOf(request) !== undefined)
      throw new ApiError(
        'rest_forbidden',
        'A token can not sign in. Use HTTP Basic with a login and an application password.',
      )
    const user = await users.find(request.caller!.id)
    return [user, { password_id: credentialOf(request).id }] as const
  }

  /** The user whose own password this is, and that password. Whether there is such a user is told neither by the answer nor by the work. */
  async function proveOwn(request: FastifyRequest, { login, password }: Required<OwnPassword>) {
    const { logins, addresses } = app.guesses
    const aim = users.isLogin(login) ? login.toLowerCase() : ''
    await logins.check(request, aim)
    await addresses.check(request)
    const user = await users.byLogin(login)
    const [own] = await signIns.list(user?.id ?? 0, 'password')
    const isRight = await inTurn(() => verifyPassword(password, own?.secret ?? NOBODYS))
    if (isRight && !user!.disabled) return [user!, own!] as const
    const code = isRight ? 'invalid_username' : 'incorrect_password'
    app.audited.failure(request, code, user)
    const message = isRight ? 'The user is disabled.' : 'The login or the password is wrong.'
    throw (await addresses.fail(request)) ?? (await logins.fail(request, aim)) ?? new ApiError(code, message)
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
      const { token, shown } = await opening.open(request, reply, ...(await proven(request)))
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
      'Opens a session like `POST /session`, and keeps its token in a cookie of the browser instead of showing it: scripts can not read it, and requests from other sites do not send it. A page of the service then sends `Authorization: Session` with the ID of the user. A session that the browser had before ends.\n\nRequires HTTP Basic with an application password, or a body with the login and the own password of a user, which only pages of the service may send. A user with a second factor then gets 401 `second_factor_required`, with a ticket for `POST /session/factor`.',
    permission: null,
    errors: ['second_factor_required'],
    body: 'OwnPassword',
    answer: 'Session',
    except: ['rest_missing_callback_param'],
    async handle(request, reply) {
      const { login, password } = request.body as OwnPassword
      if (request.caller) return opening.inCookie(request, reply, ...(await proven(request)))
      if (login === undefined || password === undefined) throw forbidden(false, 'sign in')
      mustBeOwn(request, service.base)
      return opening.signIn(request, reply, ...(await proveOwn(request, { login, password })))
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
