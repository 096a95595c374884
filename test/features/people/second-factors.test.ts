import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, build, NOW } from '../../support/app.ts'
import { codeOf, OWN, person, secure, wrongCode } from '../../support/people.ts'

const STEP = 30_000

/** A step of signing in after a right password, as a page sends it. */
const prove = ({ anonymous }: Api, ticket: string, code: string, more = {}) =>
  anonymous.post('/session/factor', { ticket, code }, { headers: OWN, ...more })

t.test('a secret is active once a code of it was right, and codes show once', async (t) => {
  const api = await build(t)
  const { anonymous, clock, app } = api
  const marta = await person(api, 'marta')
  const path = `/users/${marta.id}/totp`
  t.same(await must(anonymous.get(path, undefined, marta.as)), { active: false, recovery_codes: 0 })
  const made = await anonymous.post(path, undefined, marta.as)
  t.match(made, { status: 201, headers: { 'cache-control': 'no-store' }, body: { secret: /^[A-Z2-7]{32}$/ } })
  const { secret, uri, ticket } = made.body
  t.match(
    uri,
    `otpauth://totp/Almanac:marta?issuer=Almanac&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
  )
  t.equal((await must(anonymous.get(path, undefined, marta.as))).active, false)
  const confirm = (code: string, by = ticket) =>
    anonymous.post(`${path}/confirm`, { ticket: by, code }, marta.as)
  const wrong = wrongCode(secret, clock.now)
  t.match(await confirm(wrong), { status: 400, body: { data: { params: { code: /is wrong/ } } } })
  const { codes } = await must(confirm(codeOf(secret, clock.now)))
  t.equal(new Set(codes).size, 10)
  for (const code of codes) t.match(code, /^([0-9a-f]{4}-){4}[0-9a-f]{4}$/)
  t.same(await must(anonymous.get(path, undefined, marta.as)), {
    ...{ active: true, created_utc: '2026-11-21 09:00:00', recovery_codes: 10 },
  })
  t.match(await confirm(codeOf(secret, clock.now)), {
    status: 400,
    body: { data: { params: { ticket: /was used/ } } },
  })
  const stored = JSON.stringify(app.store.db.rows('select * from sign_ins'))
  for (const text of [secret, ...codes])
    t.notOk(stored.includes(text), 'nothing is readable where it is stored')
})

t.test('a secret ends after five wrong codes, after ten minutes, and with the next one', async (t) => {
  const api = await build(t)
  const { anonymous, clock } = api
  const marta = await person(api, 'marta')
  const pau = await person(api, 'pau')
  const path = `/users/${marta.id}/totp`
  const prepare = () => must(anonymous.post(path, undefined, marta.as))
  const confirm = (ticket: string, code: string, { id, as } = marta) =>
    anonymous.post(`/users/${id}/totp/confirm`, { ticket, code }, as)
  const guessed = await prepare()
  const wrong = wrongCode(guessed.secret, NOW)
  for (let at = 0; at < 5; at++)
    t.match((await confirm(guessed.ticket, wrong)).body.data.params, { code: /is wrong/ })
  t.match((await confirm(guessed.ticket, codeOf(guessed.secret, NOW))).body.data.params, {
    ticket: /has ended/,
  })
  const first = await prepare()
  const second = await prepare()
  t.match((await confirm(first.ticket, codeOf(first.secret, NOW))).body.data.params, { ticket: /has ended/ })
  t.match((await confirm(second.ticket, codeOf(second.secret, NOW), pau)).body.data.params, {
    ticket: /unknown/,
  })
  const late = await prepare()
  clock.now += 600_000
  t.match((await confirm(late.ticket, codeOf(late.secret, clock.now))).body.data.params, {
    ticket: /has ended/,
  })
  t.same((await must(anonymous.get(path, undefined, marta.as))).active, false)
})

t.test('a code opens a session once, and so does the step of a clock that is late', async (t) => {
  const api = await build(t)
  const { app, clock, anonymous } = api
  const { secondFactors, signIns } = app.store
  const marta = await person(api, 'marta')
  t.equal(await secondFactors.ask(marta.user, marta.own), undefined, 'without one nothing is asked')
  const { secret } = await secure(api, marta)
  const ask = async () => (await secondFactors.ask(marta.user, marta.own))!
  const ticket = await ask()
  t.equal(
    refusal(await prove(api, ticket, codeOf(secret, clock.now))),
    '401 incorrect_code',
    'it confirmed the secret',
  )
  clock.now += STEP
  const code = codeOf(secret, clock.now)
  const other = await ask()
  const made = await prove(api, ticket, `${code.slice(0, 3)} ${code.slice(3)}`)
  t.match(made, {
    status: 201,
    headers: { 'set-cookie': /^almanac-session=alm_.*HttpOnly; SameSite=Strict$/ },
  })
  t.match(made.body, { user: marta.id, login: 'marta', expires_utc: '2026-11-21 21:00:30' })
  const [session] = (await must(anonymous.get(`/users/${marta.id}/sessions`, undefined, marta.as))).sessions
  t.match(session, { kind: 'password' })
  t.match(await signIns.list(marta.id, 'totp'), [{ last_used_utc: '2026-11-21 09:00:30' }])
  t.equal(refusal(await prove(api, ticket, code)), '401 sign_in_ended', 'the ticket was used')
  t.equal(refusal(await prove(api, other, code)), '401 incorrect_code', 'the code was used')
  t.equal(
    refusal(await prove(api, other, codeOf(secret, clock.now - STEP))),
    '401 incorrect_code',
    'earlier codes ended',
  )
  t.equal((await prove(api, other, codeOf(secret, clock.now + STEP))).status, 201, 'a clock that is ahead')
  const late = await ask()
  clock.now += 300_000
  t.equal(
    refusal(await prove(api, late, codeOf(secret, clock.now))),
    '401 sign_in_ended',
    'five minutes have passed',
  )
})

t.test('of two uses of one code at once, one counts', async (t) => {
  const api = await build(t)
  const { app, clock } = api
  const marta = await person(api, 'marta')
  const { secret, codes } = await secure(api, marta)
  clock.now += STEP
  const ask = async () => (await app.store.secondFactors.ask(marta.user, marta.own))!
  for (const code of [codeOf(secret, clock.now), codes[0]!]) {
    const tickets = [await ask(), await ask()]
    const done = await Promise.all(tickets.map((ticket) => prove(api, ticket, code)))
    t.same(done.map(({ status }) => status).sort(), [201, 401])
  }
})

t.test('a recovery code works once, and new ones replace all', async (t) => {
  const api = await build(t)
  const { app, anonymous } = api
  const marta = await person(api, 'marta')
  const pau = await person(api, 'pau')
  const again = `/users/${marta.id}/recovery-codes`
  t.equal(refusal(await anonymous.post(again, undefined, marta.as)), '404 second-factor-not-found')
  const { codes } = await secure(api, marta)
  const others = await secure(api, pau)
  const ask = async () => (await app.store.secondFactors.ask(marta.user, marta.own))!
  t.equal(
    refusal(await prove(api, await ask(), others.codes[0]!)),
    '401 incorrect_code',
    'it is of somebody else',
  )
  t.equal((await prove(api, await ask(), ` ${codes[0]!.toUpperCase().replaceAll('-', ' ')} `)).status, 201)
  t.equal(refusal(await prove(api, await ask(), codes[0]!)), '401 incorrect_code')
  const state = () => must(anonymous.get(`/users/${marta.id}/totp`, undefined, marta.as))
  t.match(await state(), { recovery_codes: 9 })
  const [used] = (await must(api.administrator.get('/audit?code=sign_in_removed'))).entries
  t.match(used, { user: marta.id, login: 'marta', details: { kind: 'recovery', codes: '1' } })
  const renewed = await must(anonymous.post(again, undefined, marta.as))
  t.match(await state(), { recovery_codes: 10 })
  t.equal(refusal(await prove(api, await ask(), codes[1]!)), '401 incorrect_code')
  t.equal((await prove(api, await ask(), renewed.codes[9])).status, 201)
})

t.test('wrong codes end a sign-in, and are counted by login and by address', async (t) => {
  const api = await build(t)
  const { app, clock, anonymous } = api
  const marta = await person(api, 'marta')
  const { secret, codes } = await secure(api, marta)
  const ask = async () => (await app.store.secondFactors.ask(marta.user, marta.own))!
  const wrong = wrongCode(secret, clock.now)
  const ticket = await ask()
  for (let at = 0; at < 5; at++) t.equal(refusal(await prove(api, ticket, wrong)), '401 incorrect_code')
  t.equal(refusal(await prove(api, ticket, wrong)), '401 sign_in_ended')
  await app.audited.flush()
  const told = (await must(api.administrator.get('/audit?code=login_failed&order=asc'))).entries
  t.match(told[0], { details: { reason: 'incorrect_code', login: 'marta' } })
  // twenty an hour, whatever the address, before one of the right ones
  for (let at = 5; at < 20; at++)
    t.equal(
      refusal(await prove(api, await ask(), wrong, { remoteAddress: `192.0.2.${at}` })),
      '401 incorrect_code',
    )
  clock.now += STEP
  const kept = await ask()
  const locked = await prove(api, kept, codeOf(secret, clock.now), { remoteAddress: '192.0.2.99' })
  t.match(locked, { status: 429, body: { message: /recovery code/, data: { retry_after: 3600 } } })
  t.equal((await prove(api, kept, codes[0]!)).status, 201, 'recovery codes can not be guessed')
  clock.now += 3_600_000
  t.equal((await prove(api, await ask(), codeOf(secret, clock.now))).status, 201)
  const address = { remoteAddress: '192.0.2.100' }
  let last = ''
  for (let at = 0; at < 62; at++) last = refusal(await prove(api, await ask(), 'ffff-ffff', address))
  t.equal(last, '429 rest_rate_limited')
  t.equal((await prove(api, await ask(), codes[1]!)).status, 201, 'others go on')
  t.equal((await anonymous.get('/events')).status, 200)
})

t.test('users manage their own second factor, and administrators remove those of others', async (t) => {
  const api = await build(t)
  const { administrator, anonymous, app, clock } = api
  const marta = await person(api, 'marta')
  const pau = await person(api, 'pau')
  const path = `/users/${marta.id}/totp`
  const { secret } = await secure(api, marta)
  const ticket = (await app.store.secondFactors.ask(marta.user, marta.own))!
  const body = { ticket: 'x', code: '111111' }
  for (const [method, url, sent] of [
    ['post', path, undefined],
    ['post', `${path}/confirm`, body],
    ['post', `/users/${marta.id}/recovery-codes`, undefined],
  ] as const) {
    t.match(await administrator[method](url, sent), { status: 403, body: { message: /Only the user/ } })
    t.equal(refusal(await anonymous[method](url, sent, pau.as)), '403 rest_forbidden')
    t.equal(refusal(await anonymous[method](url, sent)), '401 rest_forbidden')
  }
  t.equal(refusal(await anonymous.delete(path, undefined, pau.as)), '403 rest_forbidden')
  const { token } = await app.store.tokens.add(marta.id, 'x', ['read', 'write', 'admin'], null)
  const program = { headers: { authorization: `Bearer ${token}` } }
  for (const one of [anonymous.post(path, undefined, program), anonymous.delete(path, undefined, program)])
    t.equal(refusal(await one), '401 insufficient_user_authentication')
  t.match(await administrator.get(path), { body: { active: true, recovery_codes: 10 } })
  t.match(await must(administrator.delete(path)), { active: true, recovery_codes: 10 })
  t.equal(refusal(await administrator.delete(path)), '404 second-factor-not-found')
  clock.now += STEP
  t.equal(refusal(await prove(api, ticket, codeOf(secret, clock.now))), '401 sign_in_ended')
  t.equal(await app.store.secondFactors.ask(marta.user, marta.own), undefined)
  const told = (
    await must(administrator.get(`/audit?code=sign_in_added,sign_in_removed&order=asc&per_page=50`))
  ).entries
  t.match(
    told.map(({ code, login, details }: Record<string, Record<string, string>>) => [
      code,
      login,
      details!.kind,
      details!.codes,
    ]),
    [
      ...[
        ['sign_in_added', undefined, 'password'],
        ['sign_in_added', undefined, 'password'],
      ],
      ...[
        ['sign_in_added', 'marta', 'totp'],
        ['sign_in_added', 'marta', 'recovery', '10'],
      ],
      ['sign_in_removed', 'administrator', 'totp'],
    ],
  )
})

t.test('only pages of the service finish signing in', async (t) => {
  const api = await build(t)
  for (const headers of [{}, { origin: 'https://evil.test' }, { ...OWN, 'sec-fetch-site': 'same-site' }])
    t.equal(refusal(await prove(api, 'x', '111111', { headers })), '403 rest_forbidden')
  const unknown = await prove(api, 'x', '111111')
  t.match(unknown, { status: 401, body: { code: 'sign_in_ended' } })
  t.equal(unknown.headers['www-authenticate'], 'Bearer realm="Almanac"')
  t.match(await prove(api, '', ''), { status: 400, body: { data: { params: { ticket: /./, code: /./ } } } })
})
