import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { FactorProof, PasskeyProof } from '../../../schemas/factors.ts'
import { SignInInput } from '../../../schemas/people.ts'
import { openCollection, shown } from '../../calendar/resource/collection.ts'
import { family } from '../../calendar/resource/service.ts'
import type { User } from '../../calendar/store.ts'
import { isByCookie, setCookie } from '../../kernel/access/auth.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { ApiError, forbidden, invalid, missing } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import { credentialOf, tokenIdOf } from './credentials.ts'
import { CHALLENGE_LASTS, isVerified, partyOf, readClientData, verifySigned } from './passkeys.ts'
import { openPasswordCheck, openSigningIn, SIGN_IN, SIGN_IN_ANONYMOUSLY, sessionOf } from './sign-in.ts'

const AREA = { tag: 'Session', permission: SIGN_IN }

/** Signing in and out: a password becomes a token that expires. For every role, unlike the other operations on tokens. */
export const sessionRoutes = family('session', async (app, service) => {
  const { users, tokens } = service.store
  const signingIn = openSigningIn(service)
  const prove = openPasswordCheck(app, service.store)
  const { add } = openCollection(app, service, AREA)
  publishBody(app, Type.Object(SignInInput.properties, { $id: 'SignInInput' }))
  const show = async ({ caller }: FastifyRequest) => ({
    ...sessionOf(await users.find(caller!.id), caller!.scopes),
    ...(caller!.limits && { limits: caller!.limits.sets }),
  })
  /** The caller, who has proven an application password, and that password. */
  async function proven(request: FastifyRequest) {
    if (tokenIdOf(request) !== undefined)
      throw new ApiError(
        'rest_forbidden',
        'A token can not sign in. Use HTTP Basic with a login and an application password.',
      )
    const user = await users.find(request.caller!.id)
    return [user, { password_id: credentialOf(request).id }] as const
  }

  add({
    method: 'GET',
    url: '/session',
    operation: 'read',
    operationId: 'getSession',
    summary: 'Read who has signed in',
    description:
      'Returns the user whom the credentials of the request belong to, with the role and scopes that decide what may be done. Times are in UTC.',
    answer: 'Session',
    async handle(request) {
      const token = tokenIdOf(request)
      const { expires_utc = null } = token === undefined ? {} : await tokens.read(token)
      return shown({ ...(await show(request)), expires_utc })
    },
  })
  add({
    method: 'POST',
    url: '/session',
    operation: 'create',
    operationId: 'createSession',
    summary: 'Sign in',
    description:
      'Returns a Bearer token of the caller, which expires after 12 hours and is shown only in this response. It ends earlier if the application password is revoked, or the user disabled or removed. Requires HTTP Basic with an application password: a token can not extend itself.',
    answer: 'NewSession',
    errors: ['local_sign_in_off'],
    except: ['rest_invalid_param', 'rest_missing_callback_param', 'rest_unsupported_media_type'],
    async handle(request, reply) {
      const { token, shown } = await signingIn.open(request, reply, ...(await proven(request)))
      return { ...shown, token }
    },
  })
  add({
    method: 'POST',
    url: '/session/cookie',
    operation: 'create',
    operationId: 'createCookieSession',
    summary: 'Sign in a browser',
    description:
      'Opens a session like `POST /session`, and keeps its token in a cookie of the browser instead of showing it: scripts can not read it, and requests from other sites do not send it. A page of the service then sends `Authorization: Session` with the ID of the user. A session that the browser had before ends.\n\nRequires HTTP Basic with an application password, or a body with the login or address of a person and their own password: this from a page of the service, and without `Authorization`. Whether there is such a person is not told.',
    permission: SIGN_IN_ANONYMOUSLY,
    answer: 'Session',
    errors: ['second_factor_required', 'local_sign_in_off'],
    body: 'SignInInput',
    async handle(request, reply) {
      if (!request.caller) {
        const { login, password } = request.body as SignInInput
        if (login == null && password == null) throw forbidden(false, SIGN_IN.to)
        if (login == null || password == null) throw missing([login == null ? 'login' : 'password'])
        signingIn.admit(request)
        const { user, signIn } = await prove(request, login, password)
        return signingIn.signIn(request, reply, user, signIn)
      }
      return signingIn.inCookie(request, reply, ...(await proven(request)))
    },
  })
  add({
    method: 'DELETE',
    url: '/session',
    operation: 'delete',
    operationId: 'deleteSession',
    summary: 'Sign out',
    description:
      'Revokes the token of the request at once, whatever its scopes, and removes the cookie that the request was made with. A password has no token, so it gets 403.',
    permission: { ...SIGN_IN, scopes: [] },
    except: ['rest_invalid_param'],
    answer: 'Session',
    async handle(request, reply) {
      const token = tokenIdOf(request)
      if (token === undefined)
        throw new ApiError(
          'rest_forbidden',
          'A password can not sign out. Send the token that is to be revoked as Bearer.',
        )
      const session = await show(request)
      if (isByCookie(request.headers)) setCookie(request, reply, service.root(request), 'ended', 0)
      const { expires_utc } = await tokens.remove(token, actorOf(request))
      return shown({ ...session, expires_utc })
    },
  })
})

const UNVERIFIED = 'Use the passkey with a fingerprint, a face or a PIN.'
const UNKNOWN = 'The passkey is unknown here, or did not sign what it was asked to.'

/** What else signs in a browser: the code that follows a password, and passkeys. Everyone may try, from pages of the service. */
export const sessionStepRoutes = family('steps of signing in', async (app, service) => {
  const { store, base } = service
  const { users, signIns, secondFactors, passkeys } = store
  const signingIn = openSigningIn(service)
  const { add } = openCollection(app, service, AREA)
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
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['incorrect_code', 'sign_in_ended', 'local_sign_in_off'],
    answer: 'Session',
    body: 'FactorProof',
    async handle(request, reply) {
      signingIn.admit(request)
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
      return signingIn.inCookie(request, reply, user, { sign_in_id, secret })
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
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['local_sign_in_off'],
    except: ['rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'PasskeyRequest',
    async handle(request, reply) {
      signingIn.mustBeLocal()
      const refused = await app.guesses.challenges.fail(request)
      if (refused) throw refused
      reply.code(201)
      return {
        challenge: await passkeys.challenge(),
        rpId: party.id,
        timeout: CHALLENGE_LASTS,
        userVerification: 'required',
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
    permission: SIGN_IN_ANONYMOUSLY,
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
      signingIn.admit(request)
      const proof = request.body as PasskeyProof
      await app.guesses.addresses.check(request)
      const said = readClientData(proof.client_data)
      if (!said) throw invalid({ client_data: 'must be the `clientDataJSON` of a browser.' })
      if (said.origin !== party.origin) {
        const message = `The passkey was used on a page of another site; the right one is ${party.origin}.`
        return refuse(request, new ApiError('passkey_origin', message, { origin: party.origin }))
      }
      if (!isVerified(proof.authenticator_data))
        return refuse(request, new ApiError('passkey_unverified', UNVERIFIED))
      if (!(await passkeys.isOpen(said.challenge))) return refuse(request, ended())
      const { passkey, user, counter } = await identify(said.challenge, proof)
      const unknown = new ApiError('incorrect_passkey', UNKNOWN)
      if (counter === undefined) return refuse(request, unknown, user)
      if (user!.disabled)
        return refuse(request, new ApiError('invalid_username', 'The user is disabled.'), user)
      if (!(await passkeys.redeem(said.challenge))) return refuse(request, ended())
      // a counter of 0 is that of a passkey without one
      if (!(await signIns.use(passkey!.id, counter || undefined))) return refuse(request, unknown, user)
      return signingIn.inCookie(request, reply, user!, { sign_in_id: passkey!.id })
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
