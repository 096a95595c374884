import t from 'tap'
import { application_passwords } from '../../../drizzle/tables.ts'
import { hashPassword } from '../../../src/kernel/access/secrets.ts'
import { must } from '../../support/answers.ts'
import { type Api, basicAuth, build, EVENT } from '../../support/app.ts'
import { faults } from '../../support/validation.ts'

const CREATED = '2026-11-21 09:00:00'

t.test('a user is added, read, changed and removed', async (t) => {
  const { administrator } = await build(t)
  const made = await administrator.post('/users', { login: 'Maria', role: 'editor', colour: 'red' })
  const { id, password } = made.body
  const maria = { id, login: 'maria', role: 'editor', disabled: false, created_utc: CREATED }
  t.equal(made.status, 201)
  t.same(made.body, { ...maria, password })
  t.match(password, /^([A-Za-z0-9]{4} ){5}[A-Za-z0-9]{4}$/)
  t.match(made.headers, {
    location: `http://calendar.test/calendar/events/v1/users/${id}`,
    'cache-control': 'no-store',
    'x-ignored-fields': 'colour',
  })
  t.same((await administrator.get(`/users/${id}`)).body, maria)
  t.same((await administrator.get(`/users/${id}?_fields=login`)).body, { login: 'maria' })
  for (const [change, expected] of [
    [{}, {}],
    [{ role: null, disabled: null }, {}],
    [{ role: 'author' }, { role: 'author' }],
    [{ disabled: true }, { role: 'author', disabled: true }],
    [{ role: 'subscriber', disabled: 'FALSE' }, { role: 'subscriber' }],
  ]) {
    const { status, body } = await administrator.patch(`/users/${id}`, change)
    t.same([status, body], [200, { ...maria, ...expected }], JSON.stringify(change))
  }
  const removed = await administrator.delete(`/users/${id}`)
  t.same([removed.status, removed.body.login], [200, 'maria'])
  t.equal((await administrator.get(`/users/${id}`)).body.code, 'user-not-found')
  const next = await must(administrator.post('/users', { login: 'maria', role: 'editor' }))
  t.ok(next.id > id, 'no number is given twice')
})

t.test('an application password is made, read and revoked', async (t) => {
  const { administrator, credentials } = await build(t)
  const path = `/users/${credentials.author.id}/application-passwords`
  const { status, body, headers } = await administrator.post(path, { name: 'phone' })
  const row = { id: body.id, name: 'phone', created_utc: CREATED }
  t.same([status, body], [201, { ...row, password: body.password }])
  t.equal(headers.location, `http://calendar.test/calendar/events/v1${path}/${body.id}`)
  t.same((await administrator.get(`${path}/${body.id}`)).body, row)
  t.same((await administrator.get(path)).body.application_passwords, [row])
  const elsewhere = `/users/${credentials.editor.id}/application-passwords/${body.id}`
  for (const method of ['get', 'delete'] as const)
    t.equal((await administrator[method](elsewhere)).body.code, 'application-password-not-found')
  t.same((await administrator.delete(`${path}/${body.id}`)).body, row)
  t.same((await administrator.get(path)).body.total, 0)
})

t.test('a token is made, read and revoked', async (t) => {
  const { administrator, credentials } = await build(t)
  const user = credentials.editor.id
  for (const [input, expected] of [
    [{}, { scopes: ['read', 'write', 'admin'] }],
    [{ scopes: null, expires: null }, { scopes: ['read', 'write', 'admin'] }],
    [{ scopes: 'read, write,read' }, { scopes: ['read', 'write'] }],
    [
      { scopes: ['read'], expires: '+90 days' },
      { scopes: ['read'], expires_utc: '2027-02-19 09:00:00' },
    ],
    [{ expires: '2027-01-01T00:00:00+01:00' }, { expires_utc: '2026-12-31 23:00:00' }],
    [{ expires: '2027-01-01' }, { expires_utc: '2027-01-01 00:00:00' }],
  ] as const) {
    const { status, body, headers } = await administrator.post('/tokens', { user, name: 'x', ...input })
    const { token, ...row } = body
    t.match(token, /^alm_[\w-]{32}$/)
    t.same(
      [status, row],
      [
        201,
        {
          id: body.id,
          user,
          name: 'x',
          scopes: ['read', 'write', 'admin'],
          created_utc: CREATED,
          ...expected,
        },
      ],
    )
    t.equal(headers.location, `http://calendar.test/calendar/events/v1/tokens/${body.id}`)
    t.same((await administrator.get(`/tokens/${body.id}`)).body, row)
    t.same((await administrator.delete(`/tokens/${body.id}`)).body, row)
    t.equal((await administrator.get(`/tokens/${body.id}`)).body.code, 'token-not-found')
  }
})

t.test('the lists have pages like all others, and nothing that is null or secret', async (t) => {
  const { administrator, credentials } = await build(t)
  const passwords = `/users/${credentials.author.id}/application-passwords`
  for (const name of ['a', 'b', 'c']) await must(administrator.post(passwords, { name }))
  for (const [path, key, schema, kind] of [
    ['/users', 'users', 'UserPage', 'user'],
    [passwords, 'application_passwords', 'ApplicationPasswordPage', 'application-password'],
    ['/tokens', 'tokens', 'TokenPage', 'token'],
  ] as const) {
    const { body: all } = await administrator.get(`${path}?per_page=100`)
    const ids = all[key].map(({ id }: { id: number }) => id)
    t.ok(ids.length >= 3)
    t.same(faults(schema, all), [])
    t.notMatch(JSON.stringify(all), /null|hash|scrypt|"(password|token)":/)
    const second = await administrator.get(`${path}?per_page=2&page=2&colour=red`)
    t.same(
      second.body[key].map(({ id }: { id: number }) => id),
      ids.slice(2, 4),
    )
    const root = `http://calendar.test/calendar/events/v1${path}/?per_page=2&colour=red`
    t.match(second.body, { rest_url: `${root}&page=2`, previous_rest_url: root, total: ids.length })
    t.equal(second.headers['x-wp-total'], String(ids.length))
    const beyond = await administrator.get(`${path}?page=9`)
    t.match(beyond, { status: 404, body: { code: `${kind}-archive-page-not-found` } })
  }
})

t.test('what can not be taken is 400, and says which parameter and why', async (t) => {
  const { administrator, credentials, fingerprint } = await build(t)
  const mine = credentials.editor.id
  const before = await fingerprint()
  const long = 'x'.repeat(101)
  for (const [path, body, code, params] of [
    ['/users', {}, 'rest_missing_callback_param', ['login', 'role']],
    ['/users', { login: 'a', role: 'king' }, 'rest_invalid_param', ['role']],
    ['/users', { login: 'a b', role: 'editor' }, 'rest_invalid_param', ['login']],
    ['/users', { login: 'a:b', role: 'editor' }, 'rest_invalid_param', ['login']],
    ['/users', { login: '', role: 7 }, 'rest_invalid_param', ['login', 'role']],
    ['/users', { login: 'x'.repeat(61), role: 'editor' }, 'rest_invalid_param', ['login']],
    ['/users', { login: 'EDITOR', role: 'editor' }, 'rest_invalid_param', ['login']],
    [`/users/${mine}/application-passwords`, {}, 'rest_missing_callback_param', ['name']],
    [`/users/${mine}/application-passwords`, { name: '' }, 'rest_invalid_param', ['name']],
    [`/users/${mine}/application-passwords`, { name: long }, 'rest_invalid_param', ['name']],
    ['/tokens', { name: 'x' }, 'rest_missing_callback_param', ['user']],
    ['/tokens', { user: 0, name: 'x' }, 'rest_invalid_param', ['user']],
    ['/tokens', { user: mine, name: 'x', scopes: [] }, 'rest_invalid_param', ['scopes']],
    ['/tokens', { user: mine, name: 'x', scopes: ['read', 'root'] }, 'rest_invalid_param', ['scopes']],
    ['/tokens', { user: mine, name: 'x', expires: '' }, 'rest_invalid_param', ['expires']],
    ['/tokens', { user: mine, name: 'x', expires: 'never' }, 'rest_invalid_param', ['expires']],
    ['/tokens', { user: mine, name: 'x', expires: 'yesterday' }, 'rest_invalid_param', ['expires']],
    ['/tokens', { user: mine, name: 'x', expires: 'now' }, 'rest_invalid_param', ['expires']],
  ] as const) {
    const { status, body: answer } = await administrator.post(path, body)
    const { params: named } = answer.data
    t.same(
      [status, answer.code, Array.isArray(named) ? named : Object.keys(named)],
      [400, code, params],
      `${path} ${JSON.stringify(body)}`,
    )
  }
  t.equal((await administrator.patch(`/users/${mine}`, { role: 'king' })).status, 400)
  t.equal((await administrator.patch(`/users/${mine}`, { disabled: 'perhaps' })).status, 400)
  t.equal((await administrator.get('/users?page=0')).status, 400)
  t.equal((await administrator.delete(`/users/${mine}?reassign=x`)).status, 400)
  t.equal(await fingerprint(), before)
})

t.test('what does not exist is 404', async (t) => {
  const { administrator } = await build(t)
  for (const [method, path, body, code] of [
    ['get', '/users/999', undefined, 'user-not-found'],
    ['patch', '/users/999', { role: 'editor' }, 'user-not-found'],
    ['delete', '/users/999', undefined, 'user-not-found'],
    ['get', '/users/999/application-passwords', undefined, 'user-not-found'],
    ['post', '/users/999/application-passwords', { name: 'x' }, 'user-not-found'],
    ['delete', '/users/1/application-passwords/999', undefined, 'application-password-not-found'],
    ['post', '/tokens', { user: 999, name: 'x' }, 'user-not-found'],
    ['get', '/tokens/999', undefined, 'token-not-found'],
    ['delete', '/tokens/999', undefined, 'token-not-found'],
    ['get', '/users/maria', undefined, 'rest_no_route'],
  ] as const)
    t.match(await administrator[method](path, body), { status: 404, body: { code } }, `${method} ${path}`)
})

t.test('who is removed leaves records to another', async (t) => {
  const { administrator, author, credentials, anonymous } = await build(t)
  const event = await must(author.post('/events', EVENT))
  const [from, to] = [credentials.author.id, credentials.editor.id]
  for (const heir of ['', `?reassign=${from}`, '?reassign=999'])
    t.match(await administrator.delete(`/users/${from}${heir}`), {
      status: 400,
      body: { data: { params: { reassign: /another user, who takes over the 1 records of author/ } } },
    })
  t.equal((await administrator.delete(`/users/${from}?reassign=${to}`)).status, 200)
  t.equal((await anonymous.get(`/events/${event.id}`)).body.author, String(to))
  t.equal((await author.get('/events')).status, 401, 'tokens go with their user')
})

t.test('the last administrator who can sign in stays', async (t) => {
  const { administrator, credentials } = await build(t)
  const path = `/users/${credentials.administrator.id}`
  const last = (param: string) => ({
    status: 400,
    body: { data: { params: { [param]: /last administrator/ } } },
  })
  const second = await must(administrator.post('/users', { login: 'second', role: 'administrator' }))
  await must(administrator.patch(`/users/${second.id}`, { disabled: true }))
  t.match(await administrator.patch(path, { role: 'editor' }), last('role'))
  t.match(await administrator.patch(path, { disabled: true }), last('disabled'))
  t.match(await administrator.delete(path), last('id'))
  t.equal((await administrator.patch(path, { role: 'administrator', disabled: false })).status, 200)
  t.equal((await administrator.delete(`/users/${second.id}`)).status, 200, 'one who is disabled may go')

  const third = await must(administrator.post('/users', { login: 'third', role: 'administrator' }))
  t.equal((await administrator.patch(path, { role: 'editor' })).status, 200)
  t.equal((await administrator.get('/users')).status, 403, 'a role counts at once')
  t.ok(third.id)
})

const login = async ({ anonymous }: Api, name: string, password: string) => {
  const headers = { authorization: basicAuth(name, password) }
  const { status, body } = await anonymous.get('/events', undefined, { headers })
  return status === 200 ? 200 : body.code
}

t.test('an application password is taken as it is, spaces apart', async (t) => {
  const api = await build(t)
  const { id, password } = await must(api.administrator.post('/users', { login: 'maria', role: 'editor' }))
  const path = `/users/${id}/application-passwords`
  const others = []
  for (let n = 0; n < 100; n++) others.push(await must(api.administrator.post(path, { name: `n${n}` })))
  for (const right of [password, password.replaceAll(' ', ''), others[0].password, others[99].password])
    t.equal(await login(api, 'maria', right), 200)
  for (const wrong of [`${password}\0`, `\0${password}`, `${password}\n`, password.toLowerCase(), 'wrong'])
    t.equal(await login(api, 'maria', wrong), 'incorrect_password', JSON.stringify(wrong))
  for (const name of ['maria\0', 'maria\n', ' maria', 'maria\0x'])
    t.equal(await login(api, name, password), 'incorrect_password', JSON.stringify(name))
  await must(api.administrator.delete(`${path}/${others[99].id}`))
  t.equal(await login(api, 'maria', others[99].password), 'incorrect_password', 'one that was revoked')
  const rows = await api.app.store.db.read.select().from(application_passwords)
  for (const { hash } of rows) t.match(hash, /^keyed:[\w+/=]{44}$/)
})

t.test(
  'passwords of earlier versions still open, ten of a user at the most, those first that were used last',
  async (t) => {
    const api = await build(t)
    const { store } = api.app
    const user_id = api.credentials.editor.id
    const add = async (password: string, last_used_utc: string | null) => {
      const hash = await hashPassword(password)
      await store.db.write(async (tx) => {
        await tx
          .insert(application_passwords)
          .values({ user_id, name: password, hash, created_utc: '', last_used_utc })
      })
    }
    await add('oldest', null)
    for (let n = 0; n < 9; n++) await add(`used${n}`, `2026-11-20 10:00:0${n}`)
    t.equal(await login(api, 'editor', 'oldest'), 200)
    t.equal(await login(api, 'editor', 'used0'), 200)
    t.equal(await login(api, 'editor', 'used0\0'), 'incorrect_password')
    for (let n = 0; n < 10; n++) await add(`newer${n}`, `2026-11-21 11:00:0${n}`)
    t.equal(await login(api, 'editor', 'used3'), 'incorrect_password', 'beyond ten')
    t.equal(await login(api, 'editor', 'newer0'), 200)
    const { password } = await store.users.addPassword(user_id, 'fresh')
    t.equal(await login(api, 'editor', password), 200)
  },
)
