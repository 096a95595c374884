import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { type Caller, hasScope } from '../roles.ts'
import type { Tokens } from '../store/tokens.ts'
import type { Users } from '../store/users.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** How long a password that was verified is taken without hashing it again, in milliseconds. */
const REMEMBER = 60_000
const MOST = 1_000

type Credentials = { users: Users; tokens: Tokens }

/** Finds out who asks, on every route: no credentials are anonymous, wrong ones are 401 and never a fall-back (D22). */
export function addAuth(app: FastifyInstance, { users, tokens }: Credentials, clock: () => number) {
  /** Digests of headers that were verified, with their password: so that Basic costs its slow hash only now and then. */
  const verified = new Map<string, { password: number; until: number }>()

  app.decorateRequest('caller', undefined)
  app.addHook('onRequest', async (request) => {
    const header = request.headers.authorization
    if (header !== undefined) request.caller = await identify(header, request)
  })

  async function identify(header: string, request: FastifyRequest): Promise<Caller> {
    const [, scheme = '', credentials = ''] = /^(\w+) +(.+)$/.exec(header.trim()) ?? []
    if (scheme.toLowerCase() === 'basic') return basic(header, credentials, request)
    if (scheme.toLowerCase() === 'bearer') return bearer(credentials.trim(), request)
    throw new ApiError(
      'invalid_token',
      'The Authorization header must be `Basic` with a login and application password, or `Bearer` with a token.',
    )
  }

  async function bearer(text: string, request: FastifyRequest): Promise<Caller> {
    const found = await tokens.find(text)
    if (!found || found.user.disabled)
      throw await app.failedLogin(
        request,
        new ApiError('invalid_token', 'The token is unknown, expired or revoked.'),
      )
    await remember(tokens.touch(found.token), request)
    return { id: found.user.id, role: found.user.role, scopes: found.token.scopes }
  }

  async function basic(header: string, credentials: string, request: FastifyRequest): Promise<Caller> {
    const digest = createHash('sha256').update(header).digest('base64')
    const known = verified.get(digest)
    const found = await users.byPassword(
      known && known.until >= clock() ? known.password : await verify(credentials, digest, request),
    )
    if (!found || found.user.disabled) verified.delete(digest)
    if (!found)
      throw await app.failedLogin(
        request,
        new ApiError('incorrect_password', 'The application password was revoked.'),
      )
    if (found.user.disabled)
      throw await app.failedLogin(request, new ApiError('invalid_username', 'The user is disabled.'))
    await remember(users.touchPassword(found), request)
    return { id: found.user.id, role: found.user.role }
  }

  /** The ID of the application password that Basic credentials carry, remembered for a while. */
  async function verify(credentials: string, digest: string, request: FastifyRequest): Promise<number> {
    const text = Buffer.from(credentials, 'base64').toString()
    const colon = text.indexOf(':')
    if (colon < 1)
      throw await app.failedLogin(
        request,
        new ApiError(
          'invalid_token',
          'The Basic credentials can not be decoded; they are base64 of `login:application password`.',
        ),
      )
    await app.checkLogin(request)
    const user = await users.byLogin(text.slice(0, colon))
    if (!user)
      throw await app.failedLogin(request, new ApiError('invalid_username', 'There is no such user.'))
    const password = await users.verify(user, text.slice(colon + 1))
    if (password === undefined)
      throw await app.failedLogin(
        request,
        new ApiError('incorrect_password', 'The application password is wrong or was revoked.'),
      )
    if (verified.size >= MOST) verified.clear()
    verified.set(digest, { password, until: clock() + REMEMBER })
    return password
  }
}

/** Holds tokens to their scopes, after parameters were looked at (R3). */
export function addScopes(app: FastifyInstance) {
  app.addHook('preHandler', async ({ caller, routeOptions: { config } }) => {
    const { operation, admin } = config
    if (operation === undefined) return
    const scope = admin ? 'admin' : operation === 'list' || operation === 'read' ? 'read' : 'write'
    if (!hasScope(caller, scope))
      throw new ApiError('rest_forbidden', `This token lacks the scope "${scope}".`)
  })
}

/** The time of last use is noted where it can be; who may only read is not kept from it by a full disk. */
const remember = (work: Promise<void>, request: FastifyRequest) =>
  work.catch((err) => request.log.warn({ err }, 'the last use of credentials could not be noted'))

/** Says how to sign in, with every 401. */
export const addChallenge = (reply: FastifyReply) =>
  reply.header('www-authenticate', 'Basic realm="Almanac", charset="UTF-8", Bearer realm="Almanac"')
