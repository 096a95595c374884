import type { FastifyRequest } from 'fastify'
import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { SessionRow } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { OWN_CREDENTIALS } from './passwords.ts'

const ALL = '/users/:id/sessions'
const ONE = `${ALL}/:session_id`

const show = (request: FastifyRequest, { password_id, ...row }: SessionRow) =>
  shown({
    ...row,
    application_password: password_id,
    current: request.caller!.credential === `token ${row.id}`,
  })

/** The sessions of a user, for administrators and for the user: list, read, end. */
export const openSessionRoutes = family('open sessions', async (app, service) => {
  const { users, sessions } = service.store
  const { add, list } = openAccounts(app, service, OWN_CREDENTIALS)

  list({
    kind: 'session',
    plural: 'sessions',
    url: ALL,
    operationId: 'listUserSessions',
    summary: 'List the sessions of a user',
    description:
      'Returns the sessions of a user that have not ended, ordered by ID, each with the application password that opened it. Every user may see and end their own sessions, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'session-archive-page-not-found'],
    answer: 'UserSessionPage',
    async find(paging, { id }, request) {
      const { rows, total } = await sessions.list((await users.find(id)).id, paging)
      return { rows: rows.map((row) => show(request, row)), total }
    },
  })
  add({
    method: 'GET',
    url: ONE,
    operation: 'read',
    operationId: 'getUserSession',
    summary: 'Read a session of a user',
    description:
      'Returns when a session was opened and with which application password, without its token. Times are in UTC.',
    errors: ['session-not-found'],
    answer: 'UserSession',
    async handle(request) {
      const { id, session_id } = paramsOf(request)
      return show(request, await sessions.read(id, session_id))
    },
  })
  add({
    method: 'DELETE',
    url: ONE,
    operation: 'delete',
    operationId: 'deleteUserSession',
    summary: 'End a session of a user',
    description: 'Ends a session at once, wherever it is used. Returns it, without its token.',
    errors: ['session-not-found'],
    except: ['rest_invalid_param'],
    answer: 'UserSession',
    async handle(request) {
      const { id, session_id } = paramsOf(request)
      return show(request, await sessions.end(id, session_id, actorOf(request)))
    },
  })
})
