import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'
import {
  InvitationAcceptance,
  OwnPasswordInput,
  PasswordResetConfirmation,
  PasswordResetInput,
} from '../../../../schemas/people.ts'
import { SCOPES } from '../../../../schemas/user.ts'
import { openCollection } from '../../../calendar/resource/collection.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven, checkScopes } from '../../../kernel/access/permissions.ts'
import { ACCOUNT_RIGHTS, has } from '../../../kernel/access/rights.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError, forbidden, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { accountMail } from '../mail.ts'
import type { Invitation, Letter } from '../store/people.ts'
import { USERS } from './credentials.ts'
import { openPasswordCheck, openSigningIn, SIGN_IN_ANONYMOUSLY } from './sign-in.ts'

/** The languages that mail is written in. */
const LANGUAGES = ['en', 'ca', 'es']

/** Letters about accounts, with links to pages of the desk. Each is undefined where no mail is sent. */
export function openLetters({ base, branding, site, sendsMail }: Service) {
  const standard = site.languages[0]!
  /** The page of the desk for a link; what stands behind `#` reaches no server and no log. */
  const pageOf = (place: string) => `${base}/desk/#/${place}`
  /** The language of the browser that asks, or that of the site. */
  const languageOf = ({ headers }: FastifyRequest) =>
    (headers['accept-language'] && new Negotiator({ headers }).language(LANGUAGES)) || standard
  const write = (
    letter: Parameters<typeof accountMail>[0],
    language: string,
    place: (ticket: string) => string,
  ): Letter =>
    sendsMail
      ? (user, ticket) =>
          accountMail(letter, user, { site: branding().name, language, link: pageOf(place(ticket)) })
      : undefined
  return {
    /** The link of an invitation. */
    invitationUrl: (ticket: string) => pageOf(`invitation/${ticket}`),
    invitation: write('invitation', standard, (ticket) => `invitation/${ticket}`),
    reset: (request: FastifyRequest) => write('reset', languageOf(request), (ticket) => `reset/${ticket}`),
    changed: (request: FastifyRequest) => write('changed', languageOf(request), () => 'forgot'),
    /** To the address that a user had before. */
    moved: write('moved', standard, () => ''),
  }
}

/** An invitation as it is shown: the link is only for who has to pass it on. */
export const showInvitation = (service: Service, { ticket, mailed, expires_utc }: Invitation) => ({
  mailed,
  expires_utc,
  ...(!mailed && { url: openLetters(service).invitationUrl(ticket) }),
})

const NOT_FOUND = { invitation: 'invitation-not-found', reset: 'password-reset-not-found' } as const

/**
 * What sets the own password that somebody chooses with a link in the body of a request; returns the user and the way to sign in. Throws 404 where
 * the link leads to nobody, which counts as a failure of the address to sign in, and 429 after too many of these.
 */
export const openLinks =
  ({ guesses, audited }: FastifyInstance, { store: { people } }: Pick<Service, 'store'>) =>
  async (purpose: keyof typeof NOT_FOUND, request: FastifyRequest, letter?: Letter) => {
    const { ticket, password } = request.body as InvitationAcceptance
    const code = NOT_FOUND[purpose]
    const notFound = () =>
      new ApiError(code, 'The link was used, has ended, or was never made. Ask for another one.')
    await guesses.addresses.check(request)
    const guest = await people.guest(purpose, ticket)
    if (!guest) {
      audited.failure(request, code)
      throw (await guesses.addresses.fail(request)) ?? notFound()
    }
    const hash = await people.hashed(password, guest)
    const accepted = await people.accept(purpose, ticket, hash, actorOf(request), letter)
    if (!accepted) throw notFound()
    return accepted
  }

/** Invitations: links with which people choose a password of their own. */
export const invitationRoutes = family('invitations', async (app, service) => {
  const { site, store } = service
  const { people } = store
  const { add, paramsOf } = openCollection(app, service, USERS)
  const letters = openLetters(service)
  const signingIn = openSigningIn(service)
  const redeem = openLinks(app, service)
  publishBody(app, Type.Object(InvitationAcceptance.properties, { $id: 'InvitationAcceptance' }))

  add({
    method: 'POST',
    url: '/users/:id/invitation',
    operation: 'create',
    operationId: 'createInvitation',
    summary: 'Invite a user',
    description:
      'Makes a link with which the user chooses an own password, in place of the one before: for new users, and for who has forgotten the password and reads no mail. It works once, for 7 days; the link made before ends. It is mailed if the service sends mail and the user has an address, and shown in the response otherwise. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication', 'user_disabled'],
    except: ['rest_invalid_param', 'rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'Invitation',
    async handle(request, reply) {
      checkGiven(request, site.clock())
      const { id } = paramsOf(request)
      const made = await people.invite(id, actorOf(request), letters.invitation)
      reply.code(201).header('location', `${service.root(request)}/users/${id}`)
      return showInvitation(service, made)
    },
  })
  add({
    method: 'POST',
    url: '/invitations/accept',
    operation: 'create',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Sets the own password of the user whom an invitation is for, and signs the browser in as `POST /session/cookie` does. The sessions that an own password opened before end. A user with a second factor gets 401 `second_factor_required` once the password is set, with a ticket for `POST /session/factor`. For pages of the service only.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['invitation-not-found', 'second_factor_required', 'local_sign_in_off'],
    answer: 'Session',
    body: 'InvitationAcceptance',
    async handle(request, reply) {
      signingIn.admit(request)
      const { user, signIn } = await redeem('invitation', request)
      return signingIn.signIn(request, reply, user, signIn)
    },
  })
})

/** Links that one user is mailed in an hour at most, whoever asks for them. */
const MOST_MAILS = 5
const HOUR = 3_600_000
const REMEMBERED = 10_000

/** Own passwords: changing them, and links for who has forgotten theirs. */
export const ownPasswordRoutes = family('own passwords', async (app, service) => {
  const { site, store } = service
  const { people, users } = store
  const { add, paramsOf } = openCollection(app, service, USERS)
  const letters = openLetters(service)
  const prove = openPasswordCheck(app, store)
  const { mustBeLocal } = openSigningIn(service)
  const redeem = openLinks(app, service)
  publishBody(app, Type.Object(OwnPasswordInput.properties, { $id: 'OwnPasswordInput' }))
  publishBody(app, Type.Object(PasswordResetInput.properties, { $id: 'PasswordResetInput' }))
  publishBody(app, Type.Object(PasswordResetConfirmation.properties, { $id: 'PasswordResetConfirmation' }))

  /** The token of the session that makes a request, if one does. */
  const tokenOf = ({ caller }: FastifyRequest) => {
    const [kind, id] = caller!.credential!.split(' ')
    return kind === 'token' ? Number(id) : undefined
  }

  /** The own password of the caller, which the request proves. */
  async function provePresent(request: FastifyRequest, { login }: User, present: string): Promise<SignIn> {
    checkScopes(request, SCOPES, 'choose a password')
    try {
      return (await prove(request, login, present)).signIn
    } catch (error) {
      throw (error as ApiError).code === 'incorrect_password'
        ? invalid({ present: 'is not the password.' })
        : error
    }
  }

  add({
    method: 'PUT',
    url: '/users/:id/password',
    operation: 'update',
    operationId: 'setOwnPassword',
    summary: 'Choose an own password',
    description:
      'Sets the password with which the caller signs in as a person; programs use application passwords and tokens. The caller must prove who they are: with `present`, by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401. The other sessions that an own password opened end. Nobody sets the password of another user: administrators make an invitation.',
    permission: { right: ACCOUNT_RIGHTS['sign in'], to: 'choose a password', scopes: ['admin'] },
    errors: ['user-not-found', 'insufficient_user_authentication', 'rest_missing_callback_param'],
    answer: 'OwnPassword',
    body: 'OwnPasswordInput',
    async handle(request) {
      const { id } = request.caller!
      const { id: whose } = paramsOf(request)
      if (whose !== id) {
        if (has(request.caller, ACCOUNT_RIGHTS['manage users and tokens'])) await users.find(whose)
        throw forbidden(true, 'choose the password of another user')
      }
      const { password, present } = request.body as OwnPasswordInput
      const user = await users.find(id)
      const proven = present == null ? undefined : await provePresent(request, user, present)
      if (!proven) checkGiven(request, site.clock())
      const hash = await people.hashed(password, user)
      await people.setPassword(id, hash, actorOf(request), {
        keep: tokenOf(request),
        proven,
        letter: letters.changed(request),
      })
      return { login: user.login }
    },
  })

  const mailed = new LRUCache<number, number[]>({ maxSize: REMEMBERED, sizeCalculation: () => 1 })
  /** Whether a user may be mailed another link, which is noted. */
  function mayMail({ id }: { id: number }): boolean {
    const now = site.clock()
    const lately = (mailed.get(id) ?? []).filter((at) => at > now - HOUR)
    if (lately.length >= MOST_MAILS) return false
    mailed.set(id, [...lately, now])
    return true
  }
  /** What is done once a request is answered, so that no answer tells whether there is such a user. */
  const afterwards = new WeakMap<FastifyRequest, () => Promise<unknown>>()
  const underWay = new Set<Promise<unknown>>()
  app.addHook('onResponse', async (request) => {
    const work = afterwards
      .get(request)?.()
      .catch((err) => request.log.error({ err }, 'no link could be mailed'))
    if (!work) return
    underWay.add(work)
    await work
    underWay.delete(work)
  })
  app.addHook('onClose', async () => void (await Promise.all(underWay)))

  add({
    method: 'POST',
    url: '/password-resets',
    operation: 'create',
    operationId: 'requestPasswordReset',
    summary: 'Ask for a new password',
    description:
      'Mails a link with which the user chooses a new own password. It works once, for an hour; the link made before ends. The response is the same whether there is such a user or not, and whether mail reaches them. A user is mailed 5 links an hour at most.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['local_sign_in_off'],
    status: 202,
    answer: 'PasswordReset',
    body: 'PasswordResetInput',
    async handle(request) {
      mustBeLocal()
      const { login } = request.body as PasswordResetInput
      const refused = await app.guesses.resets.fail(request)
      if (refused) throw refused
      const by = actorOf(request)
      afterwards.set(request, () => people.askReset(login, by, letters.reset(request), mayMail))
      return { mails: service.sendsMail }
    },
  })
  add({
    method: 'POST',
    url: '/password-resets/confirm',
    operation: 'update',
    operationId: 'confirmPasswordReset',
    summary: 'Choose a new password',
    description:
      'Sets the own password of the user whom the link was mailed to. All sessions that an own password opened end, and the user is told by mail.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['password-reset-not-found', 'rest_missing_callback_param', 'local_sign_in_off'],
    answer: 'OwnPassword',
    body: 'PasswordResetConfirmation',
    async handle(request) {
      mustBeLocal()
      const { user } = await redeem('reset', request, letters.changed(request))
      return { login: user.login }
    },
  })
})
