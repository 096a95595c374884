import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { openFailures } from '../../../src/kernel/access/credential-audit.ts'
import { toWall } from '../../../src/kernel/time/dates.ts'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build } from '../../support/app.ts'
import { until } from '../../support/until.ts'

const basic = (login: string, password: string) => ({
  authorization: basicAuth(login, password),
})
// biome-ignore lint/suspicious/noExplicitAny: entries are what the tests are about
const failuresOf = async ({ administrator }: Api, order = 'desc'): Promise<any[]> =>
  (await must(administrator.get(`/audit?per_page=50&code=login_failed&order=${order}`))).entries

function countFailures({ app }: Api) {
  const query = "select count(*), sum(count) from audit where code = 'login_failed'"
  return app.store.db.rows<[number, number]>(query)[0]
}

t.test('failures are told, the first by itself and the others of a minute by their number', async (t) => {
  const api = await build(t, { fresh: true })
  const { app, clock } = api
  await must(api.administrator.post('/users', { login: 'berta', role: 'editor' }))
  const fail = (headers: object, remoteAddress = '192.0.2.7') =>
    api.anonymous.get('/session', undefined, { headers: headers as never, remoteAddress })
  const typed = 'correct horse battery staple'
  for (let at = 0; at < 5; at++) await fail(basic('berta', `wrong ${at}`))
  await fail(basic(typed, 'x'))
  await fail({ authorization: 'Bearer alm_unknown' })
  await fail(basic('berta', 'wrong'), '192.0.2.8')
  const told = async () =>
    (await failuresOf(api, 'asc')).map(({ address, details, count, subject, user }) => [
      ...[address, details.reason, details.login, subject?.id, count, user],
    ])
  const first = [
    ['192.0.2.7', 'incorrect_password', 'berta', 6, 1, undefined],
    ['192.0.2.7', 'incorrect_password', undefined, undefined, 1, undefined],
    ['192.0.2.7', 'invalid_token', undefined, undefined, 1, undefined],
    ['192.0.2.8', 'incorrect_password', 'berta', 6, 1, undefined],
  ]
  await app.audited.flush()
  t.same(await told(), [...first, ['192.0.2.7', 'incorrect_password', 'berta', 6, 4, undefined]])
  await app.audited.flush()
  t.equal((await told()).length, 5, 'nothing was left')
  clock.now += 60_000
  const { id } = await must(api.administrator.patch('/users/6', { disabled: true }))
  const { token } = await app.store.tokens.add(id, 'old', ['read'], null)
  await fail({ authorization: `Bearer ${token}` })
  await app.audited.flush()
  t.same((await told()).at(-1), ['192.0.2.7', 'invalid_token', 'berta', 6, 1, undefined], 'disabled')
  t.notOk(JSON.stringify(app.store.db.rows('select * from audit')).includes(typed), 'who is not known')
})

t.test('a link that leads to nobody is told, without what was in it', async (t) => {
  const api = await build(t, { fresh: true })
  const body = { ticket: 'x'.repeat(32), password: 'correct horse battery staple' }
  const headers = { 'sec-fetch-site': 'same-origin' }
  for (const path of ['/invitations/accept', '/password-resets/confirm'])
    t.match(refusal(await api.anonymous.post(path, body, { headers })), /^404 .*-not-found$/)
  await api.app.audited.flush()
  t.same((await failuresOf(api)).map(({ details }) => details.reason).sort(), [
    'invitation-not-found',
    'password-reset-not-found',
  ])
  t.notOk(JSON.stringify(api.app.store.db.rows('select * from audit')).includes(body.ticket))
})

t.test('many addresses share an entry, and time gives room again', async (t) => {
  const api = await build(t, { fresh: true })
  const { app, clock } = api
  const fail = (address: string) =>
    api.anonymous.get('/events', undefined, {
      headers: { authorization: 'Bearer alm_x' },
      remoteAddress: address,
    })
  for (let at = 0; at < 260; at++) await fail(`10.1.${at >> 8}.${at & 255}`)
  await fail('10.1.0.1')
  const rows = () => countFailures(api)
  await app.audited.flush()
  t.same(rows(), [252, 261], 'two entries may be of each, and the others share one')
  t.match((await failuresOf(api))[0], {
    ...{ address: '', count: 10, details: { reason: 'several' } },
  })
  await fail('10.2.0.1')
  clock.now += 60_000
  await fail('10.2.0.2')
  await app.audited.flush()
  t.same(rows(), [254, 263])
  const addresses = (await failuresOf(api)).map(({ address }) => address)
  t.same(addresses.slice(0, 2), ['', '10.2.0.2'], 'a minute later there is room for one')
})

t.test('what is counted is written when the service stops', async (t) => {
  const env = { DATABASE: `${t.testdir()}/a.db` }
  const first = await build(t, { env })
  for (let at = 0; at < 3; at++)
    await first.anonymous.get('/events', undefined, { headers: { authorization: 'Bearer alm_x' } })
  await first.app.close()
  const api = await build(t, { env, users: false })
  t.same(countFailures(api), [2, 3])
})

t.test('no answer waits for the log, whether there is such a login or not', async (t) => {
  const api = await build(t, { fresh: true })
  const { app } = api
  const { audit } = app.store
  await must(api.administrator.post('/users', { login: 'berta', role: 'editor' }))
  const held: (() => void)[] = []
  const { note } = audit
  audit.note = (...entry) => new Promise<void>((resolve) => held.push(resolve)).then(() => note(...entry))
  const fail = async (login: string, remoteAddress = '192.0.2.7') =>
    refusal(await api.anonymous.get('/session', undefined, { headers: basic(login, 'wrong'), remoteAddress }))
  const WRONG = '401 incorrect_password'
  for (const login of ['nobody', 'berta', 'somebody', 'berta']) t.equal(await fail(login), WRONG, login)
  await until(() => held.length > 0)
  for (const login of ['berta', 'nobody']) t.equal(await fail(login, '192.0.2.8'), WRONG, login)
  audit.note = note
  for (const letGo of held) letGo()
  await app.audited.flush()
  t.same(countFailures(api), [6, 6], 'two addresses, a known and an unknown login: the first and the others')
})

t.test('what was counted is written a second and a minute after the first', async (t) => {
  const { app, clock } = await build(t)
  const { audit } = app.store
  const timers = new Map<number, () => void>()
  let cleared = 0
  const failures = openFailures(
    audit,
    () => clock.now,
    (work) => work,
    (run, milliseconds) => {
      t.notOk(timers.has(milliseconds))
      timers.set(milliseconds, run)
      return { clear: () => void cleared++ }
    },
  )
  const ring = async (milliseconds: number) => {
    timers.get(milliseconds)!()
    timers.delete(milliseconds)
    await app.store.db.write(async () => {})
  }
  const request = { ip: '192.0.2.7' } as FastifyRequest
  const counts = async () => (await audit.list({}, { page: 1, per_page: 50 })).rows.map(({ count }) => count)
  const before = (await counts()).length
  const told = async () => (await counts()).slice(0, -before)
  for (let at = 0; at < 4; at++) failures.note(request, 'invalid_token', undefined)
  t.same([...timers.keys()].toSorted(), [1_000, 60_000])
  t.same(await told(), [])
  const began = clock.now
  clock.now += 1_000
  await ring(1_000)
  const [first] = (await audit.list({}, { page: 1, per_page: 1 })).rows
  t.equal(first!.at_utc, toWall(began, 'UTC'), 'as of when it happened')
  t.same(await told(), [1])
  failures.note(request, 'invalid_token', undefined)
  t.same([...timers.keys()], [60_000], 'nothing is new')
  await ring(60_000)
  t.same(await told(), [4, 1])
  failures.note(request, 'invalid_token', undefined)
  await ring(1_000)
  t.same(await told(), [1, 4, 1], 'a new minute')
  await failures.flush()
  t.same([await told(), cleared], [[1, 4, 1], 1])
})
