import { Type } from '@sinclair/typebox'
import { PasskeyInput } from '../../../../schemas/factors.ts'
import { openAccounts, paramsOf, shown } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { ALGORITHMS, partyOf, readClientData, verifyMade } from '../access/passkeys.ts'
import { CHALLENGE_LASTS } from '../store/passkeys.ts'
import { OWN_CREDENTIALS } from './passwords.ts'
import { provenSelf } from './second-factor.ts'

/** The refusal of a challenge that can not be used. */
const ended = () => invalid({ client_data: 'The challenge is unknown, was used, or has ended. Begin anew.' })

const ALL = '/users/:id/passkeys'
const ONE = `${ALL}/:passkey_id`

/** The passkeys of a user: list, add, remove. */
export const passkeyRoutes = family('passkeys', async (app, service) => {
  const { users, signIns, passkeys } = service.store
  const { add, list, created } = openAccounts(app, service, OWN_CREDENTIALS)
  publishBody(app, Type.Object(PasskeyInput.properties, { $id: 'PasskeyInput' }))
  const party = partyOf(service.base)
  const show = (row: SignIn) => {
    const { id, name, created_utc, last_used_utc } = row
    return shown({ id, name, synced: passkeys.keyOf(row).synced, created_utc, last_used_utc })
  }
  const missing = (user: number, id: number) =>
    new ApiError('passkey-not-found', `User ${user} has no passkey with ID ${id}.`)

  list({
    kind: 'passkey',
    plural: 'passkeys',
    url: ALL,
    operationId: 'listPasskeys',
    summary: 'List the passkeys of a user',
    description:
      'Returns the passkeys of a user, ordered by ID. Every user may manage their own passkeys; an administrator may list and remove those of all. A token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'passkey-archive-page-not-found'],
    answer: 'PasskeyPage',
    async find({ page, per_page }, { id }) {
      const all = await signIns.list((await users.find(id)).id, 'passkey')
      return { rows: all.slice((page - 1) * per_page, page * per_page).map(show), total: all.length }
    },
  })
  add({
    method: 'POST',
    url: `${ALL}/options`,
    operation: 'create',
    operationId: 'createPasskeyOptions',
    summary: 'Begin to add a passkey',
    description:
      'Returns what `navigator.credentials.create` needs, with a challenge that works once and for 5 minutes. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'PasskeyCreation',
    async handle(request, reply) {
      const { id, login } = await provenSelf(request, service)
      const known = await signIns.list(id, 'passkey')
      reply.code(201)
      return {
        challenge: await passkeys.challenge(id),
        rp: { id: party.id, name: service.look().name },
        user: { id: await passkeys.handleOf(id), name: login, displayName: login },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_LASTS,
        attestation: 'none',
        authenticatorSelection: {
          ...{ residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
        },
        excludeCredentials: known.map(({ external }) => ({ type: 'public-key', id: external })),
      }
    },
  })
  add({
    method: 'POST',
    url: ALL,
    operation: 'create',
    operationId: 'createPasskey',
    summary: 'Add a passkey',
    description:
      'Adds a passkey that the browser made for a challenge of this user. It signs in without a login and without a second factor, because the device asks for a fingerprint, a face or a PIN. Only users themselves may do this, who must have proven who they are at most 10 minutes ago; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication'],
    answer: 'Passkey',
    body: 'PasskeyInput',
    async handle(request, reply) {
      const { id } = await provenSelf(request, service)
      const { name, ...made } = request.body as PasskeyInput
      const said = readClientData(made.client_data)
      if (!said) throw invalid({ client_data: 'must be the `clientDataJSON` of a browser.' })
      if (said.origin !== party.origin)
        throw invalid({
          client_data: `The passkey was made on a page of another site; the right one is ${party.origin}.`,
        })
      if (!(await passkeys.isOpen(said.challenge, id))) throw ended()
      const passkey = await verifyMade(party, said.challenge, made)
      if (!passkey)
        throw invalid({ attestation: 'must be what an authenticator made for this challenge and host.' })
      if (!passkey.verified)
        throw invalid({ attestation: 'The passkey was made without a fingerprint, a face or a PIN.' })
      if (!(await passkeys.redeem(said.challenge))) throw ended()
      const row = await passkeys.add(id, name, passkey, actorOf(request))
      created(request, reply, `/users/${id}/passkeys/${row.id}`)
      return show(row)
    },
  })
  add({
    method: 'GET',
    url: ONE,
    operation: 'read',
    operationId: 'getPasskey',
    summary: 'Read a passkey',
    description:
      'Returns the name of a passkey and the times of its creation and last use. Times are in UTC.',
    errors: ['user-not-found', 'passkey-not-found'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      const row = (await signIns.list((await users.find(id)).id, 'passkey')).find(
        (one) => one.id === passkey_id,
      )
      if (!row) throw missing(id, passkey_id)
      return show(row)
    },
  })
  add({
    method: 'DELETE',
    url: ONE,
    operation: 'delete',
    operationId: 'deletePasskey',
    summary: 'Remove a passkey',
    description: 'Removes a passkey at once, with the sessions that it opened. Returns it.',
    errors: ['user-not-found', 'passkey-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      const row = (await signIns.list((await users.find(id)).id, 'passkey')).find(
        (one) => one.id === passkey_id,
      )
      if (!row || !(await signIns.remove(id, passkey_id, actorOf(request)))) throw missing(id, passkey_id)
      return show(row)
    },
  })
})
