import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, basicAuth, build, ROOT } from '../../support/app.ts'

/** A header of a user who has just signed in. */
async function enter(
  { app, anonymous, credentials }: Api,
  role: 'subscriber' | 'contributor' | 'author' | 'editor',
) {
  const { id, password } = await app.store.users.addPassword(credentials[role].id, 'first')
  const headers = { authorization: basicAuth(role, password) }
  const { token } = await must(anonymous.post('/session', undefined, { headers }))
  return { id, as: { headers: { authorization: `Bearer ${token}` } } }
}

t.test('every user manages their own application passwords, and only these', async (t) => {
  const api = await build(t)
  for (const role of ['subscriber', 'contributor', 'editor'] as const) {
    const { id, as } = await enter(api, role)
    const own = `/users/${api.credentials[role].id}/application-passwords`
    const made = await must(api.anonymous.post(own, { name: 'phone' }, as))
    t.match((await api[role].get(own)).body.application_passwords, [{ id }, { id: made.id, name: 'phone' }])
    t.match((await api[role].get(`${own}/${made.id}`)).body, { name: 'phone' })
    t.equal((await api[role].delete(`${own}/${made.id}`)).status, 200)
    t.equal((await api.administrator.get(own)).body.total, 1)
  }
  const others = `/users/${api.credentials.author.id}/application-passwords`
  const { as } = await enter(api, 'author')
  const { id } = await must(api.anonymous.post(others, { name: 'laptop' }, as))
  for (const [method, path] of [
    ['get', others],
    ['post', others],
    ['get', `${others}/${id}`],
    ['delete', `${others}/${id}`],
    ['delete', '/users/999/application-passwords/1'],
  ] as const) {
    t.match(await api.editor[method](path, method === 'post' ? { name: 'x' } : undefined), {
      status: 403,
      body: { code: 'rest_forbidden', message: /manage users and tokens/ },
    })
    t.equal((await api.anonymous[method](path, method === 'post' ? { name: 'x' } : undefined)).status, 401)
  }
  t.equal((await api.author.get(`/users/${api.credentials.editor.id}`)).status, 403, 'nothing else is theirs')
})

t.test('a token without the scope admin does not manage the passwords of its user', async (t) => {
  const { app, anonymous, credentials } = await build(t)
  const { id } = credentials.author
  const { token } = await app.store.tokens.add(id, 'writer', ['read', 'write'], null)
  for (const method of ['GET', 'POST'] as const)
    t.match(
      await anonymous.send({
        ...{ method, url: `${ROOT}/users/${id}/application-passwords` },
        headers: { authorization: `Bearer ${token}` },
        ...(method === 'POST' && { payload: { name: 'phone' } }),
      }),
      { status: 403, body: { message: /lacks the scope "admin"/ } },
    )
})
