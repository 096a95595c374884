import { join } from 'node:path'
import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build, EVENT } from '../../support/app.ts'

const basic = (login: string, password: string) => ({
  headers: { authorization: basicAuth(login, password) },
})
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const MINUTE = 60_000

/** A user who signs in with the first password. */
async function enter(api: Api, login: string, role: 'subscriber' | 'editor' | 'administrator' = 'editor') {
  const { id, password } = (await api.app.store.users.add(login, role))!
  const [first] = await api.app.store.users.passwords(id)
  const open = async (given = password) =>
    bearer((await must(api.anonymous.post('/session', undefined, basic(login, given)))).token)
  const passwords = `/users/${id}/application-passwords`
  return { id, password, first: first!.id, open, passwords, sessions: `/users/${id}/sessions` }
}
type As = ReturnType<typeof bearer>
const whoami = async ({ anonymous }: Api, as: As) => {
  const answer = await anonymous.get('/session', undefined, as)
  return answer.status === 200 ? 200 : refusal(answer)
}
const ENDED = '401 invalid_token'

t.test('a session ends with the password that opened it, and with no other', async (t) => {
  const api = await build(t)
  const draft = await must(api.editor.post('/events', { ...EVENT, status: 'draft' }))
  const { first, password, open, passwords } = await enter(api, 'maria')
  const [one, two] = [await open(), await open()]
  const other = await must(api.administrator.post(passwords, { name: 'other' }))
  const third = await open(other.password)
  const program = await api.app.store.tokens.add(
    api.credentials.editor.id,
    'Session',
    ['read'],
    '2026-11-21 21:00:00',
  )
  await must(api.anonymous.get(`/events/${draft.id}`, undefined, one))

  await must(api.administrator.delete(`${passwords}/${first}`))
  for (const as of [one, two]) {
    t.equal(refusal(await api.anonymous.get(`/events/${draft.id}`, undefined, as)), ENDED)
    t.equal(refusal(await api.anonymous.post(passwords, { name: 'x' }, as)), ENDED)
  }
  t.equal(
    refusal(await api.anonymous.post('/session', undefined, basic('maria', password))),
    '401 incorrect_password',
  )
  t.same([await whoami(api, third), await whoami(api, bearer(program.token))], [200, 200])
})

t.test('sessions end when the user is disabled, and stay ended', async (t) => {
  const api = await build(t)
  const { id, open } = await enter(api, 'maria')
  const as = await open()
  const program = await api.app.store.tokens.add(id, 'program', ['read'], null)
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(await whoami(api, as), ENDED)
  await must(api.administrator.patch(`/users/${id}`, { disabled: false }))
  t.equal(await whoami(api, as), ENDED)
  t.equal(await whoami(api, bearer(program.token)), 200, 'what was made for programs goes on')
  const again = await open()
  await must(api.administrator.delete(`/users/${id}`))
  t.same([await whoami(api, again), await whoami(api, bearer(program.token))], [ENDED, ENDED])
})

t.test('a session that another process ends is ended in this one', async (t) => {
  const DATABASE = join(t.testdir(), 'a.db')
  const api = await build(t, { env: { DATABASE } })
  const { app } = await build(t, { env: { DATABASE }, users: false })
  const { id, first, open } = await enter(api, 'maria')
  const other = await api.app.store.users.addPassword(id, 'other')
  const [one, two] = [await open(), await open(other.password)]
  t.same([await whoami(api, one), await whoami(api, two)], [200, 200])
  await app.store.users.removePassword(id, first)
  t.same([await whoami(api, one), await whoami(api, two)], [ENDED, 200])
  await app.store.users.update(id, { disabled: true })
  t.equal(await whoami(api, two), ENDED)
})

t.test(
  'no session is opened with a password that is revoked, or whose user is disabled, meanwhile',
  async (t) => {
    const api = await build(t)
    const { id, first } = await enter(api, 'maria')
    const { tokens, users } = api.app.store
    await users.update(id, { disabled: true })
    await t.rejects(tokens.addSession(id, { password_id: first }, MINUTE), { code: 'invalid_username' })
    await users.removePassword(id, first)
    await t.rejects(tokens.addSession(id, { password_id: first }, MINUTE), { code: 'incorrect_password' })
    t.equal((await api.administrator.get('/tokens')).body.total, 4)
  },
)

t.test('users see and end their own sessions, and administrators those of all', async (t) => {
  const api = await build(t)
  const maria = await enter(api, 'maria', 'subscriber')
  const pau = await enter(api, 'pau')
  const one = await maria.open()
  api.clock.now += 5 * MINUTE
  const phone = await must(api.anonymous.post(maria.passwords, { name: 'phone' }, one))
  const two = await maria.open(phone.password)
  const his = await pau.open()
  const { body } = await api.anonymous.get(maria.sessions, undefined, one)
  const [first, second] = body.sessions
  t.same(body.sessions, [
    {
      ...{
        id: first.id,
        name: 'first',
        kind: 'application_password',
        application_password: maria.first,
        current: true,
      },
      ...{ created_utc: '2026-11-21 09:00:00', expires_utc: '2026-11-21 21:00:00' },
      last_used_utc: '2026-11-21 09:05:00',
    },
    {
      ...{
        id: second.id,
        name: 'phone',
        kind: 'application_password',
        application_password: phone.id,
        current: false,
      },
      ...{ created_utc: '2026-11-21 09:05:00', expires_utc: '2026-11-21 21:05:00' },
    },
  ])
  const own = `${maria.sessions}/${second.id}`
  t.same((await api.anonymous.get(own, undefined, one)).body, second)
  const { body: page } = await api.anonymous.get(`${maria.sessions}?per_page=1&page=2`, undefined, one)
  t.same([page.sessions, page.total], [[second], 2])

  for (const path of [maria.sessions, own])
    t.equal(refusal(await api.anonymous.get(path, undefined, his)), '403 rest_forbidden')
  t.equal(refusal(await api.anonymous.delete(own, undefined, his)), '403 rest_forbidden')
  const narrow = await api.app.store.tokens.add(maria.id, 'narrow', ['read', 'write'], null)
  t.match((await api.anonymous.get(maria.sessions, undefined, bearer(narrow.token))).body.message, /"admin"/)
  t.equal(
    refusal(await api.anonymous.delete(`${pau.sessions}/${second.id}`, undefined, his)),
    '404 session-not-found',
    'under the user that it belongs to',
  )

  t.same((await api.anonymous.delete(own, undefined, one)).body, second)
  t.equal(await whoami(api, two), ENDED)
  t.equal(refusal(await api.anonymous.get(own, undefined, one)), '404 session-not-found')
  await must(api.administrator.delete(`${maria.sessions}/${first.id}`))
  t.same([await whoami(api, one), await whoami(api, his)], [ENDED, 200])
  t.equal(refusal(await api.administrator.get('/users/999/sessions')), '404 user-not-found')
  t.equal(
    refusal(await api.administrator.get(`${maria.sessions}?page=2`)),
    '404 session-archive-page-not-found',
  )
  api.clock.now += 12 * 60 * MINUTE
  t.equal((await api.administrator.get(pau.sessions)).body.total, 0, 'what has expired is not shown')
})

t.test('credentials are made only by who has just proven a password', async (t) => {
  const api = await build(t)
  const { id, password, open, passwords } = await enter(api, 'maria', 'administrator')
  const session = await open()
  const { token } = await api.app.store.tokens.add(id, 'all', ['read', 'write', 'admin'], null)
  let n = 0
  const making = (): [path: string, body: object][] => [
    [passwords, { name: 'x' }],
    ['/users', { login: `new${++n}`, role: 'subscriber' }],
    ['/tokens', { user: id, name: 'x', scopes: ['read'] }],
  ]
  const counts = async () => [
    (await api.app.store.users.passwords(id)).length,
    await api.app.store.users.count(),
    await api.app.store.tokens.count(),
  ]
  api.clock.now += 10 * MINUTE
  for (const [path, body] of making()) await must(api.anonymous.post(path, body, session))
  for (const [path, body] of making()) await must(api.anonymous.post(path, body, basic('maria', password)))
  api.clock.now += 1
  const before = await counts()
  for (const as of [session, bearer(token)])
    for (const [path, body] of making()) {
      const refused = await api.anonymous.post(path, body, as)
      t.match(refused, {
        status: 401,
        body: { code: 'insufficient_user_authentication', data: { status: 401, max_age: 600 } },
        headers: {
          'www-authenticate':
            'Basic realm="Almanac", charset="UTF-8", Bearer realm="Almanac", error="insufficient_user_authentication", max_age="600"',
        },
      })
    }
  t.same(await counts(), before)
  t.equal(await whoami(api, session), 200, 'the session goes on')
  for (const [path, body] of making()) await must(api.anonymous.post(path, body, await open()))
})

t.test('a token signs itself out, whatever its scopes', async (t) => {
  const api = await build(t)
  for (const scopes of [['read'], ['write'], ['admin']] as const) {
    const { token } = await api.app.store.tokens.add(api.credentials.editor.id, 'x', [...scopes], null)
    t.match(await api.anonymous.delete('/session', undefined, bearer(token)), {
      status: 200,
      body: { scopes },
    })
    t.equal(await whoami(api, bearer(token)), ENDED)
  }
})
