import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { FactorProof, PasskeyProof } from '../../../../schemas/factors.ts'
import { openAccounts } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { ApiError, type ErrorCode, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { isVerified, partyOf, readClientData, verifySigned } from '../access/passkeys.ts'
import { CHALLENGE_LASTS } from '../store/passkeys.ts'
import { BY_LINK } from './invitations.ts'
import { openOpening } from './opening.ts'

const AREA = { tag: 'Session', permission: { right: 'sign in', to: 'sign in' } } as const

/** What else signs in a browser: the code that follows a password, and passkeys. Everyone may try, from pages of the service. */
export const sessionStepRoutes = family('steps of signing in', async (app, service) => {
  const { store, base } = service
  const { users, signIns, secondFactors, passkeys } = store
  const opening = openOpening(service)
  const { add } = openAccounts(app, service, AREA)
  publishBody(app, Type.Object(FactorProof.properties, { $id: 'FactorProof' }))
  publishBody(app, Type.Object(PasskeyProof.properties, { $id: 'PasskeyProof' }))
  const party = partyOf(base)

  /** Counts a failure, of a login if it is known. Throws it, or 429 if there were too many. */
  async function refuse(request: FastifyRequest, error: ApiError, user?: User): Promise<never> {
    app.audited.failure(request, error.code, user)
    const { logins, addresses } = app.guesses
    throw (await addresses.fail(request)) ?? (user && (await logins.fail(request, user.login))) ?? error
  }
  const ended = () =>
    new ApiError('sign_in_ended', 'This step of signing in is unknown or has ended. Begin anew.')

  add({
    method: 'POST',
    url: '/session/factor',
    operation: 'create',
    operationId: 'createFactorSession',
    summary: 'Finish signing in with a code',
    description:
      'Opens a session in a cookie like `POST /session/cookie`, with the ticket of the refusal `second_factor_required` and a code of the user: of six digits, of now, or a recovery code. Each code works once. After five wrong codes, and after 5 minutes, the sign-in has to begin anew. For pages of the service only.',
    permission: BY_LINK,
    errors: ['incorrect_code', 'sign_in_ended', 'local_sign_in_off'],
    answer: 'Session',
    body: 'FactorProof',
    async handle(request, reply) {
      opening.admit(request)
      const { ticket, code } = request.body as FactorProof
      await app.guesses.addresses.check(request)
      const check = ({ login }: User) => app.guesses.logins.check(request, login)
      const proof = await secondFactors.prove(ticket, code, check, actorOf(request))
      if (proof.is === 'ended') return refuse(request, ended())
      const { user } = proof
      if (proof.is === 'wrong') {
        const message = 'The code is wrong, was used before, or is not of now.'
        return refuse(request, new ApiError('incorrect_code', message), user)
      }
      const { id: sign_in_id, secret } = proof.signIn
      return opening.inCookie(request, reply, user, { sign_in_id, secret })
    },
  })
  add({
    method: 'POST',
    url: '/session/passkey/options',
    operation: 'create',
    operationId: 'createPasskeyChallenge',
    summary: 'Begin to sign in with a passkey',
    description:
      'Returns what `navigator.credentials.get` needs, with a challenge that works once and for 5 minutes. It names no user: the browser offers the passkeys that it knows for this service.',
    permission: BY_LINK,
    errors: ['local_sign_in_off'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'PasskeyRequest',
    async handle(request, reply) {
      opening.mustBeLocal()
      const refused = await app.guesses.challenges.fail(request)
      if (refused) throw refused
      reply.code(201)
      return {
        ...{ challenge: await passkeys.challenge(), rpId: party.id },
        ...{ timeout: CHALLENGE_LASTS, userVerification: 'required' },
      }
    },
  })
  add({
    method: 'POST',
    url: '/session/passkey',
    operation: 'create',
    operationId: 'createPasskeySession',
    summary: 'Sign in with a passkey',
    description:
      'Opens a session in a cookie like `POST /session/cookie`, for the user whose passkey signed a challenge of `POST /session/passkey/options`. No login, password or code is required. An unknown passkey and a wrong signature get the same answer. For pages of the service only.',
    permission: BY_LINK,
    errors: [
      'incorrect_passkey',
      'passkey_origin',
      'passkey_unverified',
      'sign_in_ended',
      'local_sign_in_off',
    ],
    answer: 'Session',
    body: 'PasskeyProof',
    async handle(request, reply) {
      opening.admit(request)
      const proof = request.body as PasskeyProof
      await app.guesses.addresses.check(request)
      const said = readClientData(proof.client_data)
      if (!said) throw invalid({ client_data: 'must be the `clientDataJSON` of a browser.' })
      if (said.origin !== party.origin) return refuse(request, elsewhere(party.origin))
      if (!isVerified(proof.authenticator_data))
        return refuse(
          request,
          failure('passkey_unverified', 'Use the passkey with a fingerprint, a face or a PIN.'),
        )
      if (!(await passkeys.isOpen(said.challenge))) return refuse(request, ended())
      const { passkey, user, counter } = await identify(said.challenge, proof)
      const unknown = failure(
        'incorrect_passkey',
        'The passkey is unknown here, or did not sign what it was asked to.',
      )
      if (counter === undefined) return refuse(request, unknown, user)
      if (user!.disabled) return refuse(request, failure('invalid_username', 'The user is disabled.'), user)
      if (!(await passkeys.redeem(said.challenge))) return refuse(request, ended())
      // a counter of 0 is that of a passkey without one
      if (!(await signIns.use(passkey!.id, counter || undefined))) return refuse(request, unknown, user)
      return opening.inCookie(request, reply, user!, { sign_in_id: passkey!.id })
    },
  })

  /** The passkey that signed, with its user and its new counter, which is undefined if it did not sign this. */
  async function identify(challenge: string, proof: PasskeyProof) {
    const passkey = await signIns.called('passkey', proof.id)
    const known = passkey && { ...passkeys.keyOf(passkey), counter: passkey.counter }
    const counter = await verifySigned(party, challenge, proof, known)
    const user = passkey && (await users.find(passkey.user_id))
    const isOwn = passkey && (await passkeys.handleOf(passkey.user_id)) === proof.user_handle
    return { passkey, user, counter: isOwn ? counter : undefined }
  }
})

const failure = (code: ErrorCode, message: string) => new ApiError(code, message)
const elsewhere = (origin: string) =>
  new ApiError(
    'passkey_origin',
    `The passkey was used on a page of another site; the right one is ${origin}.`,
    {
      origin,
    },
  )
