import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { PasskeyInput, SecondFactorInput } from '../../../../schemas/factors.ts'
import { openCollection, pageOf, shown } from '../../../calendar/resource/collection.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven } from '../../../kernel/access/permissions.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { ALGORITHMS, CHALLENGE_LASTS, partyOf, readClientData, verifyMade } from '../store/passkeys.ts'
import { OWN_CREDENTIALS } from './credentials.ts'

const TOTP = '/users/:id/totp'

/** The user whose ID is in the path, who must be the caller and have proven that just now. Throws 403 and 401. */
async function provenSelf(request: FastifyRequest, { store, site }: Service): Promise<User> {
  const user = await store.users.find((request.params as { id: number }).id)
  if (user.id !== request.caller!.id)
    throw new ApiError('rest_forbidden', 'Only the user may do this, whatever the role of others.')
  checkGiven(request, site.clock())
  return user
}

/** The second factor of a user: codes that a program shows, and recovery codes. */
export const secondFactorRoutes = family('second factors', async (app, service) => {
  const { site, store } = service
  const { users, secondFactors } = store
  const { add, paramsOf } = openCollection(app, service, OWN_CREDENTIALS)
  publishBody(app, Type.Object(SecondFactorInput.properties, { $id: 'SecondFactorInput' }))
  const state = async (id: number) => shown(await secondFactors.state(id))
  const none = (id: number) => new ApiError('second-factor-not-found', `User ${id} has no second factor.`)

  add({
    method: 'GET',
    url: TOTP,
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
    url: TOTP,
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
      return secondFactors.prepare(user, service.branding().name)
    },
  })
  add({
    method: 'POST',
    url: `${TOTP}/confirm`,
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
    url: TOTP,
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

/** The refusal of a challenge that can not be used. */
const ended = () => invalid({ client_data: 'The challenge is unknown, was used, or has ended. Begin anew.' })

const PASSKEYS = '/users/:id/passkeys'
const PASSKEY = `${PASSKEYS}/:passkey_id`

/** The passkeys of a user: list, add, remove. */
export const passkeyRoutes = family('passkeys', async (app, service) => {
  const { users, signIns, passkeys } = service.store
  const { add, list, created, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', passkey_id: 'passkey' },
  })
  publishBody(app, Type.Object(PasskeyInput.properties, { $id: 'PasskeyInput' }))
  const party = partyOf(service.base)
  const show = (row: SignIn) => {
    const { id, name, created_utc, last_used_utc } = row
    return shown({ id, name, synced: passkeys.keyOf(row).synced, created_utc, last_used_utc })
  }
  const missing = (user: number, id: number) =>
    new ApiError('passkey-not-found', `User ${user} has no passkey with ID ${id}.`)
  const passkeysOf = async (id: number) => signIns.list((await users.find(id)).id, 'passkey')
  const find = async (user: number, id: number) => (await passkeysOf(user)).find((one) => one.id === id)

  list({
    kind: 'passkey',
    plural: 'passkeys',
    url: PASSKEYS,
    operationId: 'listPasskeys',
    summary: 'List the passkeys of a user',
    description:
      'Returns the passkeys of a user, ordered by ID. Every user may manage their own passkeys; an administrator may list and remove those of all. A token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'passkey-archive-page-not-found'],
    answer: 'PasskeyPage',
    find: async (paging, { id }) => pageOf((await passkeysOf(id)).map(show), paging),
  })
  add({
    method: 'POST',
    url: `${PASSKEYS}/options`,
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
        rp: { id: party.id, name: service.branding().name },
        user: { id: await passkeys.handleOf(id), name: login, displayName: login },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
        timeout: CHALLENGE_LASTS,
        attestation: 'none',
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
        excludeCredentials: known.map(({ external }) => ({ type: 'public-key', id: external })),
      }
    },
  })
  add({
    method: 'POST',
    url: PASSKEYS,
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
    url: PASSKEY,
    operation: 'read',
    operationId: 'getPasskey',
    summary: 'Read a passkey',
    description:
      'Returns the name of a passkey and the times of its creation and last use. Times are in UTC.',
    errors: ['user-not-found', 'passkey-not-found'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      const row = await find(id, passkey_id)
      if (!row) throw missing(id, passkey_id)
      return show(row)
    },
  })
  add({
    method: 'DELETE',
    url: PASSKEY,
    operation: 'delete',
    operationId: 'deletePasskey',
    summary: 'Remove a passkey',
    description: 'Removes a passkey at once, with the sessions that it opened. Returns it.',
    errors: ['user-not-found', 'passkey-not-found'],
    except: ['rest_invalid_param'],
    answer: 'Passkey',
    async handle(request) {
      const { id, passkey_id } = paramsOf(request)
      const row = await find(id, passkey_id)
      if (!row || !(await signIns.remove(id, passkey_id, actorOf(request)))) throw missing(id, passkey_id)
      return show(row)
    },
  })
})

const LINKS = '/users/:id/provider-links'

const showLink = ({ id, name, created_utc, last_used_utc }: SignIn) =>
  shown({ id, name, created_utc, last_used_utc })

/** The links of a user with a provider, which are made by signing in there: list, remove. */
export const providerLinkRoutes = family('provider links', async (app, service) => {
  const { users, signIns } = service.store
  const { add, list, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', link_id: 'provider link' },
  })
  const linksOf = async (id: number) => signIns.list((await users.find(id)).id, 'openid')

  list({
    kind: 'provider-link',
    plural: 'provider_links',
    url: LINKS,
    operationId: 'listProviderLinks',
    summary: 'List the links of a user with a provider',
    description:
      'Returns by which accounts at a provider of OpenID Connect a user signs in, ordered by ID. Every user may list and remove their own, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'provider-link-archive-page-not-found'],
    answer: 'ProviderLinkPage',
    find: async (paging, { id }) => pageOf((await linksOf(id)).map(showLink), paging),
  })
  add({
    method: 'DELETE',
    url: `${LINKS}/:link_id`,
    operation: 'delete',
    operationId: 'deleteProviderLink',
    summary: 'Remove a link of a user with a provider',
    description:
      'Removes a link at once, with the sessions that it opened: the provider no longer signs in this user. Returns it.',
    errors: ['user-not-found', 'provider-link-not-found'],
    except: ['rest_invalid_param'],
    answer: 'ProviderLink',
    async handle(request) {
      const { id, link_id } = paramsOf(request)
      const link = (await linksOf(id)).find((one) => one.id === link_id)
      if (!link || !(await signIns.remove(id, link_id, actorOf(request))))
        throw new ApiError(
          'provider-link-not-found',
          `User ${id} has no link with a provider with ID ${link_id}.`,
        )
      return showLink(link)
    },
  })
})
