import { join } from 'node:path'
import type { Test } from 'tap'
import { type Api, build } from './app.ts'

/** Serves a mirror until it is in step with its source. */
export async function follow({ app }: Api) {
  await app.listen({ port: 0, host: '127.0.0.1' })
  for (;;) {
    const { mirror } = (await app.inject('/health')).json()
    if (mirror.state === 'following') return
    if (mirror.state !== 'starting') throw new Error(JSON.stringify(mirror))
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A mirror that passes writes on to the calendar at an address; it does not follow it yet. */
export async function forwarding(t: Test, address: string, authorization: string, env = {}) {
  const credentials = join(t.testdir({ credentials: authorization.slice('Bearer '.length) }), 'credentials')
  const to = { MIRROR: address, MIRROR_CREDENTIALS: credentials, MIRROR_WRITES: 'forward' }
  return build(t, { env: { ...to, ...env } })
}
