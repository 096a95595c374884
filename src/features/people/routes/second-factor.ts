import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { SecondFactorInput } from '../../../../schemas/factors.ts'
import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven } from '../../../kernel/access/rights.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { OWN_CREDENTIALS } from './passwords.ts'

const ONE = '/users/:id/totp'

/** The user whose ID is in the path, who must be the caller and have proven that just now. Throws 403 and 401. */
export async function provenSelf(request: FastifyRequest, { store, site }: Service): Promise<User> {
  const user = await store.users.find(paramsOf(request).id)
  if (user.id !== request.caller!.id)
    throw new ApiError('rest_forbidden', 'Only the user may do this, whatever the role of others.')
  checkGiven(request, site.clock())
  return user
}

/** The second factor of a user: codes that a program shows, and recovery codes. */
export const secondFactorRoutes = family('second factors', async (app, service) => {
  const { site, store } = service
  const { users, secondFactors } = store
  const { add } = openAccounts(app, service, OWN_CREDENTIALS)
  publishBody(app, Type.Object(SecondFactorInput.properties, { $id: 'SecondFactorInput' }))
  const state = async (id: number) => shown(await secondFactors.state(id))
  const none = (id: number) => new ApiError('second-factor-not-found', `User ${id} has no second factor.`)

  add({
    method: 'GET',
    url: ONE,
    operation: 'read',
    operationId: 'getSecondFactor',
    summary: 'Read whether a user has a second factor',
    description:
      'Returns whether signing in with the own password of the user asks for a code as well, and how many recovery codes are left. Every user may read this of themselves, and an administrator of all. Times are in UTC.',
    errors: ['user-not-found'],
    answer: 'SecondFactor',
    handle: async (request) => state((await users.find(paramsOf(request).id)).id),
  })
  add({
    method: 'POST',
    url: ONE,
    operation: 'create',
    operationId: 'createSecondFactor',
    summary: 'Prepare a second factor',
    description:
      'Makes a secret for codes that change every 30 seconds (RFC 6238: SHA-1, six digits), which is shown only in this response. It is not active before it is confirmed, and an earlier one goes on working until then. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'NewSecondFactor',
    async handle(request, reply) {
      const user = await provenSelf(request, service)
      reply.code(201)
      return secondFactors.prepare(user, service.look().name)
    },
  })
  add({
    method: 'POST',
    url: `${ONE}/confirm`,
    operation: 'create',
    operationId: 'confirmSecondFactor',
    summary: 'Confirm a second factor',
    description:
      'Makes a prepared secret active, if the code is one of it, in place of an earlier one. Returns ten recovery codes, which are shown only in this response and replace all earlier ones. After five wrong codes the secret has to be prepared anew.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'RecoveryCodes',
    body: 'SecondFactorInput',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const { ticket, code } = request.body as SecondFactorInput
      const codes = await secondFactors.confirm(id, ticket, code, actorOf(request))
      if (codes === 'ended')
        throw invalid({ ticket: 'is unknown, was used, or has ended. Prepare a new secret.' })
      if (codes === 'wrong')
        throw invalid({ code: 'is wrong, or not of now. Check the clock of the device.' })
      reply.code(201)
      return { codes }
    },
  })
  add({
    method: 'DELETE',
    url: ONE,
    operation: 'delete',
    operationId: 'deleteSecondFactor',
    summary: 'Remove a second factor',
    description:
      'Removes the secret and all recovery codes of a user: the own password alone signs in again. Users may do this for themselves, and administrators for those who lost their device. The caller must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'second-factor-not-found', 'insufficient_user_authentication'],
    except: ['rest_invalid_param'],
    answer: 'SecondFactor',
    async handle(request) {
      const { id } = await users.find(paramsOf(request).id)
      checkGiven(request, site.clock())
      const before = await state(id)
      if (!(await secondFactors.remove(id, actorOf(request)))) throw none(id)
      return before
    },
  })
  add({
    method: 'POST',
    url: '/users/:id/recovery-codes',
    operation: 'create',
    operationId: 'createRecoveryCodes',
    summary: 'Make new recovery codes',
    description:
      'Returns ten recovery codes, which are shown only in this response and replace all earlier ones. Each works once in place of a code. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'second-factor-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'RecoveryCodes',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const codes = await secondFactors.renewCodes(id, actorOf(request))
      if (!codes) throw none(id)
      reply.code(201)
      return { codes }
    },
  })
})
