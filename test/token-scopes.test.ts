import t from 'tap'
import { build } from './support/app.ts'
import { must } from './support/events.ts'

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
  await must(anonymous.post('/tokens', { user: id, name: 'x', scopes: ['admin'] }, narrow))
  await must(anonymous.post('/tokens', { user: id, name: 'x', scopes: ['admin', 'read'] }, reader))
  await must(anonymous.post('/tokens', { user: id, name: 'x' }, full))
  await must(anonymous.post('/users', { login: 'new', role: 'subscriber' }, full))
  const { password } = await must(anonymous.post(`/users/${id}/application-passwords`, { name: 'x' }, full))
  const basic = { headers: { authorization: `Basic ${btoa(`administrator:${password}`)}` } }
  await must(anonymous.post('/tokens', { user: id, name: 'x' }, basic))
})
