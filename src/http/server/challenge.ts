import type { FastifyReply } from 'fastify'
import type { ApiError } from '../../support/errors.ts'

/** Adds the authentication schemes to a 401, with what a proof that is too old lacks (RFC 9470 §3). */
export function addChallenge(reply: FastifyReply, { code, data }: ApiError) {
  const schemes = 'Basic realm="Almanac", charset="UTF-8", Bearer realm="Almanac"'
  const lack =
    code === 'insufficient_user_authentication' ? `, error="${code}", max_age="${data.max_age}"` : ''
  reply.header('www-authenticate', schemes + lack)
}
