import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'

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
