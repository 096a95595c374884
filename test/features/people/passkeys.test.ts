import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build } from '../../support/app.ts'
import { OWN, openAuthenticator, person } from '../../support/people.ts'

type Person = Awaited<ReturnType<typeof person>>
type Changes = Parameters<ReturnType<typeof openAuthenticator>['make']>[1]

const optionsFor = ({ anonymous }: Api, { id, as }: Person) =>
  must(anonymous.post(`/users/${id}/passkeys/options`, undefined, as))
const send = ({ anonymous }: Api, { id, as }: Person, body: object) =>
  anonymous.post(`/users/${id}/passkeys`, { name: 'Phone', ...body }, as)
/** A passkey of a person, and the device that has it. */
async function enrol(api: Api, one: Person, of: Changes = {}, device = openAuthenticator()) {
  const { id } = await must(send(api, one, device.make(await optionsFor(api, one), of)))
  return { id: id as number, device }
}
const challenge = ({ anonymous }: Api) => must(anonymous.post('/session/passkey/options'))
const enter = ({ anonymous }: Api, body: object) => anonymous.post('/session/passkey', body, { headers: OWN })

t.test('a passkey is added, listed, read and removed', async (t) => {
  const api = await build(t)
  const { anonymous, app } = api
  const marta = await person(api, 'marta')
  const path = `/users/${marta.id}/passkeys`
  const options = await optionsFor(api, marta)
  t.match(options, {
    challenge: /^[\w-]{64}$/,
    rp: { id: 'calendar.test', name: 'Almanac' },
    user: { id: /^[\w-]{43}$/, name: 'marta', displayName: 'marta' },
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: [],
  })
  const device = openAuthenticator()
  const signed = { name: 'Phone', ...device.make(options, { synced: true }) }
  const made = await send(api, marta, signed)
  const { id } = made.body
  t.match(made, {
    status: 201,
    headers: { location: `http://calendar.test/calendar/events/v1${path}/${id}` },
  })
  t.same(made.body, { id, name: 'Phone', synced: true, created_utc: '2026-11-21 09:00:00' })
  t.match(await send(api, marta, signed), {
    status: 400,
    body: { data: { params: { client_data: /was used/ } } },
  })
  const again = await optionsFor(api, marta)
  t.same(again.excludeCredentials, [{ type: 'public-key', id: device.id }])
  t.equal(again.user.id, options.user.id, 'authenticators know the user again')
  const second = await send(api, marta, device.make(again))
  t.match(second, { status: 400, body: { data: { params: { attestation: /already/ } } } })
  const key = await enrol(api, marta)
  t.match((await must(anonymous.get(path, undefined, marta.as))).passkeys, [
    { id },
    { id: key.id, synced: false },
  ])
  t.equal(
    refusal(await anonymous.get(`${path}?page=2`, undefined, marta.as)),
    '404 passkey-archive-page-not-found',
  )
  t.match(await must(anonymous.get(`${path}/${id}`, undefined, marta.as)), { name: 'Phone' })
  t.match(await must(api.administrator.delete(`${path}/${id}`)), { id, name: 'Phone' })
  t.match(await must(anonymous.delete(`${path}/${key.id}`, undefined, marta.as)), { id: key.id })
  for (const gone of [id, marta.own.id]) {
    t.equal(refusal(await anonymous.get(`${path}/${gone}`, undefined, marta.as)), '404 passkey-not-found')
    t.equal(refusal(await anonymous.delete(`${path}/${gone}`, undefined, marta.as)), '404 passkey-not-found')
  }
  t.match(await app.store.signIns.list(marta.id), [{ kind: 'password' }])
})

t.test('what no authenticator of the user made here and now is not added', async (t) => {
  const api = await build(t)
  const { anonymous, clock, app, administrator } = api
  const marta = await person(api, 'marta')
  const pau = await person(api, 'pau')
  const device = openAuthenticator()
  const problem = async (body: object) => (await send(api, marta, body)).body.data.params
  const making = async (of: Changes) => problem(device.make(await optionsFor(api, marta), of))
  t.match(await making({ origin: 'https://evil.test' }), {
    client_data: /right one is http:\/\/calendar.test/,
  })
  t.match(await making({ verified: false }), { attestation: /without a fingerprint/ })
  for (const of of [{ host: 'evil.test' }, { type: 'webauthn.get' }, { present: false }, { format: 'other' }])
    t.match(await making(of), { attestation: /for this challenge and host/ }, JSON.stringify(of))
  t.match(await problem(device.make(await challenge(api).then((of) => ({ ...of, user: { id: 'x' } })))), {
    client_data: /challenge is unknown/,
  })
  t.match(await problem(device.make(await optionsFor(api, pau))), { client_data: /challenge is unknown/ })
  const late = await optionsFor(api, marta)
  clock.now += 300_000
  t.match(await problem(device.make(late)), { client_data: /has ended/ })
  const good = device.make(await optionsFor(api, marta))
  t.match(await problem({ ...good, client_data: 'e30' }), { client_data: /must be/ })
  t.match(await problem({ ...good, client_data: 'x' }), { client_data: /must be/ })
  t.match(await problem({ ...good, attestation: 'a b' }), { attestation: /./ })
  for (const path of ['/passkeys', '/passkeys/options']) {
    const url = `/users/${marta.id}${path}`
    t.equal(refusal(await administrator.post(url, { name: 'x', ...good })), '403 rest_forbidden')
    t.equal(refusal(await anonymous.post(url, { name: 'x', ...good }, pau.as)), '403 rest_forbidden')
    const { token } = await app.store.tokens.add(marta.id, 'x', ['read', 'write', 'admin'], null)
    const program = { headers: { authorization: `Bearer ${token}` } }
    t.equal(
      refusal(await anonymous.post(url, { name: 'x', ...good }, program)),
      '401 insufficient_user_authentication',
    )
  }
  t.match(await app.store.signIns.list(marta.id, 'passkey'), [])
  for (let at = 0; at < 20; at++) await enrol(api, marta)
  t.match(await problem(device.make(await optionsFor(api, marta))), { name: /at most 20/ })
})

t.test('a passkey signs in without login, and its sessions end with it', async (t) => {
  const api = await build(t)
  const { anonymous, clock, app } = api
  const marta = await person(api, 'marta')
  const { id, device } = await enrol(api, marta)
  t.match(await challenge(api), { rpId: 'calendar.test', userVerification: 'required' })
  clock.now += 60_000
  const made = await enter(api, device.sign(await challenge(api)))
  t.match(made, {
    status: 201,
    headers: { 'set-cookie': /^almanac-session=alm_.*HttpOnly; SameSite=Strict$/ },
  })
  t.match(made.body, { user: marta.id, login: 'marta', scopes: ['read', 'write', 'admin'] })
  const [cookie] = String(made.headers['set-cookie']).split(';')
  const page = { headers: { authorization: `Session ${marta.id}`, cookie: cookie!, ...OWN } }
  const path = `/users/${marta.id}`
  t.match((await must(anonymous.get(`${path}/sessions`, undefined, page))).sessions, [
    { kind: 'passkey', name: 'Phone', current: true },
  ])
  t.match(await must(anonymous.get(`${path}/passkeys/${id}`, undefined, page)), {
    last_used_utc: '2026-11-21 09:01:00',
  })
  t.equal((await anonymous.post(`${path}/totp`, undefined, page)).status, 201, 'it proves who the user is')
  await must(anonymous.delete(`${path}/passkeys/${id}`, undefined, marta.as))
  t.equal(refusal(await anonymous.get('/session', undefined, page)), '401 invalid_token')
  const told = (await must(api.administrator.get('/audit?order=asc&per_page=50'))).entries
  t.match(
    told.filter(({ details }: { details: object }) => 'kind' in details && details.kind === 'passkey'),
    [{ code: 'sign_in_added', login: 'marta', details: { name: 'Phone' } }, { code: 'sign_in_removed' }],
  )
  const opened = told.find(({ code }: { code: string }) => code === 'session_created')
  t.match(opened, { user: marta.id, login: 'marta', details: { owner: 'marta' } })
  t.equal(refusal(await enter(api, device.sign(await challenge(api)))), '401 incorrect_passkey')
  t.equal((await app.store.signIns.list(marta.id, 'passkey')).length, 0)
})

t.test('every wrong use of a passkey is refused', async (t) => {
  const api = await build(t, { fresh: true })
  const { clock, app, anonymous } = api
  const { users } = app.store
  const marta = await person(api, 'marta')
  const pau = await person(api, 'pau')
  const { device } = await enrol(api, marta)
  const { device: pausDevice } = await enrol(api, pau)
  const using = async (of: Parameters<typeof device.sign>[1]) =>
    enter(api, device.sign(await challenge(api), of))
  t.equal((await using({})).status, 201)
  const used = device.sign(await challenge(api))
  t.equal((await enter(api, used)).status, 201)
  t.equal(
    refusal(await enter(api, used)),
    '401 incorrect_passkey',
    'the counter of what was signed works once',
  )
  const elsewhere = await using({ origin: 'https://calendar.test' })
  t.match(elsewhere, {
    status: 401,
    body: { code: 'passkey_origin', data: { origin: 'http://calendar.test' } },
  })
  t.equal(elsewhere.headers['www-authenticate'], 'Bearer realm="Almanac"')
  t.equal(refusal(await using({ verified: false })), '401 passkey_unverified')
  t.equal(refusal(await enter(api, { ...used, authenticator_data: 'AAAA' })), '401 passkey_unverified')
  t.equal(refusal(await enter(api, device.sign({ challenge: 'invented' }))), '401 sign_in_ended')
  t.equal(
    refusal(await enter(api, device.sign(await optionsFor(api, marta)))),
    '401 sign_in_ended',
    'to add one',
  )
  const late = await challenge(api)
  clock.now += 300_000
  t.equal(refusal(await enter(api, device.sign(late))), '401 sign_in_ended')
  t.match(await enter(api, { ...used, client_data: 'e30' }), {
    status: 400,
    body: { data: { params: { client_data: /./ } } },
  })
  t.match(await enter(api, {}), { status: 400, body: { code: 'rest_missing_callback_param' } })

  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const unknown = await enter(api, openAuthenticator().sign(await challenge(api), { handle: 'x' }))
  t.equal(refusal(unknown), '401 incorrect_passkey')
  for (const of of [
    ...[{ key: privateKey }, { host: 'evil.test' }, { type: 'webauthn.create' }, { present: false }],
    // those of a copy, whose counter is behind; and one that can suddenly be copied
    ...[{ counter: 1 }, { counter: 0 }, { synced: true }],
    { handle: pausDevice.sign({ challenge: 'x' }).user_handle },
  ]) {
    const { status, body } = await using(of)
    t.same({ status, body }, { status: 401, body: unknown.body }, `${Object.keys(of)}, like an unknown one`)
  }
  t.equal((await using({})).status, 201, 'and it still works')
  await users.update(marta.id, { disabled: true })
  t.equal(refusal(await using({})), '401 invalid_username')
  for (const headers of [{}, { origin: 'https://evil.test' }])
    t.equal(
      refusal(await anonymous.post('/session/passkey', device.sign(await challenge(api)), { headers })),
      '403 rest_forbidden',
    )
  await app.audited.flush()
  const told = (await must(api.administrator.get('/audit?code=login_failed&per_page=50'))).entries
  const reasons: string[] = told.map(({ details }: { details: { reason: string } }) => details.reason)
  t.same([...new Set(reasons)].sort(), [
    ...['incorrect_passkey', 'invalid_username', 'passkey_origin', 'passkey_unverified', 'sign_in_ended'],
  ])
})

t.test(
  'a passkey without a counter works again and again, but of two uses of a counter one counts',
  async (t) => {
    const api = await build(t)
    const marta = await person(api, 'marta')
    const { device } = await enrol(api, marta, { synced: true, counter: 0 })
    for (let at = 0; at < 2; at++)
      t.equal((await enter(api, device.sign(await challenge(api), { counter: 0, synced: true }))).status, 201)
    const signed = device.sign(await challenge(api), { counter: 0, synced: true })
    const twice = await Promise.all([enter(api, signed), enter(api, signed)])
    t.same(twice.map(({ status }) => status).sort(), [201, 401], 'what was signed works once')
    t.equal(refusal(await enter(api, signed)), '401 sign_in_ended')
    const [one, two] = [await challenge(api), await challenge(api)]
    const done = await Promise.all(
      [one, two].map((of) => enter(api, device.sign(of, { counter: 9, synced: true }))),
    )
    t.same(done.map(({ status }) => status).sort(), [201, 401])
  },
)

t.test('challenges are limited by address, and wrong uses too', async (t) => {
  const api = await build(t)
  const stored = () => api.app.store.db.rows('select count(*) from tickets')
  const before = stored()
  const { anonymous } = api
  const at = { remoteAddress: '192.0.2.7' }
  for (let n = 0; n < 60; n++) await must(anonymous.post('/session/passkey/options', undefined, at))
  t.equal(refusal(await anonymous.post('/session/passkey/options', undefined, at)), '429 rest_rate_limited')
  t.equal((await anonymous.post('/session/passkey/options')).status, 201, 'others go on')
  t.same(stored(), before, 'asking for one stores nothing')
  const device = openAuthenticator()
  const wrong = () =>
    anonymous.post('/session/passkey', device.sign({ challenge: 'x' }, { handle: 'x' }), {
      headers: OWN,
      ...at,
    })
  for (let n = 0; n < 300; n++) await wrong()
  t.equal(refusal(await wrong()), '429 rest_rate_limited')
})

t.test('the origin and host are those of BASE_URL', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'http://localhost:8080/agenda' } })
  const marta = await person(api, 'marta')
  const { device } = await enrol(api, marta, {}, openAuthenticator('http://localhost:8080'))
  const headers = { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' }
  const made = await api.anonymous.post('/session/passkey', device.sign(await challenge(api)), { headers })
  t.match(made, { status: 201, headers: { 'set-cookie': /Path=\/agenda\/calendar\/events\/v1/ } })
})
