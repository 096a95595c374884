import { sql } from 'drizzle-orm'
import t from 'tap'
import { hashPassword } from '../../../src/kernel/access/secrets.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build, EVENT, ROOT } from '../../support/app.ts'
import { documentOf, operationsOf } from '../../support/document.ts'

const CHALLENGE = 'Basic realm="Almanac", charset="UTF-8", Bearer realm="Almanac"'

/** A request that needs to know who asks, with these credentials. */
const tryOut = async ({ anonymous }: Api, authorization: string, method: 'get' | 'post' = 'post') => {
  const sent = method === 'post' ? { ...EVENT } : undefined
  const { status, body } = await anonymous[method]('/events', sent, { headers: { authorization } })
  return status < 300 ? status : `${status} ${body.code}`
}
const addUser = (api: Api, login: string, role = 'editor') =>
  must(api.administrator.post('/users', { login, role }))
const addToken = (api: Api, input: object) =>
  must(api.administrator.post('/tokens', { user: api.credentials.editor.id, name: 'x', ...input }))

const ZEROS = '0'.repeat(24)
const WRONG: [authorization: string, code: string][] = [
  ['', 'invalid_token'],
  ['Basic', 'invalid_token'],
  ['Basic ', 'invalid_token'],
  ['Basic %%%', 'invalid_token'],
  ['Basic bm9jb2xvbg==', 'invalid_token'],
  [basicAuth('', 'x'), 'invalid_token'],
  ['Bearer', 'invalid_token'],
  ['Bearer alm_wrong', 'invalid_token'],
  ['Bearer  ', 'invalid_token'],
  ['Token abc', 'invalid_token'],
  ['Digest username="editor"', 'invalid_token'],
  ['editor', 'invalid_token'],
  ['Basic\tZTpm', 'invalid_token'],
  [basicAuth('nobody', ZEROS), 'incorrect_password'],
  [basicAuth("' OR 1=1 --", ZEROS), 'incorrect_password'],
  [basicAuth('editor', ZEROS), 'incorrect_password'],
  [basicAuth('editor', ''), 'incorrect_password'],
]

t.test('wrong and malformed credentials are 401 with a code, and never anonymous', async (t) => {
  const api = await build(t)
  for (const [authorization, code] of WRONG)
    for (const path of [`${ROOT}/events`, `${ROOT}/nowhere`, '/nowhere']) {
      const options = { method: 'GET', url: path, headers: { authorization } } as const
      const { status, body, headers } = await api.anonymous.send(options)
      t.match(
        { status, code: body.code, challenge: headers['www-authenticate'] },
        { status: 401, code, challenge: CHALLENGE },
        `${JSON.stringify(authorization)} at ${path}`,
      )
      t.notMatch(body.message, /0000|wrong\b.*alm|OR 1=1/, 'what was sent is not repeated')
    }
})

t.test('every address checks credentials before anything else', async (t) => {
  const { anonymous, app, fingerprint } = await build(t)
  const operations = operationsOf(documentOf(app)).map(({ method, path }) => [method, `${ROOT}${path}`])
  const others = [
    ['get', `${ROOT}/doc/static/swagger-ui.css`],
    ['get', `${ROOT}/doc/start.js`],
    ['get', `${ROOT}/doc/openapi-3.0.json`],
    ['get', '/wp-json/tribe/events/v1/events'],
    ['get', '/ca/calendar/events/v1/events'],
    ['get', '/event/concert/'],
    ['get', '/events/category/music/'],
    ['get', '/media/2026/11/x.jpg'],
    ['delete', `${ROOT}/events`],
    ['head', `${ROOT}/events`],
    ['options', `${ROOT}/events`],
    ['post', '/nowhere'],
  ]
  const before = await fingerprint()
  for (const [at, [method, path]] of ([...operations, ...others] as [string, string][]).entries()) {
    const { status, headers } = await anonymous.send({
      method: method.toUpperCase() as 'GET',
      url: path.replace(/\{\w+\}/g, '1'),
      headers: { authorization: 'Bearer alm_wrong' },
      remoteAddress: `10.0.0.${at}`, // one address alone may not fail as often
      ...(method !== 'get' && { payload: { title: 1, login: 1 } }),
    })
    // pages have forms for it
    const challenge = /\/session\/(cookie|factor|passkey)$/.test(path) ? 'Bearer realm="Almanac"' : CHALLENGE
    t.same([status, headers['www-authenticate']], [401, challenge], `${method} ${path}`)
  }
  t.equal(await fingerprint(), before)
  t.ok(operations.length > 60, `${operations.length} operations`)
})

t.test('a password counts without spaces, a login without case, a scheme in any case', async (t) => {
  const api = await build(t)
  const { login, password } = await addUser(api, 'maria')
  const tight = password.replaceAll(' ', '')
  for (const [given, expected] of [
    [basicAuth(login, password), 201],
    [basicAuth('MARIA', tight), 201],
    [basicAuth(login, ` ${tight.slice(0, 3)}   ${tight.slice(3)} `), 201],
    [basicAuth(login, password).replace('Basic', 'bAsIc  '), 201],
    [basicAuth(login, tight.toLowerCase().toUpperCase()), '401 incorrect_password'],
    [basicAuth(login, tight.slice(1)), '401 incorrect_password'],
    [basicAuth(login, `${tight}x`), '401 incorrect_password'],
    [basicAuth(login, `${tight}:`), '401 incorrect_password'],
    [api.credentials.editor.authorization.replace('Bearer', 'bearer  '), 201],
    [api.credentials.editor.authorization.toUpperCase(), '401 invalid_token'],
  ] as const)
    t.equal(await tryOut(api, given), expected)
})

t.test('a password that is remembered stops at once when it is revoked or its user disabled', async (t) => {
  const api = await build(t)
  const { id, login, password } = await addUser(api, 'maria')
  const maria = basicAuth(login, password)
  t.equal(await tryOut(api, maria), 201)
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(await tryOut(api, maria, 'get'), '401 invalid_username')
  t.equal(await tryOut(api, maria, 'get'), '401 invalid_username', 'hashed again')
  await must(api.administrator.patch(`/users/${id}`, { disabled: false }))
  t.equal(await tryOut(api, maria), 201)

  await must(api.administrator.patch(`/users/${id}`, { role: 'subscriber' }))
  t.equal(await tryOut(api, maria), '403 rest_forbidden', 'a weaker role counts at once')

  const passwords = `/users/${id}/application-passwords`
  const other = await must(api.administrator.post(passwords, { name: 'other' }))
  const [first] = (await api.administrator.get(passwords)).body.application_passwords
  await must(api.administrator.delete(`${passwords}/${first.id}`))
  t.equal(await tryOut(api, maria, 'get'), '401 incorrect_password')
  t.equal(await tryOut(api, maria, 'get'), '401 incorrect_password')
  t.equal(await tryOut(api, basicAuth(login, other.password), 'get'), 200, 'others go on')

  await must(api.administrator.delete(`/users/${id}?reassign=${api.credentials.editor.id}`))
  t.equal(await tryOut(api, basicAuth(login, other.password), 'get'), '401 incorrect_password')
  t.equal(await tryOut(api, basicAuth(login, other.password), 'get'), '401 incorrect_password')
})

t.test('logins are not told apart, by the answer or by the work', async (t) => {
  const api = await build(t)
  const [maria, pau] = [await addUser(api, 'maria'), await addUser(api, 'pau')]
  const { db, users } = api.app.store
  const old = await hashPassword(maria.password.replaceAll(' ', ''))
  await db.write(async (tx) =>
    tx.run(sql`UPDATE application_passwords SET hash = ${old} WHERE user_id = ${maria.id}`),
  )
  const ask = async (login: string, password: string) => {
    const headers = { authorization: basicAuth(login, password) }
    const { status, text, headers: told } = await api.anonymous.get('/events', undefined, { headers })
    return [status, text, told['www-authenticate']]
  }
  const wrong = await ask('maria', ZEROS)
  for (const login of ['pau', 'nobody', 'no login at all']) t.same(await ask(login, ZEROS), wrong)
  await must(api.administrator.patch(`/users/${pau.id}`, { disabled: true }))
  t.same(await ask('pau', ZEROS), wrong, 'that a user is disabled is told to who has the password')
  t.match(await ask('pau', pau.password), [401, /invalid_username/])

  t.equal((await ask('maria', maria.password))[0], 200, 'a password from an earlier version is right')
  t.equal(
    await users.verify(await users.byLogin('maria'), maria.password, true),
    undefined,
    'unless it must be cheap',
  )
})

t.test('the address of a person is a login as well, with the same bounds', async (t) => {
  const api = await build(t)
  const maria = await addUser(api, 'maria')
  await must(api.administrator.patch(`/users/${maria.id}`, { email: 'Maria@Example.org' }))
  const ask = (name: string, password = maria.password, root = '') =>
    api.anonymous.get(`${root}/events`, undefined, { headers: { authorization: basicAuth(name, password) } })
  for (const root of ['', '//wp-json/tribe/events/v1'])
    t.equal((await ask('maria@example.ORG', maria.password, root)).status, 200)
  t.equal(refusal(await ask('other@example.org')), '401 incorrect_password')
  t.equal(refusal(await ask('maria@example.org', ZEROS)), '401 incorrect_password')
  for (let failures = 0; failures < 60; failures++) await ask('maria@example.org', ZEROS)
  t.equal((await ask('maria@example.org', ZEROS)).status, 429)
})

const OTHER_HASH = `scrypt:AAAA:${'A'.repeat(43)}=`

t.test('a password is hashed again after a minute', async (t) => {
  const api = await build(t)
  const { login, password } = await addUser(api, 'maria')
  t.equal(await tryOut(api, basicAuth(login, password), 'get'), 200)
  await api.app.store.db.write(async (tx) =>
    tx.run(sql`UPDATE application_passwords SET hash = ${OTHER_HASH}`),
  )
  t.equal(await tryOut(api, basicAuth(login, password), 'get'), 200, 'not hashed')
  api.clock.now += 60_000
  t.equal(await tryOut(api, basicAuth(login, password), 'get'), 200)
  api.clock.now += 1
  t.equal(await tryOut(api, basicAuth(login, password), 'get'), '401 incorrect_password')
})

t.test('a token stops when it expires, is revoked, or its user is disabled', async (t) => {
  const api = await build(t)
  const { token } = await addToken(api, { expires: '+10 minutes' })
  t.equal(await tryOut(api, `Bearer ${token}`), 201)
  api.clock.now += 10 * 60_000 - 1
  t.equal(await tryOut(api, `Bearer ${token}`), 201)
  api.clock.now += 1
  t.equal(await tryOut(api, `Bearer ${token}`, 'get'), '401 invalid_token', 'at the very second')

  const revoked = await addToken(api, {})
  t.equal(await tryOut(api, `Bearer ${revoked.token}`), 201)
  await must(api.administrator.delete(`/tokens/${revoked.id}`))
  t.equal(await tryOut(api, `Bearer ${revoked.token}`, 'get'), '401 invalid_token')

  const { authorization, id } = api.credentials.editor
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(await tryOut(api, authorization, 'get'), '401 invalid_token')
})

t.test('scopes narrow a token, and never widen the role', async (t) => {
  const api = await build(t)
  const roles = {
    administrator: [200, 201, 200],
    editor: [200, 201, 403],
    subscriber: [200, 403, 403],
  } as const
  for (const [role, allowed] of Object.entries(roles))
    for (const scopes of [['read'], ['write'], ['admin'], ['read', 'write'], ['write', 'admin']]) {
      const user = api.credentials[role as keyof typeof roles].id
      const { token } = await addToken(api, { user, scopes })
      const more = { headers: { authorization: `Bearer ${token}` } }
      const got = [
        (await api.anonymous.get('/events', undefined, more)).status,
        (await api.anonymous.post('/events', EVENT, more)).status,
        (await api.anonymous.get('/users', undefined, more)).status,
      ]
      const expected = ['read', 'write', 'admin'].map((scope, at) =>
        scopes.includes(scope) ? allowed[at] : 403,
      )
      t.same(got, expected, `${role} with ${scopes}`)
    }
  const { token } = await addToken(api, { scopes: ['read'] })
  const refused = await api.anonymous.post('/events', EVENT, {
    headers: { authorization: `Bearer ${token}` },
  })
  t.match(refused, { status: 403, body: { code: 'rest_forbidden', message: /lacks the scope "write"/ } })
})

t.test('the last use is noted to the minute, where it can be', async (t) => {
  const api = await build(t, { fresh: true })
  const { id, login, password } = await addUser(api, 'maria')
  const made = await addToken(api, {})
  const lastUses = async () => [
    (await api.administrator.get(`/users/${id}/application-passwords`)).body.application_passwords[0]
      .last_used_utc,
    (await api.administrator.get(`/tokens/${made.id}`)).body.last_used_utc,
  ]
  const use = async () => [
    await tryOut(api, basicAuth(login, password), 'get'),
    await tryOut(api, `Bearer ${made.token}`, 'get'),
  ]
  t.same(await lastUses(), [undefined, undefined])
  await use()
  api.clock.now += 59_999
  await use()
  t.same(await lastUses(), ['2026-11-21 09:00:00', '2026-11-21 09:00:00'])
  api.clock.now += 1
  await use()
  t.same(await lastUses(), ['2026-11-21 09:01:00', '2026-11-21 09:01:00'])
  await api.administrator.get('/tokens')
  api.clock.now += 60_000
  await api.app.store.db.write(async (tx) => void tx.run(sql`PRAGMA query_only = ON`))
  t.same(await use(), [200, 200], 'reads go on where nothing can be written')
})

t.test('a token gives no scope that it lacks, by whatever credential it makes', async (t) => {
  const { administrator, anonymous, credentials, fingerprint, app } = await build(t)
  const { id } = credentials.administrator
  const bearer = async (scopes: string[]) => {
    const { token } = await must(administrator.post('/tokens', { user: id, name: 'x', scopes }))
    return { headers: { authorization: `Bearer ${token}` } }
  }
  const narrow = await bearer(['admin'])
  const reader = await bearer(['read', 'admin'])
  const full = await bearer(['read', 'write', 'admin'])
  const passwords = `/users/${credentials.editor.id}/application-passwords`
  const before = [await fingerprint(), await app.store.users.count(), await app.store.tokens.count()]
  for (const [by, path, body] of [
    [narrow, '/tokens', { user: id, name: 'x' }],
    [narrow, '/tokens', { user: id, name: 'x', scopes: null }],
    [narrow, '/tokens', { user: id, name: 'x', scopes: ['read'] }],
    [narrow, '/tokens', { user: credentials.editor.id, name: 'x', scopes: ['admin', 'write'] }],
    [reader, '/tokens', { user: id, name: 'x', scopes: ['read', 'write'] }],
    [narrow, passwords, { name: 'x' }],
    [reader, passwords, { name: 'x' }],
    [narrow, '/users', { login: 'new', role: 'subscriber' }],
    [reader, '/users', { login: 'new', role: 'subscriber' }],
  ] as const) {
    const { status, body: told } = await anonymous.post(path, body, by)
    t.same([status, told.code], [403, 'rest_forbidden'], `${path} ${JSON.stringify(body)}`)
    t.match(told.message, /A token can not give a scope that it lacks, and this one lacks .*write|read/)
  }
  t.same([await fingerprint(), await app.store.users.count(), await app.store.tokens.count()], before)
  const proofless = '401 insufficient_user_authentication'
  for (const [by, path, body] of [
    [narrow, '/tokens', { user: id, name: 'x', scopes: ['admin'] }],
    [reader, '/tokens', { user: id, name: 'x', scopes: ['admin', 'read'] }],
    [full, '/tokens', { user: id, name: 'x' }],
    [full, '/users', { login: 'new', role: 'subscriber' }],
    [full, passwords, { name: 'x' }],
  ] as const)
    t.equal(refusal(await anonymous.post(path, body, by)), proofless, 'and what it has only with a password')
  t.same([await fingerprint(), await app.store.users.count(), await app.store.tokens.count()], before)
  const { password } = await must(administrator.post(`/users/${id}/application-passwords`, { name: 'x' }))
  const basic = { headers: { authorization: basicAuth('administrator', password) } }
  await must(anonymous.post('/tokens', { user: id, name: 'x' }, basic))
})

t.test('who reads with credentials that nobody has is told to read without', async (t) => {
  const { anonymous } = await build(t)
  for (const authorization of ['Bearer undefined', 'Basic Og==', 'Basic dXNlcjpwYXNz', 'Token x']) {
    const headers = { authorization }
    const read = await anonymous.send({ url: `${ROOT}/events`, headers })
    t.match(read, {
      status: 401,
      body: { message: / leave out the Authorization header\.$/ },
      headers: { 'www-authenticate': /Basic/ },
    })
    const write = await anonymous.send({ method: 'POST', url: `${ROOT}/events`, headers, payload: EVENT })
    t.equal(write.status, 401)
    t.notMatch(write.body.message, 'leave out')
  }
  t.equal((await anonymous.get('/events')).status, 200)
})
