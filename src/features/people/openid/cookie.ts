import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply } from 'fastify'

/** How long a sign-in with a provider may take, in milliseconds. */
export const LASTS = 10 * 60_000

/** Each sign-in has a cookie of its own, so that several can be under way in one browser. */
const nameOf = (state: string, isSecure: boolean) =>
  `${isSecure ? '__Secure-' : ''}almanac-openid-${state.slice(0, 8)}`

/** A secret of a browser that begins to sign in. */
export const makeSecret = () => randomBytes(32).toString('base64url')

/** What the service remembers of that secret. */
export const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** What only the browser that began can come back with: the nonce of its token and the verifier of its code, which are stored nowhere else. */
export function begunBy(secret: string, state: string) {
  const derive = (what: string) => createHmac('sha256', secret).update(`${what} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), verifier: derive('verifier') }
}

/**
 * Keeps the secret in the browser until it comes back from the provider: the address of the callback alone gets it, scripts do not see it,
 * and of the requests that begin at other sites only those that show a page have it. Empty removes it.
 */
export function setSecret(reply: FastifyReply, callback: string, state: string, secret: string) {
  const { protocol, pathname } = new URL(callback)
  const isSecure = protocol === 'https:'
  const seconds = secret === '' ? 0 : LASTS / 1000
  const rest = `Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  reply.header('set-cookie', `${nameOf(state, isSecure)}=${secret}; ${rest}`)
}

/** The secret with which the browser began. */
export function secretIn({ cookie = '' }: IncomingHttpHeaders, callback: string, state: string) {
  const name = `${nameOf(state, callback.startsWith('https:'))}=`
  const found = cookie.split(/;\s*/).find((one) => one.startsWith(name))
  return found?.slice(name.length)
}
