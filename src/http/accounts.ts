import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as c from '../../schemas/common.ts'
import {
  AccountQuery,
  PasswordInput,
  SCOPES,
  TokenInput,
  UserInput,
  UserRemoval,
  UserUpdate,
} from '../../schemas/user.ts'
import { inZone, readMoment } from '../dates.ts'
import { forbidden, invalid } from '../errors.ts'
import { canAdminister, type Role } from '../roles.ts'
import type { TokenRow } from '../store/tokens.ts'
import type { PasswordRow, User } from '../store/users.ts'
import { mergeParameters } from './body.ts'
import { MAX_PER_PAGE, sendPage } from './page.ts'
import { filterTexts } from './posts.ts'
import { responses } from './responses.ts'
import type { Service } from './service.ts'
import { publishBody } from './validator.ts'

const tags = ['Users']
const LOGIN = /^[\w.@-]{1,60}$/

/** A row as it is shown: without what has no value. */
const shown = <T extends Record<string, unknown>>(row: T) =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
const showToken = ({ user_id, ...row }: TokenRow) => shown({ ...row, user: user_id })
const showUser = ({ id, login, role, disabled, created_utc }: User) => ({
  id,
  login,
  role,
  disabled,
  created_utc,
})
const showPassword = (row: PasswordRow) => shown(row)

type Account = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: string
  operation: 'list' | 'read' | 'create' | 'update' | 'delete'
  operationId: string
  summary: string
  /** Name of the component that it answers with. */
  answer: string
  query?: TObject
  body?: string
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

/** Users, their application passwords and tokens: for administrators, an addition to the specification. */
export function addAccounts(app: FastifyInstance, service: Service) {
  const { users, tokens } = service.store
  const { clock } = service.site

  publishBody(app, Type.Object(UserInput.properties, { $id: 'UserInput' }))
  publishBody(app, Type.Object(UserUpdate.properties, { $id: 'UserUpdate' }))
  publishBody(app, Type.Object(PasswordInput.properties, { $id: 'ApplicationPasswordInput' }))
  publishBody(app, Type.Object(TokenInput.properties, { $id: 'TokenInput' }))

  function add({ method, url, operation, operationId, summary, answer, query, body, handle }: Account) {
    const names = [...url.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    app.route({
      method,
      url,
      config: { operation, admin: true },
      schema: {
        operationId,
        tags,
        summary,
        ...(names.length > 0 && {
          params: Type.Object(
            Object.fromEntries(names.map((name) => [name, c.Id(name === 'id' ? 'record' : 'password')])),
          ),
        }),
        ...(query && { querystring: query }),
        ...(body && { body: Type.Ref(body) as TSchema }),
        response: responses(operation, answer),
      },
      ...(body && { preValidation: mergeParameters }),
      async handler(request, reply) {
        if (!canAdminister(request.caller))
          throw forbidden(request.caller !== undefined, 'manage users and tokens')
        const sent = await handle(request, reply)
        reply.header('cache-control', 'no-store').type('application/json; charset=utf-8')
        return reply.send(Buffer.isBuffer(sent) ? sent : JSON.stringify(sent))
      },
    })
  }

  const idOf = (request: FastifyRequest) => (request.params as { id: number }).id
  const pageOf = (request: FastifyRequest) => {
    const { page, per_page } = request.query as { page: number; per_page: number }
    return { page, per_page: Math.min(per_page, MAX_PER_PAGE) }
  }
  const list = (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    kind: string,
    rows: object[],
    total: number,
  ) => {
    const { page, per_page } = pageOf(request)
    const entries = rows.map((row) => Buffer.from(JSON.stringify(row)))
    const url = service.root(request) + request.routeOptions.url!.replace(/:id/, String(idOf(request)))
    return sendPage(reply, key, kind, entries, total, {
      url,
      page,
      perPage: per_page,
      filters: filterTexts(request, AccountQuery),
    })
  }
  const created = (request: FastifyRequest, reply: FastifyReply, path: string) =>
    reply.code(201).header('location', `${service.root(request)}${path}`)

  add({
    ...{
      method: 'GET',
      url: '/users',
      operation: 'list',
      operationId: 'listUsers',
      summary: 'List users',
      answer: 'UserPage',
      query: AccountQuery,
    },
    handle: async (request, reply) =>
      list(
        request,
        reply,
        'users',
        'user',
        (await users.list(pageOf(request))).map(showUser),
        await users.count(),
      ),
  })
  add({
    ...{
      method: 'POST',
      url: '/users',
      operation: 'create',
      operationId: 'createUser',
      summary: 'Add a user',
      answer: 'NewUser',
      body: 'UserInput',
    },
    async handle(request, reply) {
      const { login, role } = request.body as { login: string; role: Role }
      if (!LOGIN.test(login)) throw invalid({ login: 'must have 1 to 60 letters, digits, and . _ - @.' })
      const user = await users.add(login, role)
      if (!user) throw invalid({ login: `There is a user "${login}" already.` })
      created(request, reply, `/users/${user.id}`)
      return { ...showUser(user), password: user.password }
    },
  })
  add({
    ...{
      method: 'GET',
      url: '/users/:id',
      operation: 'read',
      operationId: 'getUser',
      summary: 'Read a user',
      answer: 'User',
    },
    handle: async (request) => showUser(await users.find(idOf(request))),
  })
  add({
    ...{
      method: 'PATCH',
      url: '/users/:id',
      operation: 'update',
      operationId: 'updateUser',
      summary: 'Change the role of a user, or disable one',
      answer: 'User',
      body: 'UserUpdate',
    },
    handle: async (request) =>
      showUser(await users.update(idOf(request), request.body as { role?: Role; disabled?: boolean })),
  })
  add({
    ...{
      method: 'DELETE',
      url: '/users/:id',
      operation: 'delete',
      operationId: 'deleteUser',
      summary: 'Remove a user with all credentials',
      answer: 'User',
      query: UserRemoval,
    },
    handle: async (request) =>
      showUser(await users.remove(idOf(request), (request.query as { reassign?: number }).reassign)),
  })

  const PASSWORDS = '/users/:id/application-passwords'
  add({
    ...{
      method: 'GET',
      url: PASSWORDS,
      operation: 'list',
      operationId: 'listApplicationPasswords',
      summary: 'List the application passwords of a user',
      answer: 'ApplicationPasswordPage',
      query: AccountQuery,
    },
    async handle(request, reply) {
      const { id } = await users.find(idOf(request))
      const { page, per_page } = pageOf(request)
      const all = (await users.passwords(id)).map(showPassword)
      return list(
        request,
        reply,
        'application_passwords',
        'application-password',
        all.slice((page - 1) * per_page, page * per_page),
        all.length,
      )
    },
  })
  add({
    ...{
      method: 'POST',
      url: PASSWORDS,
      operation: 'create',
      operationId: 'createApplicationPassword',
      summary: 'Make an application password',
      answer: 'NewApplicationPassword',
      body: 'ApplicationPasswordInput',
    },
    async handle(request, reply) {
      const row = await users.addPassword(idOf(request), (request.body as { name: string }).name)
      created(request, reply, `/users/${idOf(request)}/application-passwords`)
      return shown(row)
    },
  })
  add({
    ...{
      method: 'DELETE',
      url: `${PASSWORDS}/:password_id`,
      operation: 'delete',
      operationId: 'deleteApplicationPassword',
      summary: 'Revoke an application password',
      answer: 'ApplicationPassword',
    },
    async handle(request) {
      const { id, password_id } = request.params as { id: number; password_id: number }
      return showPassword(await users.removePassword(id, password_id))
    },
  })

  add({
    ...{
      method: 'GET',
      url: '/tokens',
      operation: 'list',
      operationId: 'listTokens',
      summary: 'List tokens',
      answer: 'TokenPage',
      query: AccountQuery,
    },
    handle: async (request, reply) =>
      list(
        request,
        reply,
        'tokens',
        'token',
        (await tokens.list(pageOf(request))).map(showToken),
        await tokens.count(),
      ),
  })
  add({
    ...{
      method: 'POST',
      url: '/tokens',
      operation: 'create',
      operationId: 'createToken',
      summary: 'Make a token',
      answer: 'NewToken',
      body: 'TokenInput',
    },
    async handle(request, reply) {
      const { user, name, scopes, expires } = request.body as TokenInput
      const until = expires ? inZone(readMoment(expires, { now: clock(), zone: 'UTC' })!, 'UTC') : null
      const { token, ...row } = await tokens.add(user, name, scopes ?? [...SCOPES], until)
      created(request, reply, '/tokens')
      return { ...showToken(row), token }
    },
  })
  add({
    ...{
      method: 'DELETE',
      url: '/tokens/:id',
      operation: 'delete',
      operationId: 'deleteToken',
      summary: 'Revoke a token',
      answer: 'Token',
    },
    handle: async (request) => showToken(await tokens.remove(idOf(request))),
  })
}
