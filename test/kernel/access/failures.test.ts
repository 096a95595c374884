import { mock } from 'node:test'
import t from 'tap'
import { must } from '../../support/answers.ts'
import { type Api, basicAuth, build } from '../../support/app.ts'

// a minute lasts as long as the tests, on machines of every speed
mock.timers.enable({ apis: ['Date'], now: Date.now() })
t.teardown(() => mock.timers.reset())

/** The status of a read from this address, with these headers. */
const from = async ({ anonymous }: Api, remoteAddress: string, headers = {}) =>
  (await anonymous.get('/events', undefined, { remoteAddress, headers })).status
const login = (name: string, password: string) => ({ authorization: basicAuth(name, password) })
const addUser = (api: Api, name: string) =>
  must(api.administrator.post('/users', { login: name, role: 'editor' }))

t.test('failures of one address are 60 a minute for each login, and for what names none', async (t) => {
  const api = await build(t)
  const { password } = await addUser(api, 'maria')
  const right = login('maria', password)
  t.equal(await from(api, '192.0.2.1', right), 200)
  const failures = [
    { authorization: 'nonsense' },
    { authorization: 'Bearer alm_wrong' },
    login('not a login', 'x'),
  ]
  for (let n = 0; n < 60; n++) {
    t.equal(await from(api, '192.0.2.1', failures[n % 3]), 401)
    t.equal(await from(api, '192.0.2.1', login(n % 2 ? 'maria' : 'MARIA', `guess ${n}`)), 401)
    t.equal(await from(api, '192.0.2.1', login('nobody', `guess ${n}`)), 401)
  }
  for (const headers of [...failures, login('maria', 'more'), login('nobody', 'more')])
    t.equal(await from(api, '192.0.2.1', headers), 429)
  const headers = login('nobody', 'more')
  const refused = await api.anonymous.get('/events', undefined, { remoteAddress: '192.0.2.1', headers })
  t.match(refused, { body: { code: 'rest_rate_limited' }, headers: { 'retry-after': /^(60|5\d)$/ } })
  t.equal(await from(api, '192.0.2.1'), 200, 'the anonymous go on')
  t.equal(await from(api, '192.0.2.1', right), 200, 'and a password that is remembered')
  t.equal(await from(api, '192.0.2.1', { authorization: api.credentials.editor.authorization }), 200)
  t.equal(await from(api, '192.0.2.2', headers), 401, 'and other addresses')
  const fresh = login('maria', password.replaceAll(' ', ''))
  t.equal(await from(api, '192.0.2.1', fresh), 429, 'but nothing is compared for this login any more')
  t.equal(await from(api, '192.0.2.2', fresh), 200)
  const pau = await addUser(api, 'pau')
  t.equal(await from(api, '192.0.2.1', login('pau', pau.password)), 200, 'others at the address sign in')
})

t.test(
  'an address has 300 failures for all logins, and right passwords are let in beyond them',
  async (t) => {
    const api = await build(t, { fresh: true })
    const { password } = await addUser(api, 'maria')
    for (let n = 0; n < 300; n++) t.equal(await from(api, '192.0.2.1', login(`user${n}`, 'x')), 401)
    t.equal(await from(api, '192.0.2.1', login('fresh', 'x')), 429)
    t.equal(await from(api, '192.0.2.1', login('maria', 'x')), 429, 'a login that exists as well')
    t.equal(await from(api, '192.0.2.1', { authorization: 'Bearer alm_wrong' }), 429)
    t.equal(await from(api, '192.0.2.1', login('maria', password)), 200)
    t.equal(await from(api, '192.0.2.2', login('user1', 'x')), 401)
  },
)
