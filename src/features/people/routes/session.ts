import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { SignInInput } from '../../../../schemas/people.ts'
import { openAccounts, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { isByCookie, setCookie } from '../../../kernel/access/auth.ts'
import { ApiError, forbidden, missing } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { openOwnPassword } from '../access/own-password.ts'
import { openOpening, sessionOf } from './opening.ts'

const PERMISSION = { right: 'sign in', to: 'sign in' } as const
const AREA = { tag: 'Session', permission: PERMISSION }

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
  const { users, tokens } = service.store
  const opening = openOpening(service)
  const prove = openOwnPassword(app, service.store)
  const { add } = openAccounts(app, service, AREA)
  publishBody(app, Type.Object(SignInInput.properties, { $id: 'SignInInput' }))
  const show = async ({ caller }: FastifyRequest) => ({
    ...sessionOf(await users.find(caller!.id), caller!.scopes),
    ...(caller!.limits && { limits: caller!.limits.sets }),
  })
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
    errors: ['local_sign_in_off'],
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
      'Opens a session like `POST /session`, and keeps its token in a cookie of the browser instead of showing it: scripts can not read it, and requests from other sites do not send it. A page of the service then sends `Authorization: Session` with the ID of the user. A session that the browser had before ends.\n\nRequires HTTP Basic with an application password, or a body with the login or address of a person and their own password: this from a page of the service, and without `Authorization`. Whether there is such a person is not told.',
    permission: { ...PERMISSION, anyone: true },
    answer: 'Session',
    errors: ['second_factor_required', 'local_sign_in_off'],
    body: 'SignInInput',
    async handle(request, reply) {
      if (!request.caller) {
        const { login, password } = request.body as SignInInput
        if (login == null && password == null) throw forbidden(false, PERMISSION.to)
        if (login == null || password == null) throw missing([login == null ? 'login' : 'password'])
        opening.admit(request)
        const { user, signIn } = await prove(request, login, password)
        return opening.signIn(request, reply, user, signIn)
      }
      return opening.inCookie(request, reply, ...(await proven(request)))
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
