import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { InvitationAcceptance } from '../../../../schemas/people.ts'
import { openAccounts, paramsOf } from '../../../calendar/resource/accounts.ts'
import { family, type Service } from '../../../calendar/resource/service.ts'
import { actorOf } from '../../../kernel/access/audit.ts'
import { checkGiven } from '../../../kernel/access/rights.ts'
import { ApiError } from '../../../kernel/errors.ts'
import { publishBody } from '../../../kernel/input/validator.ts'
import type { Invitation, Letter } from '../store/people.ts'
import { openLetters } from './letters.ts'
import { openOpening } from './opening.ts'

/** What everybody may do who has a link, or asks for one. */
export const BY_LINK = { right: 'sign in', to: 'sign in', anyone: true } as const

/** An invitation as it is shown: the link is only for who has to pass it on. */
export const showInvitation = (service: Service, { ticket, mailed, expires_utc }: Invitation) => ({
  ...{ mailed, expires_utc },
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
  const { add } = openAccounts(app, service)
  const letters = openLetters(service)
  const opening = openOpening(service)
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
    permission: BY_LINK,
    errors: ['invitation-not-found', 'second_factor_required', 'local_sign_in_off'],
    answer: 'Session',
    body: 'InvitationAcceptance',
    async handle(request, reply) {
      opening.admit(request)
      const { user, signIn } = await redeem('invitation', request)
      return opening.signIn(request, reply, user, signIn)
    },
  })
})
