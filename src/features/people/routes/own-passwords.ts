import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import {
  OwnPasswordInput,
  PasswordResetConfirmation,
  PasswordResetInput,
} from '../../../../schemas/people.ts'
import { SCOPES } from '../../../../schemas/user.ts'
import { openAccounts, paramsOf } from '../../../calendar/resource/accounts.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven, checkScopes } from '../../../kernel/access/rights.ts'
import { has } from '../../../kernel/access/roles.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { type ApiError, forbidden, invalid } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import { openOwnPassword } from '../access/own-password.ts'
import { BY_LINK, openLinks } from './invitations.ts'
import { openLetters } from './letters.ts'
import { openOpening } from './opening.ts'

/** Links that one user is mailed in an hour at most, whoever asks for them. */
const MOST_MAILS = 5
const HOUR = 3_600_000
const REMEMBERED = 10_000

/** Own passwords: changing them, and links for who has forgotten theirs. */
export const ownPasswordRoutes = family('own passwords', async (app, service) => {
  const { site, store } = service
  const { people, users } = store
  const { add } = openAccounts(app, service)
  const letters = openLetters(service)
  const prove = openOwnPassword(app, store)
  const { mustBeLocal } = openOpening(service)
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
    permission: { right: 'sign in', to: 'choose a password', scopes: ['admin'] },
    errors: ['user-not-found', 'insufficient_user_authentication', 'rest_missing_callback_param'],
    answer: 'OwnPassword',
    body: 'OwnPasswordInput',
    async handle(request) {
      const { id } = request.caller!
      const { id: whose } = paramsOf(request)
      if (whose !== id) {
        if (has(request.caller, 'manage users and tokens')) await users.find(whose)
        throw forbidden(true, 'choose the password of another user')
      }
      const { password, present } = request.body as OwnPasswordInput
      const user = await users.find(id)
      const proven = present == null ? undefined : await provePresent(request, user, present)
      if (!proven) checkGiven(request, site.clock())
      const hash = await people.hashed(password, user)
      await people.setPassword(id, hash, actorOf(request), {
        ...{ keep: tokenOf(request), proven, letter: letters.changed(request) },
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
    permission: BY_LINK,
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
    permission: BY_LINK,
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
