import { Type } from '@sinclair/typebox'
import { PasswordInput } from '../../../../schemas/user.ts'
import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven } from '../../../kernel/access/rights.ts'
import { publishBody } from '../../../kernel/input/validator.ts'

const ALL = '/users/:id/application-passwords'
const ONE = `${ALL}/:password_id`

/** What every user may do with their own credentials, and administrators with those of all. */
export const OWN_CREDENTIALS = {
  tag: 'Users',
  permission: { right: 'manage users and tokens', to: 'manage users and tokens', own: true },
} as const

/** The application passwords of a user, for administrators and for the user: list, make, read, revoke. */
export const passwordRoutes = family('passwords', async (app, service) => {
  const { site, store } = service
  const { users } = store
  const { add, list, created } = openAccounts(app, service, OWN_CREDENTIALS)
  publishBody(app, Type.Object(PasswordInput.properties, { $id: 'ApplicationPasswordInput' }))

  list({
    kind: 'application-password',
    plural: 'application_passwords',
    url: ALL,
    operationId: 'listApplicationPasswords',
    summary: 'List the application passwords of a user',
    description:
      'Returns the application passwords of a user, ordered by ID, without the passwords themselves. Every user may manage their own application passwords, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'application-password-archive-page-not-found'],
    answer: 'ApplicationPasswordPage',
    async find({ page, per_page }, { id }) {
      const all = await users.passwords((await users.find(id)).id)
      return { rows: all.slice((page - 1) * per_page, page * per_page).map(shown), total: all.length }
    },
  })
  add({
    method: 'POST',
    url: ALL,
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
    url: ONE,
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
    url: ONE,
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
