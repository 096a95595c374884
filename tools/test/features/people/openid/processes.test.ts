import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { buildApp } from '../../../../../src/app.ts'
import { readConfig } from '../../../../../src/config.ts'
import { acceptForwarded } from '../../../../../src/run/forwarding.ts'
import { build, ROOT } from '../../../../../test/support/app.ts'
import { FROM_DESK, FROM_ELSEWHERE } from '../../../support/openid.ts'
import { openProvider, signInThere } from '../../../support/provider.ts'

t.test('a process that only reads passes both steps on to the one that writes', async (t) => {
  const provider = await openProvider(t, { maria: {} })
  const folder = mkdtempSync(join(tmpdir(), 'openid-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    ...{ ...provider.env, DATABASE: join(t.testdir(), 'a.db'), OPENID_NEW_USERS: 'author' },
    ...{ BASE_URL: 'http://calendar.test', MAX_DELAY: '0' },
  }
  const { app } = await build(t, { env })
  const reader = await buildApp({ config: readConfig(env), worker: { folder, writes: false } })
  t.teardown(() => reader.close())
  const origin = await reader.listen({ port: 0, host: '127.0.0.1' })
  const ask = (path: string, headers: Record<string, string>) =>
    fetch(origin + ROOT + path, { redirect: 'manual', headers })
  const begin = () => ask('/session/openid', FROM_DESK)
  t.equal(
    (await begin()).headers.get('location'),
    'http://calendar.test/desk/#/openid/rest_not_ready/',
    'no writer',
  )

  const server = await acceptForwarded(app, { folder, writes: true })
  t.teardown(() => server.close())
  const began = await begin()
  const back = await signInThere(began.headers.get('location')!, 'maria')
  const [cookie] = began.headers.getSetCookie()[0]!.split(';')
  const came = await ask(`/session/openid/callback${back.search}`, { ...FROM_ELSEWHERE, cookie: cookie! })
  t.match(came.headers.get('location'), /#\/openid\/\d+$/)
  t.match(came.headers.getSetCookie(), [/^almanac-openid-[\w-]{8}=; /, /^almanac-session=alm_/])
  t.ok(await app.store.users.byLogin('user'))
})
