import t from 'tap'
import type { AuditEntry } from '../../../schemas/audit.ts'
import { buildApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build, countOf, EVENT } from '../../support/app.ts'

// biome-ignore lint/suspicious/noExplicitAny: entries are what the tests are about
type Entry = Omit<(typeof AuditEntry)['static'], 'subject'> & { subject?: any }

const basic = (login: string, password: string) => ({
  authorization: basicAuth(login, password),
})
const entriesOf = async ({ administrator }: Api, query = '') =>
  (await must(administrator.get(`/audit?per_page=50&${query}`))).entries as Entry[]
const codesOf = async (api: Api, query = '') => (await entriesOf(api, query)).map(({ code }) => code)

t.test('who did what to what is told, with when and from where', async (t) => {
  const api = await build(t, { fresh: true })
  const { administrator, credentials } = api
  await must(administrator.get('/session'))
  const { id } = await must(administrator.post('/users', { login: 'Berta', role: 'author' }))
  api.clock.now += 1_000
  await must(administrator.patch(`/users/${id}`, { role: 'editor', disabled: true }))
  await must(administrator.patch(`/users/${id}`, { role: 'editor' }))
  await must(administrator.delete(`/users/${id}`, undefined, { remoteAddress: '192.0.2.7' }))
  const who = {
    ...{ origin: 'http', user: credentials.administrator.id, login: 'administrator' },
    credential: 'password 1',
  }
  const subject = { kind: 'user', id }
  const first = { at_utc: '2026-11-21 09:00:00', address: '127.0.0.1', count: 1, ...who }
  const later = { ...first, at_utc: '2026-11-21 09:00:01' }
  const entries = await entriesOf(api, `user=${credentials.administrator.id}&order=asc`)
  const numbered = entries.map(({ id: _, ...entry }) => entry)
  t.same(numbered, [
    { ...first, code: 'credential_used', subject: { kind: 'password', id: 1 }, details: {} },
    { ...first, code: 'user_added', subject, details: { login: 'berta', role: 'author' } },
    {
      ...{ ...first, code: 'password_created', subject: { kind: 'password', id: 2 } },
      details: { name: 'first', owner: 'berta' },
    },
    {
      ...{ ...later, code: 'user_changed', subject },
      details: { login: 'berta', role: 'author → editor', disabled: 'false → true' },
    },
    {
      ...{ ...later, code: 'credential_used', address: '192.0.2.7' },
      ...{ subject: { kind: 'password', id: 1 }, details: {} },
    },
    {
      ...{ ...later, code: 'user_removed', subject, address: '192.0.2.7' },
      details: { login: 'berta', role: 'editor' },
    },
  ])
})

t.test('it is for administrators, and a token needs the scope', async (t) => {
  const api = await build(t)
  t.equal(refusal(await api.anonymous.get('/audit')), '401 rest_forbidden')
  t.equal(refusal(await api.editor.get('/audit')), '403 rest_forbidden')
  const { token } = await api.app.store.tokens.add(5, 'reads', ['read', 'write'], null)
  const headers = { authorization: `Bearer ${token}` }
  t.equal(refusal(await api.anonymous.get('/audit', undefined, { headers })), '403 rest_forbidden')
  for (const method of ['post', 'put', 'patch', 'delete'] as const)
    t.equal(refusal(await api.administrator[method]('/audit', {})), '405 rest_method_not_allowed', method)
})

t.test('a list is filtered and has pages', async (t) => {
  const api = await build(t)
  const { administrator } = api
  const made: number[] = []
  for (const login of ['ada', 'bea', 'cleo']) {
    made.push((await must(administrator.post('/users', { login, role: 'author' }))).id)
    api.clock.now += 3_600_000
  }
  const loginsOf = async (query: string) =>
    (await entriesOf(api, query)).map(({ details, code }) => `${code} ${details.login ?? details.owner}`)
  t.same(await loginsOf('code=user_added'), ['user_added cleo', 'user_added bea', 'user_added ada'])
  t.same(await loginsOf(`subject=user&subject_id=${made[1]}`), ['user_added bea'])
  t.same(
    await loginsOf('code=user_added,password_created&from=2026-11-21T10:00:00Z&until=2026-11-21 11:00'),
    ['password_created bea', 'user_added bea'],
  )
  t.same(await loginsOf('code=user_added&from=2026-11-21T12:30:00%2B02:00&until=now'), ['user_added cleo'])
  t.same(await loginsOf('code=user_added&address=192.0.2.1'), [])
  t.same(await loginsOf(`code=user_added&user=${made[0]}`), [])
  const page = await administrator.get('/audit?code=user_added&per_page=2&order=asc')
  t.match(page.body, { total: 3, total_pages: 2, entries: [{ code: 'user_added' }, {}] })
  t.match(page.headers, { 'x-wp-total': '3', 'x-tec-totalpages': '2', 'cache-control': 'no-store' })
  const next = await must(administrator.get(`/${page.body.next_rest_url.split('calendar.test')[1]}`))
  t.same(
    next.entries.map(({ details }: Entry) => details.login),
    ['cleo'],
  )
  t.equal(refusal(await administrator.get('/audit?page=99')), '404 audit-archive-page-not-found')
  for (const query of ['code=nothing', 'subject=post', 'from=soon', 'order=up', 'subject_id=0'])
    t.equal(
      refusal(await administrator.get(`/audit?${query}`)),
      `400 rest_invalid_param ${query.split('=')[0]}`,
    )
  t.same(Object.keys((await must(administrator.get('/audit?_fields=entries.code&per_page=1'))).entries[0]), [
    'code',
  ])
})

t.test('a write that fails leaves no entry', async (t) => {
  const api = await build(t, { fresh: true })
  await must(api.administrator.post('/users', { login: 'ada', role: 'author' }))
  const before = countOf(api, 'audit')
  t.equal((await api.administrator.post('/users', { login: 'ada', role: 'editor' })).status, 400)
  t.equal(
    (await api.administrator.patch('/users/5', { disabled: true })).status,
    400,
    'the last administrator',
  )
  t.equal((await api.administrator.delete('/tokens/99')).status, 404)
  t.equal((await api.editor.delete('/events/99?force=true')).status, 404)
  await must(api.editor.post('/events', EVENT))
  t.same((await codesOf(api)).slice(0, countOf(api, 'audit') - before), ['credential_used'], 'of the editor')
})

t.test('a credential is noted once for each address, whichever way it is sent', async (t) => {
  const api = await build(t)
  const { password, id } = await must(api.administrator.post('/users', { login: 'berta', role: 'editor' }))
  const from = (remoteAddress: string) => ({ headers: basic('berta', password), remoteAddress })
  for (const address of ['192.0.2.7', '192.0.2.7', '2001:db8::1', '2001:db8::2', '192.0.2.7'])
    await must(api.anonymous.get('/session', undefined, from(address)))
  const own = await entriesOf(api, `user=${id}`)
  t.same(
    own.map(({ code, address, subject, login }) => [code, address, subject.kind, login]),
    [
      ['credential_used', '2001:db8::1', 'password', 'berta'],
      ['credential_used', '192.0.2.7', 'password', 'berta'],
    ],
    'a network of IPv6 is one address',
  )
  const session = await must(api.anonymous.post('/session', undefined, from('192.0.2.7')))
  const headers = { authorization: `Bearer ${session.token}` }
  await must(api.anonymous.get('/session', undefined, { headers, remoteAddress: '192.0.2.7' }))
  await must(api.anonymous.get('/session', undefined, { headers, remoteAddress: '198.51.100.1' }))
  await must(api.anonymous.delete('/session', undefined, { headers, remoteAddress: '198.51.100.1' }))
  t.same(
    (await entriesOf(api, `user=${id}&subject=session`)).map(({ code, address }) => [code, address]),
    [
      ['session_ended', '198.51.100.1'],
      ['credential_used', '198.51.100.1'],
      ['session_created', '192.0.2.7'],
    ],
    'a session is known where it was made',
  )
})

t.test('a restart knows the addresses, and a day adds a hundred', async (t) => {
  const env = { DATABASE: `${t.testdir()}/a.db` }
  const first = await build(t, { env })
  const { password, id } = await must(first.administrator.post('/users', { login: 'berta', role: 'editor' }))
  const use = (api: Api, address: string) =>
    must(
      api.anonymous.get('/session', undefined, {
        headers: basic('berta', password),
        remoteAddress: address,
      }),
    )
  await use(first, '192.0.2.7')
  await first.app.close()
  const api = await build(t, { env, users: false })
  const total = async () => (await api.app.store.audit.list({ user: id }, { page: 1, per_page: 1 })).total
  await use(api, '192.0.2.7')
  t.equal(await total(), 1)
  for (let at = 0; at < 105; at++) await use(api, `192.0.3.${at}`)
  t.equal(await total(), 100)
  api.clock.now += 25 * 3_600_000
  await use(api, '192.0.4.1')
  t.equal(await total(), 101)
})

t.test('a log that can not be written refuses nobody', async (t) => {
  const api = await build(t, { fresh: true })
  const { app } = api
  const warned: unknown[] = []
  app.log.warn = ((details: { err: Error }) => void warned.push(details.err.message)) as never
  await app.store.db.write(async (tx) =>
    tx.run("create trigger full before insert on audit begin select raise(abort, 'full'); end" as never),
  )
  t.equal((await api.editor.get('/session')).status, 200)
  const headers = { authorization: 'Bearer alm_x' }
  t.equal(refusal(await api.anonymous.get('/events', undefined, { headers })), '401 invalid_token')
  await app.audited.flush()
  t.same(warned, ['full'])
  t.equal((await api.administrator.post('/users', { login: 'ada', role: 'author' })).status, 500)
  t.equal(await api.app.store.users.byLogin('ada'), undefined, 'nothing is done that is not told')
})

t.test('rows are only ever added', async (t) => {
  const api = await build(t)
  await must(api.administrator.post('/users', { login: 'ada', role: 'author' }))
  const { db, audit } = api.app.store
  const refused = (statement: string) =>
    t.rejects(
      db.write(async (tx) => void tx.run(statement as never)),
      { cause: { message: 'the audit log is append-only' } },
      statement,
    )
  const before = db.rows('select * from audit')
  await refused("update audit set details = '{}'")
  await refused('delete from audit')
  await refused(
    "insert or replace into audit (id, at_utc, code, origin, address, details) values (1, '', '', '', '', '')",
  )
  t.same(db.rows('select * from audit'), before)
  t.equal(await audit.removeOld(365), false)
  t.same(db.rows('select * from audit'), before)
  api.clock.now += 366 * 86_400_000
  await must(api.administrator.post('/users', { login: 'bea', role: 'author' }))
  t.equal(await audit.removeOld(365), false)
  t.same(await codesOf(api), ['password_created', 'user_added'], 'retention removes what is old')
  t.same(db.rows('select * from audit_gate'), [])
  await refused('delete from audit')
})

t.test('a process that only reads tells nothing while there is no writer', async (t) => {
  const folder = t.testdir()
  const api = await build(t, { env: { DATABASE: `${folder}/a.db` } })
  const config = readConfig({ DATABASE: `${folder}/a.db` })
  const reader = await buildApp({ config, worker: { folder, writes: false } })
  t.teardown(() => reader.close())
  const before = countOf(api, 'audit')
  const ask = (authorization: string) =>
    reader.inject({ url: '/calendar/events/v1/session', headers: { authorization } })
  t.equal((await ask(api.credentials.editor.authorization)).statusCode, 200)
  t.equal((await ask('Bearer alm_x')).statusCode, 401)
  t.equal(countOf(api, 'audit'), before)
})
