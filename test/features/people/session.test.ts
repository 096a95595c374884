import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build } from '../../support/app.ts'

/** The header of a login with an application password. */
const basic = (login: string, password: string) => ({
  authorization: basicAuth(login, password),
})
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Adds a user and signs in. */
async function signIn(api: Api, login: string, role: 'subscriber' | 'contributor' | 'editor') {
  const { id, password } = (await api.app.store.users.add(login, role))!
  const headers = basic(login, password)
  const made = await api.anonymous.post('/session', undefined, { headers })
  return { id, headers, made }
}

t.test('a password becomes a token that expires, for every role', async (t) => {
  const api = await build(t)
  for (const role of ['subscriber', 'contributor', 'editor'] as const) {
    const { id, headers, made } = await signIn(api, `the-${role}`, role)
    const shown = {
      ...{ user: id, login: `the-${role}`, role, scopes: ['read', 'write', 'admin'] },
      expires_utc: '2026-11-21 21:00:00',
    }
    t.equal(made.status, 201)
    t.match(made.headers, {
      location: 'http://calendar.test/calendar/events/v1/session',
      'cache-control': 'no-store',
    })
    t.same(made.body, { ...shown, token: made.body.token })
    const own = { headers: bearer(made.body.token) }
    t.same((await api.anonymous.get('/session', undefined, own)).body, shown)
    const { expires_utc: _, ...withPassword } = shown
    t.same((await api.anonymous.get('/session', undefined, { headers })).body, withPassword)
  }
  t.equal(refusal(await api.anonymous.get('/session')), '401 rest_forbidden')
  t.equal(refusal(await api.anonymous.post('/session')), '401 rest_forbidden')
})

t.test('a token can not sign in, so that it can not extend itself', async (t) => {
  const api = await build(t)
  const { made } = await signIn(api, 'marta', 'editor')
  const again = await api.anonymous.post('/session', undefined, { headers: bearer(made.body.token) })
  t.equal(refusal(again), '403 rest_forbidden')
})

t.test('signing out revokes the token, and a password has none', async (t) => {
  const api = await build(t)
  const { made, headers } = await signIn(api, 'marta', 'editor')
  const own = { headers: bearer(made.body.token) }
  const { token: _, ...shown } = made.body
  t.same((await api.anonymous.delete('/session', undefined, own)).body, shown)
  t.equal(refusal(await api.anonymous.get('/session', undefined, own)), '401 invalid_token')
  t.equal(refusal(await api.anonymous.delete('/session', undefined, { headers })), '403 rest_forbidden')
})

t.test('sessions that have ended are forgotten at the next one', async (t) => {
  const api = await build(t)
  const { id, headers } = await signIn(api, 'marta', 'editor')
  await api.app.store.tokens.add(id, 'Session', ['read'], '2026-11-21 10:00:00')
  api.clock.now += 13 * 3_600_000
  await must(api.anonymous.post('/session', undefined, { headers }))
  const { tokens } = await must(api.administrator.get('/tokens?per_page=50'))
  t.same(
    tokens.filter(({ user }: { user: number }) => user === id).map(({ name }: { name: string }) => name),
    ['Session', 'Session'],
    'a token of a program is none of them',
  )
})
