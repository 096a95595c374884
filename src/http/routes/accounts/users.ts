import { Type } from '@sinclair/typebox'
import { SCOPES, UserInput, UserRemoval, UserUpdate } from '../../../../schemas/user.ts'
import { ROLES } from '../../../rules/roles.ts'
import type { User } from '../../../store/store.ts'
import { invalid } from '../../../support/errors.ts'
import { actorOf } from '../../access/audit.ts'
import { checkGiven, checkScopes } from '../../access/rights.ts'
import { publishBody } from '../../input/validator.ts'
import { family } from '../../resource/service.ts'
import { openAccounts, paramsOf } from './accounts.ts'

const show = ({ id, login, role, disabled, created_utc, limits }: User) => ({
  id,
  login,
  role,
  disabled,
  ...(limits && { limits }),
  created_utc,
})

/** Whether a change gives the credentials of a user more than they had. */
const raises = (before: User, { role, disabled, limits }: UserUpdate) =>
  (limits !== undefined && before.limits !== null) ||
  (disabled === false && before.disabled) ||
  (role && ROLES.indexOf(role) > ROLES.indexOf(before.role))

/** Users: list, add, read, change, remove. */
export const userRoutes = family('users', async (app, service) => {
  const { site, store } = service
  const { users } = store
  const { add, list, created } = openAccounts(app, service)
  publishBody(app, Type.Object(UserInput.properties, { $id: 'UserInput' }))
  publishBody(app, Type.Object(UserUpdate.properties, { $id: 'UserUpdate' }))

  list({
    kind: 'user',
    plural: 'users',
    url: '/users',
    operationId: 'listUsers',
    summary: 'List users',
    description:
      'Returns users with their roles, ordered by ID. Requires the role `administrator` and, with a token, the scope `admin`; so do all operations on users and tokens, except those on the application passwords of the caller. Times are in UTC.',
    errors: ['user-archive-page-not-found'],
    answer: 'UserPage',
    find: async (paging) => ({ rows: (await users.list(paging)).map(show), total: await users.count() }),
  })
  add({
    method: 'POST',
    url: '/users',
    operation: 'create',
    operationId: 'createUser',
    summary: 'Add a user',
    description:
      'Creates a user with a first application password, which is shown only in this response. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['insufficient_user_authentication'],
    answer: 'NewUser',
    body: 'UserInput',
    async handle(request, reply) {
      checkGiven(request, site.clock())
      const { login, role, limits = null } = request.body as UserInput
      if (!users.isLogin(login))
        throw invalid({ login: 'must have 1 to 60 characters: letters, digits, and . _ - @.' })
      const user = await users.add(login, role, { by: actorOf(request), limits })
      if (!user) throw invalid({ login: `A user "${login}" exists already.` })
      created(request, reply, `/users/${user.id}`)
      return { ...show(user), password: user.password }
    },
  })
  add({
    method: 'GET',
    url: '/users/:id',
    operation: 'read',
    operationId: 'getUser',
    summary: 'Read a user',
    description: 'Returns one user. Times are in UTC.',
    errors: ['user-not-found'],
    answer: 'User',
    handle: async (request) => show(await users.find(paramsOf(request).id)),
  })
  add({
    method: 'PATCH',
    url: '/users/:id',
    operation: 'update',
    operationId: 'updateUser',
    summary: 'Change the role or the limits of a user, or disable one',
    description:
      'Changes the fields that are sent and keeps the others. Disabling ends all sessions of the user. A token needs all scopes to raise a role, to change limits and to enable a user, because the passwords of the user have all. The last administrator can not be disabled or get another role.',
    errors: ['user-not-found'],
    answer: 'User',
    body: 'UserUpdate',
    async handle(request) {
      const set = request.body as UserUpdate
      const changed = await users.update(paramsOf(request).id, set, actorOf(request), (before) => {
        if (raises(before, set)) checkScopes(request, SCOPES, 'raise a role, change limits or enable a user')
      })
      return show(changed)
    },
  })
  add({
    method: 'DELETE',
    url: '/users/:id',
    operation: 'delete',
    operationId: 'deleteUser',
    summary: 'Delete a user with all credentials',
    description:
      'Deletes the user with all passwords and tokens. If the user owns records, `reassign` must name their new owner; otherwise the response is 400. A token needs all scopes to give records to another owner.',
    errors: ['user-not-found'],
    answer: 'User',
    query: UserRemoval,
    async handle(request) {
      const { reassign } = request.query as { reassign?: number }
      if (reassign !== undefined) checkScopes(request, SCOPES, 'give records to another owner')
      return show(await users.remove(paramsOf(request).id, reassign, actorOf(request)))
    },
  })
})
