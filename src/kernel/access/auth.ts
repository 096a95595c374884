import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { LRUCache } from 'lru-cache'
import { ApiError, type ErrorCode } from '../errors.ts'
import { clientOf, isRead } from '../rate-limits.ts'
import type { Warnings } from '../server/log.ts'
import { toEpoch } from '../time/dates.ts'
import type { Caller, LimitSet, Limits } from './rights.ts'
import type { SignIns } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import type { User, Users } from './users.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller
  }
}

/** Milliseconds for which a verified password is accepted without hashing it again. */
const REMEMBER = 60_000
const MOST = 1_000
/** Some clients send placeholders if nobody has signed in. */
const ANONYMOUS = 'To read published records, leave out the Authorization header.'

/** Where callers are found. */
export type Accounts = {
  users: Users
  tokens: Tokens
  /** What limits of rights mean now. */
  limits: { of(...stored: (LimitSet | null)[]): Limits | undefined }
  signIns: Pick<SignIns, 'proved'>
}

type Options = {
  store: Accounts
  clock(): number
  warnings: Warnings
  baseUrl: string
}

/** Authenticates the caller on every route. Without credentials the caller is anonymous; wrong credentials are always 401 (D22). */
export const auth = fp<Options>(
  async (app, options) => {
    const identify = openIdentification(app, options)
    app.decorateRequest('caller', undefined)
    app.addHook('onRequest', (request, _reply, done) => {
      const header = request.headers.authorization
      if (header === undefined) return void done()
      identify(header, request).then((caller) => {
        request.caller = caller
        done()
      }, done)
    })
  },
  { name: 'auth', dependencies: ['overload', 'limits', 'audit'] },
)

/** Returns a function that finds the owner of the credentials in a header, and throws 401 if they are wrong. */
function openIdentification(
  app: FastifyInstance,
  { store: { users, tokens, signIns, limits }, clock, warnings, baseUrl }: Options,
) {
  /** Verified headers by digest, with the ID of their password, so that Basic rarely needs its slow hash. */
  const verified = new LRUCache<string, number>({
    max: MOST,
    ttl: REMEMBER,
    ttlResolution: 0,
    perf: { now: clock },
  })
  const secret = randomBytes(32)
  const inTurn = openTurns()

  async function identify(header: string, request: FastifyRequest): Promise<Caller> {
    const [, scheme = '', credentials = ''] = /^(\w+) +(.+)$/.exec(header.trim()) ?? []
    if (scheme.toLowerCase() === 'basic') return basic(header, credentials, request)
    if (scheme.toLowerCase() === 'bearer') return bearer(credentials, request)
    if (scheme.toLowerCase() === 'session') return session(credentials, request)
    return refuse(
      request,
      'invalid_token',
      'The Authorization header must be `Basic` with a login or an address of mail and an application password, `Bearer` with a token, or `Session` with the ID of the user of the cookie.',
    )
  }

  async function refuse(
    request: FastifyRequest,
    code: ErrorCode,
    message: string,
    user?: User,
    login?: string,
  ): Promise<never> {
    app.audited.failure(request, code, user)
    const told = isRead(request) ? `${message} ${ANONYMOUS}` : message
    const { logins, addresses } = app.guesses
    // beyond the limit of the address logins are not counted apart, so that it can not fill the memory with invented ones
    throw (await addresses.fail(request)) ?? (await logins.fail(request, login)) ?? new ApiError(code, told)
  }

  /** Notes the time of last use if possible. A failure, as on a full disk, does not affect the request. */
  const remember = (work: Promise<void>, { log }: FastifyRequest) =>
    work.catch((err) =>
      warnings.warn('last use', log, { err }, 'the last use of credentials could not be noted'),
    )

  async function bearer(text: string, request: FastifyRequest): Promise<Caller> {
    const found = await tokens.find(text)
    if (!found || found.user.disabled)
      return refuse(request, 'invalid_token', 'The token is unknown, expired or revoked.', found?.user)
    const { user, token } = found
    const caller = {
      ...{ id: user.id, role: user.role, limits: limits.of(user.limits, token.limits) },
      ...{ scopes: token.scopes, credential: `token ${token.id}` },
    }
    await Promise.all([
      remember(tokens.touch(token), request),
      app.audited.use(request, tokens.subjectOf(token), caller),
    ])
    const isProven = tokens.isSession(token) && (await signIns.proved(token))
    return isProven ? { ...caller, proven: toEpoch(token.created_utc, 'UTC') } : caller
  }

  /**
   * The caller by the cookie of the browser. The header names the user for whom the page works, so that nothing is done in the name of
   * another one who has signed in meanwhile, or of one whom a page of a neighbouring host has signed in.
   */
  async function session(user: string, request: FastifyRequest): Promise<Caller> {
    mustBeOwn(request, baseUrl)
    const token = tokenIn(request.headers)
    const caller = token === undefined ? undefined : await bearer(token, request)
    if (caller && String(caller.id) === user) return caller
    throw new ApiError('invalid_token', `The browser has no session of user ${user}. Sign in again.`)
  }

  async function basic(header: string, credentials: string, request: FastifyRequest): Promise<Caller> {
    const digest = createHmac('sha256', secret).update(header).digest('base64')
    const id = verified.get(digest) ?? (await prove(credentials, digest, request))
    const found = await users.byPassword(id)
    if (!found || found.user.disabled) verified.delete(digest)
    if (!found) return refuse(request, 'incorrect_password', 'The application password was revoked.')
    if (found.user.disabled) return refuse(request, 'invalid_username', 'The user is disabled.', found.user)
    const { user } = found
    const caller = {
      ...{ id: user.id, role: user.role, limits: limits.of(user.limits) },
      ...{ credential: `password ${id}`, proven: clock() },
    }
    await Promise.all([
      remember(users.touchPassword(found), request),
      app.audited.use(request, { kind: 'password', id }, caller),
    ])
    return caller
  }

  /** Returns the ID of the application password in Basic credentials, and caches it for a while. */
  async function prove(credentials: string, digest: string, request: FastifyRequest): Promise<number> {
    const text = Buffer.from(credentials, 'base64').toString()
    const colon = text.indexOf(':')
    if (colon < 1)
      return refuse(
        request,
        'invalid_token',
        'The Basic credentials can not be decoded; send `login:application password` in base64.',
      )
    const login = text.slice(0, colon).toLowerCase()
    return inTurn(`${clientOf(request)} ${login}`, async () => {
      const id = verified.get(digest) ?? (await verify(login, text.slice(colon + 1), request))
      verified.set(digest, id)
      return id
    })
  }

  /**
   * Returns the ID of this application password of a user. Whether there is such a user is told neither by the answer nor by the work.
   * Above the limit of an address, a right password is still accepted if that is cheap to find out.
   */
  async function verify(login: string, password: string, request: FastifyRequest): Promise<number> {
    const { logins, addresses } = app.guesses
    const aim = users.nameIn(login)
    await logins.check(request, aim)
    const refused = await addresses.refusal(request)
    const user = await users.called(login)
    const id = await users.verify(user, password, refused !== undefined)
    if (id !== undefined) return id
    return refuse(request, 'incorrect_password', 'The login or the application password is wrong.', user, aim)
  }

  return identify
}

/** Runs the jobs for one login from one address, or one network of IPv6 as limits see it, one after the other, so that concurrent guesses can not exceed the limit. */
function openTurns() {
  const last = new Map<string, Promise<void>>()
  return async <T>(address: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(address)
    const mine = before ? before.then(work) : work()
    const settled = mine.then(
      () => {},
      () => {},
    )
    last.set(address, settled)
    try {
      return await mine
    } finally {
      if (last.get(address) === settled) last.delete(address)
    }
  }
}

/**
 * Returns a function that throws if a caller is not any more who it was: the credential was revoked or has expired, or the user was
 * disabled or has another role or other limits. For requests that last.
 */
export function openCredentialCheck({
  users,
  tokens,
  limits,
}: Pick<Accounts, 'users' | 'tokens' | 'limits'>) {
  return async (caller: NonNullable<Caller>) => {
    const [kind, id] = caller.credential!.split(' ')
    const isToken = kind === 'token'
    const found = isToken ? tokens.byId(Number(id)) : await users.byPassword(Number(id))
    if (!found)
      throw isToken
        ? new ApiError('invalid_token', 'The token was revoked, or has expired.')
        : new ApiError('incorrect_password', 'The application password was revoked.')
    if (found.user.disabled) throw new ApiError('invalid_username', 'The user is disabled.')
    const now = limits.of(found.user.limits, 'token' in found ? found.token.limits : null)
    if (found.user.role !== caller.role || JSON.stringify(now) !== JSON.stringify(caller.limits))
      throw new ApiError(
        'sync-token-expired',
        'The role of the user or the limits of the rights have changed. Begin anew without `sync_token`.',
      )
  }
}

/** The name of the cookie. Over HTTPS it has a prefix, with which no page without HTTPS can set it. */
const NAME = 'almanac-session'
const SECURE_NAME = `__Secure-${NAME}`
/** The cookies of a header that may be the session; a browser can hold one that was set without HTTPS beside the other. */
const COOKIE = new RegExp(`(?:^|;\\s*)(?:__Secure-)?${NAME}=([\\w-]+)`)

const READS = ['GET', 'HEAD']
const hostIn = (origin: string) => origin.replace(/^https?:\/\//, '')

/** Whether a request is made with the cookie: its `Authorization` is `Session` with the ID of the user. */
export const isByCookie = ({ authorization = '' }: IncomingHttpHeaders): boolean =>
  /^session /i.test(authorization)

/** The token in the cookie of a request. */
export const tokenIn = ({ cookie = '' }: IncomingHttpHeaders): string | undefined => COOKIE.exec(cookie)?.[1]

/**
 * Throws 403 unless a request that means its cookie comes from a page of this service. The header `Authorization`, without which a cookie
 * means nothing, is one that forms and links can not send, and that other origins may send without cookies only. Beside this, browsers say
 * from where a request comes: with `Sec-Fetch-Site`, or at least with the `Origin` of each write.
 */
export function mustBeOwn({ headers, method }: Pick<FastifyRequest, 'headers' | 'method'>, baseUrl: string) {
  const { origin, host, 'sec-fetch-site': site } = headers
  const isKnown = site !== undefined || origin !== undefined || READS.includes(method)
  const isSame = origin === undefined || origin === new URL(baseUrl).origin || hostIn(origin) === host
  if (isKnown && isSame && (site === undefined || site === 'same-origin')) return
  throw new ApiError(
    'rest_forbidden',
    'The cookie of a session is for the pages of this service only. Programs send a Bearer token.',
  )
}

/**
 * Keeps a token in the browser until its session ends, for requests to this mount alone: scripts can not read it, and requests that begin
 * at other sites do not send it. Over HTTPS it is sent over HTTPS only. `seconds` of 0 removes it.
 */
export function setCookie(
  { headers: { origin } }: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  root: string,
  token: string,
  seconds: number,
) {
  const { protocol, pathname } = new URL(root)
  const isSecure = (origin ?? protocol).startsWith('https:')
  const rest = `Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  reply.header('set-cookie', `${isSecure ? SECURE_NAME : NAME}=${token}; ${rest}`)
}
