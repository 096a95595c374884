import { Type } from '@sinclair/typebox'
import { SCOPES, TokenInput } from '../../../../schemas/user.ts'
import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { TokenRow } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven } from '../../../kernel/access/rights.ts'
import type { TokenScope } from '../../../kernel/access/roles.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { inZone, readMoment } from '../../../kernel/time/moments.ts'

const show = ({ user_id, password_id, sign_in_id, limits, ...row }: TokenRow) =>
  shown({ ...row, user: user_id, application_password: password_id, sign_in: sign_in_id, limits })

/** The scopes of a token with limits that is made without scopes. */
const LESS: TokenScope[] = ['read', 'write']

/** Bearer tokens: list, make, read, revoke. */
export const tokenRoutes = family('tokens', async (app, service) => {
  const { tokens } = service.store
  const { add, list, created } = openAccounts(app, service)
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
    find: async (paging) => ({ rows: (await tokens.list(paging)).map(show), total: await tokens.count() }),
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
      return { ...show(row), token }
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
    handle: async (request) => show(await tokens.read(paramsOf(request).id)),
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
    handle: async (request) => show(await tokens.remove(paramsOf(request).id, actorOf(request))),
  })
})
