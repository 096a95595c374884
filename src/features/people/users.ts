import { Type } from '@sinclair/typebox'
import { SCOPES, UserInput, UserRemoval, UserUpdate } from '../../../schemas/user.ts'
import { openCollection } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import type { User } from '../../calendar/store.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { checkGiven, checkScopes } from '../../kernel/access/permissions.ts'
import { has, ROLES } from '../../kernel/access/rights.ts'
import { forbidden, invalid } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { OWN_CREDENTIALS, USERS } from './credentials.ts'
import { openLetters } from './mail.ts'
import { showInvitation } from './passwords.ts'

const MANAGING = OWN_CREDENTIALS.permission

const show = ({ id, login, name, email, role, disabled, created_utc, limits }: User) => ({
  id,
  login,
  ...(name !== '' && { name }),
  ...(email !== null && { email }),
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
  const { users, people, mails } = store
  const letters = openLetters(service)
  const { add, list, created, paramsOf } = openCollection(app, service, USERS)
  publishBody(app, Type.Object(UserInput.properties, { $id: 'UserInput' }))
  publishBody(app, Type.Object(UserUpdate.properties, { $id: 'UserUpdate' }))

  list({
    kind: 'user',
    plural: 'users',
    url: '/users',
    operationId: 'listUsers',
    summary: 'List users',
    description:
      'Returns users with their roles, ordered by ID. Requires the role `administrator` and, with a token, the scope `admin`; so do all operations on users and tokens, except those on the account, the passwords and the sessions of the caller. Times are in UTC.',
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
      'Creates a user with a first application password, which is shown only in this response. With `invite` the user gets a link to choose an own password instead, which is mailed if the service sends mail and there is an address, and shown only in this response otherwise. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['insufficient_user_authentication'],
    answer: 'NewUser',
    body: 'UserInput',
    async handle(request, reply) {
      checkGiven(request, site.clock())
      const { login, role, name, email, invite, limits = null } = request.body as UserInput
      const by = actorOf(request)
      if (!users.isLogin(login))
        throw invalid({ login: 'must have 1 to 60 characters: letters, digits, and . _ - @.' })
      const taken = () => invalid({ login: `A user "${login}" exists already.` })
      if (invite) {
        const made = await people.add({ login, role, name, email, limits }, by, letters.invitation)
        if (!made) throw taken()
        created(request, reply, `/users/${made.user.id}`)
        return { ...show(made.user), invitation: showInvitation(service, made) }
      }
      const user = await users.add(login, role, { by, name, email, limits })
      if (!user) throw taken()
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
    permission: OWN_CREDENTIALS.permission,
    description: 'Returns one user, to administrators and to the user. Times are in UTC.',
    errors: ['user-not-found'],
    answer: 'User',
    handle: async (request) => show(await users.find(paramsOf(request).id)),
  })
  add({
    method: 'PATCH',
    url: '/users/:id',
    operation: 'update',
    operationId: 'updateUser',
    summary: 'Change a user or its limits, or disable one',
    permission: OWN_CREDENTIALS.permission,
    description:
      'Changes the fields that are sent and keeps the others. Users may change their own name and address; all else is for administrators. Who changes an address must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401. Disabling ends all sessions of the user. A token needs all scopes to raise a role, to change limits and to enable a user, because the passwords of the user have all. The last administrator can not be disabled or get another role.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'User',
    body: 'UserUpdate',
    async handle(request) {
      const set = request.body as UserUpdate
      const isManager = has(request.caller, MANAGING.right)
      if (!isManager && (set.role != null || set.disabled != null || set.limits !== undefined))
        throw forbidden(true, MANAGING.to)
      const check = (before: User) => {
        if (raises(before, set)) checkScopes(request, SCOPES, 'raise a role, change limits or enable a user')
        // a link for a new password goes where this says
        if (set.email != null && set.email.trim().toLowerCase() !== (before.email ?? ''))
          checkGiven(request, site.clock())
      }
      const { id } = paramsOf(request)
      const changed = await users.update(id, set, actorOf(request), check, async (tx, before, after) => {
        const { email } = before
        if (letters.moved && email !== null && email !== after.email)
          await mails.add(tx, letters.moved({ ...before, email }, ''))
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
