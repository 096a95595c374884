import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { InvitationAcceptance } from '../../../../schemas/people.ts'
import type { Letter } from '../../../store/store.ts'
import { ApiError } from '../../../support/errors.ts'
import { actorOf } from '../../access/audit.ts'
import type { Service } from '../../resource/service.ts'

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
