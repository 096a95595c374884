import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Caller } from '../roles.ts'
import type { Users } from '../store/users.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** How long a password that was verified is taken without hashing it again, in milliseconds. */
const REMEMBER = 60_000
const MOST = 1_000

/** Finds out who asks, on every route: no credentials are anonymous, wrong ones are 401 (D22). */
export function addAuth(app: FastifyInstance, users: Users, clock: () => number) {
  /** Digests of headers that were verified: so that Basic costs its slow hash only now and then. */
  const verified = new Map<string, { login: string; until: number }>()

  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    const header = request.headers.authorization
    if (header !== undefined) request.caller = await identify(header)
  })

  async function identify(header: string): Promise<Caller> {
    const [, scheme = '', credentials = ''] = /^(\w+) +(.+)$/.exec(header.trim()) ?? []
    if (scheme.toLowerCase() === 'basic') return basic(header, credentials)
    if (scheme.toLowerCase() === 'bearer') {
      const found = await users.byToken(credentials.trim())
      if (!found || found.user.disabled)
        throw new ApiError('invalid_token', 'The token is unknown, expired or revoked.')
      return { id: found.user.id, role: found.user.role }
    }
    throw new ApiError(
      'invalid_token',
      'The Authorization header must be `Basic` with a login and application password, or `Bearer` with a token.',
    )
  }

  async function basic(header: string, credentials: string): Promise<Caller> {
    const text = Buffer.from(credentials, 'base64').toString()
    const colon = text.indexOf(':')
    if (colon < 1)
      throw new ApiError(
        'invalid_token',
        'The Basic credentials can not be decoded; they are base64 of `login:application password`.',
      )
    const digest = createHash('sha256').update(header).digest('base64')
    const login = text.slice(0, colon)
    const user = await users.byLogin(login)
    if (!user || user.disabled)
      throw new ApiError('invalid_username', 'There is no such user, or the user is disabled.')
    if ((verified.get(digest)?.until ?? 0) < clock()) {
      if (!(await users.verify(user, text.slice(colon + 1))))
        throw new ApiError('incorrect_password', 'The application password is wrong or was revoked.')
      if (verified.size >= MOST) verified.clear()
      verified.set(digest, { login, until: clock() + REMEMBER })
    }
    return { id: user.id, role: user.role }
  }
}

/** Says how to sign in, with every 401. */
export const addChallenge = (reply: FastifyReply) =>
  reply.header('www-authenticate', 'Basic realm="Almanac", charset="UTF-8", Bearer realm="Almanac"')
