import { join } from 'node:path'
import type { Test } from 'tap'
import { type Api, build } from './app.ts'
import { until } from './until.ts'

/** What `/health` says of a mirror, once it is no longer starting; the error shows it where that is another state than this one. */
export const reached = ({ app }: Pick<Api, 'app'>, state: string, headers = {}) =>
  until(async () => {
    const { mirror } = (await app.inject({ url: '/health', headers })).json()
    if (mirror.state === state) return mirror
    if (mirror.state !== 'starting') throw new Error(JSON.stringify(mirror))
  })

/** Serves a mirror until it is in step with its source. */
export async function follow(api: Api) {
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  await reached(api, 'following')
}

/** A mirror that passes writes on to the calendar at an address; it does not follow it yet. */
export async function forwarding(t: Test, address: string, authorization: string, env = {}) {
  const credentials = join(t.testdir({ credentials: authorization.slice('Bearer '.length) }), 'credentials')
  const to = { MIRROR: address, MIRROR_CREDENTIALS: credentials, MIRROR_WRITES: 'forward' }
  return build(t, { env: { ...to, ...env } })
}
