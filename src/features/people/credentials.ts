import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { PasswordInput, SCOPES, TokenInput } from '../../../schemas/user.ts'
import { openCollection, pageOf, shown } from '../../calendar/resource/collection.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import type { Actor, SessionRow, Store, TokenRow, User } from '../../calendar/store.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { checkGiven } from '../../kernel/access/permissions.ts'
import type { TokenScope } from '../../kernel/access/rights.ts'
import { ACCOUNT_RIGHTS } from '../../kernel/access/rights.ts'
import type { SignIn, SignInKind } from '../../kernel/access/sessions.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { inZone, readMoment } from '../../kernel/time/moments.ts'

/** What administrators do with users. */
export const USERS = {
  tag: 'Users',
  permission: { right: ACCOUNT_RIGHTS['manage users and tokens'], to: 'manage users and tokens' },
  ids: { id: 'user' },
} as const

/** What every user may do with their own credentials, and administrators with those of all. */
export const OWN_CREDENTIALS = { ...USERS, permission: { ...USERS.permission, own: true } } as const

/** The kind and the ID of the credential that a request was made with, such as a `token` or a `password`. */
export function credentialOf({ caller }: FastifyRequest) {
  const [kind, id] = caller!.credential!.split(' ')
  return { kind, id: Number(id) }
}
/** The ID of the token that a request was made with; undefined with a password. */
export function tokenIdOf(request: FastifyRequest) {
  const { kind, id } = credentialOf(request)
  return kind === 'token' ? id : undefined
}

/** The user whose ID is in the path, who must be the caller and have proven that just now. Throws 403 and 401. */
export async function provenSelf(request: FastifyRequest, { store, site }: Service): Promise<User> {
  const user = await store.users.find((request.params as { id: number }).id)
  if (user.id !== request.caller!.id)
    throw new ApiError('rest_forbidden', 'Only the user may do this, whatever the role of others.')
  checkGiven(request, site.clock())
  return user
}

/** The sign-ins of one kind that users have: list, find and remove. Throws `user-not-found`, and `code` for one that the user does not have. */
export function openOwnSignIns({ users, signIns }: Store, kind: SignInKind, code: ErrorCode, noun: string) {
  const list = async (user: number) => signIns.list((await users.find(user)).id, kind)
  const known = async (user: number, id: number) => (await list(user)).find((one) => one.id === id)
  function must(row: SignIn | undefined, user: number, id: number) {
    if (row) return row
    throw new ApiError(code, `User ${user} has no ${noun} with ID ${id}.`)
  }
  return {
    list,
    find: async (user: number, id: number) => must(await known(user, id), user, id),
    remove: async (user: number, id: number, by: Actor) =>
      must((await known(user, id)) && (await signIns.remove(user, id, by)), user, id),
  }
}

const PASSWORDS = '/users/:id/application-passwords'
const PASSWORD = `${PASSWORDS}/:password_id`

/** The application passwords of a user, for administrators and for the user: list, make, read, revoke. */
export const passwordRoutes = family('passwords', async (app, service) => {
  const { site, store } = service
  const { users } = store
  const { add, list, created, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', password_id: 'application password' },
  })
  publishBody(app, Type.Object(PasswordInput.properties, { $id: 'ApplicationPasswordInput' }))

  list({
    kind: 'application-password',
    plural: 'application_passwords',
    url: PASSWORDS,
    operationId: 'listApplicationPasswords',
    summary: 'List the application passwords of a user',
    description:
      'Returns the application passwords of a user, ordered by ID, without the passwords themselves. Every user may manage their own application passwords, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'application-password-archive-page-not-found'],
    answer: 'ApplicationPasswordPage',
    find: async (paging, { id }) =>
      pageOf((await users.passwords((await users.find(id)).id)).map(shown), paging),
  })
  add({
    method: 'POST',
    url: PASSWORDS,
    operation: 'create',
    operationId: 'createApplicationPassword',
    summary: 'Create an application password',
    description:
      'Creates a password for HTTP Basic, which is shown only in this response. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'NewApplicationPassword',
    body: 'ApplicationPasswordInput',
    async handle(request, reply) {
      checkGiven(request, site.clock())
      const { id } = paramsOf(request)
      const row = await users.addPassword(id, (request.body as PasswordInput).name, actorOf(request))
      created(request, reply, `/users/${id}/application-passwords/${row.id}`)
      return shown(row)
    },
  })
  add({
    method: 'GET',
    url: PASSWORD,
    operation: 'read',
    operationId: 'getApplicationPassword',
    summary: 'Read an application password',
    description:
      'Returns the name of a password and the times of its creation and last use, without the password itself. Times are in UTC.',
    errors: ['user-not-found', 'application-password-not-found'],
    answer: 'ApplicationPassword',
    async handle(request) {
      const { id, password_id } = paramsOf(request)
      return shown(await users.findPassword(id, password_id))
    },
  })
  add({
    method: 'DELETE',
    url: PASSWORD,
    operation: 'delete',
    operationId: 'deleteApplicationPassword',
    summary: 'Revoke an application password',
    description:
      'Revokes one password at once, with the sessions that it opened. Returns it, without the password itself.',
    errors: ['user-not-found', 'application-password-not-found'],
    except: ['rest_invalid_param'],
    answer: 'ApplicationPassword',
    async handle(request) {
      const { id, password_id } = paramsOf(request)
      return shown(await users.removePassword(id, password_id, actorOf(request)))
    },
  })
})

const showToken = ({ user_id, password_id, sign_in_id, limits, ...row }: TokenRow) =>
  shown({ ...row, user: user_id, application_password: password_id, sign_in: sign_in_id, limits })

/** The scopes of a token with limits that is made without scopes. */
const LESS: TokenScope[] = ['read', 'write']

/** Bearer tokens: list, make, read, revoke. */
export const tokenRoutes = family('tokens', async (app, service) => {
  const { tokens } = service.store
  const { add, list, created, paramsOf } = openCollection(app, service, { ...USERS, ids: { id: 'token' } })
  publishBody(app, Type.Object(TokenInput.properties, { $id: 'TokenInput' }))

  list({
    kind: 'token',
    plural: 'tokens',
    url: '/tokens',
    operationId: 'listTokens',
    summary: 'List tokens',
    description:
      'Returns the Bearer tokens of all users, also those of sessions, ordered by ID, without the tokens themselves. Times are in UTC.',
    errors: ['token-archive-page-not-found'],
    answer: 'TokenPage',
    find: async (paging) => ({
      rows: (await tokens.list(paging)).map(showToken),
      total: await tokens.count(),
    }),
  })
  add({
    method: 'POST',
    url: '/tokens',
    operation: 'create',
    operationId: 'createToken',
    summary: 'Create a token',
    description:
      'Creates a Bearer token for a user, which is shown only in this response. `expires` is in UTC unless it has an offset. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'NewToken',
    body: 'TokenInput',
    async handle(request, reply) {
      const { user, name, expires, limits = null, ...body } = request.body as TokenInput
      const scopes = body.scopes ?? (limits ? LESS : [...SCOPES])
      checkGiven(request, service.site.clock(), scopes)
      const moment = expires && readMoment(expires, { now: service.site.clock(), zone: 'UTC' })
      const until = moment ? inZone(moment, 'UTC') : null
      const { token, ...row } = await tokens.add(user, name, scopes, until, actorOf(request), limits)
      created(request, reply, `/tokens/${row.id}`)
      return { ...showToken(row), token }
    },
  })
  add({
    method: 'GET',
    url: '/tokens/:id',
    operation: 'read',
    operationId: 'getToken',
    summary: 'Read a token',
    description: 'Returns the user, scopes and times of a token, without the token itself. Times are in UTC.',
    errors: ['token-not-found'],
    answer: 'Token',
    handle: async (request) => showToken(await tokens.read(paramsOf(request).id)),
  })
  add({
    method: 'DELETE',
    url: '/tokens/:id',
    operation: 'delete',
    operationId: 'deleteToken',
    summary: 'Revoke a token',
    description: 'Revokes one token at once. Returns it, without the token itself.',
    errors: ['token-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Token',
    handle: async (request) => showToken(await tokens.remove(paramsOf(request).id, actorOf(request))),
  })
})

const SESSIONS = '/users/:id/sessions'
const SESSION = `${SESSIONS}/:session_id`

const showSession = (request: FastifyRequest, { password_id, ...row }: SessionRow) =>
  shown({
    ...row,
    application_password: password_id,
    current: request.caller!.credential === `token ${row.id}`,
  })

/** The sessions of a user, for administrators and for the user: list, read, end. */
export const openSessionRoutes = family('open sessions', async (app, service) => {
  const { users, sessions } = service.store
  const { add, list, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', session_id: 'session' },
  })

  list({
    kind: 'session',
    plural: 'sessions',
    url: SESSIONS,
    operationId: 'listUserSessions',
    summary: 'List the sessions of a user',
    description:
      'Returns the sessions of a user that have not ended, ordered by ID, each with the application password that opened it. Every user may see and end their own sessions, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'session-archive-page-not-found'],
    answer: 'UserSessionPage',
    async find(paging, { id }, request) {
      const { rows, total } = await sessions.list((await users.find(id)).id, paging)
      return { rows: rows.map((row) => showSession(request, row)), total }
    },
  })
  add({
    method: 'GET',
    url: SESSION,
    operation: 'read',
    operationId: 'getUserSession',
    summary: 'Read a session of a user',
    description:
      'Returns when a session was opened and with which application password, without its token. Times are in UTC.',
    errors: ['session-not-found'],
    answer: 'UserSession',
    async handle(request) {
      const { id, session_id } = paramsOf(request)
      return showSession(request, await sessions.read(id, session_id))
    },
  })
  add({
    method: 'DELETE',
    url: SESSION,
    operation: 'delete',
    operationId: 'deleteUserSession',
    summary: 'End a session of a user',
    description: 'Ends a session at once, wherever it is used. Returns it, without its token.',
    errors: ['session-not-found'],
    except: ['rest_invalid_param'],
    answer: 'UserSession',
    async handle(request) {
      const { id, session_id } = paramsOf(request)
      return showSession(request, await sessions.end(id, session_id, actorOf(request)))
    },
  })
})
