import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Answer, basicAuth, build } from '../../support/app.ts'
import { addPerson, GOOD, MAIL, mailsOf, OTHER, OWN, pageOf, signIn } from '../../support/people.ts'
import { until } from '../../support/until.ts'

const WRONG = '401 incorrect_password'
/** What an answer tells, without what is of each request. */
const told = ({ status, headers, text }: Answer) => {
  const {
    'x-request-id': _,
    date: __,
    'ratelimit-remaining': ___,
    'ratelimit-reset': ____,
    ...others
  } = headers
  return { status, others, text }
}

t.test('a person signs in with login or address, and the session ends with the user', async (t) => {
  const api = await build(t, { fresh: true })
  const { id, signIn: way } = await addPerson(api, 'marta', { email: 'marta@town.example' })
  for (const login of ['marta', ' MARTA ', 'Marta@Town.example'])
    t.match(await signIn(api, login, GOOD), { status: 201, body: { user: id, login: 'marta' } })
  const page = pageOf(await signIn(api, 'marta', GOOD))
  const { sessions, total } = await must(api.anonymous.get(`/users/${id}/sessions`, undefined, page))
  t.equal(total, 4)
  t.match(sessions[3], { kind: 'password', name: '', current: true })
  const { entries } = await must(api.administrator.get('/audit?code=session_created&per_page=1'))
  t.match(entries, [{ user: id, login: 'marta', credential: `sign_in ${way}` }])
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  t.equal(refusal(await api.anonymous.get('/session', undefined, page)), '401 invalid_token')
  const basic = { authorization: basicAuth('marta', GOOD) }
  await must(api.administrator.patch(`/users/${id}`, { disabled: false }))
  t.equal(
    refusal(await api.anonymous.get('/session', undefined, { headers: basic })),
    WRONG,
    'programs use others',
  )
})

t.test('a password that is changed while it is looked at opens no session', async (t) => {
  const api = await build(t, { fresh: true })
  const { people } = api.app.store
  const { id } = await addPerson(api, 'marta')
  const { verify } = people
  people.verify = async (name, password) => {
    const proven = await verify(name, password)
    const hash = await people.hashed(OTHER, proven.user!)
    await people.setPassword(id, hash, { origin: 'http', address: '' }, {})
    return proven
  }
  const late = await signIn(api, 'marta', GOOD)
  t.equal(refusal(late), WRONG)
  t.equal(late.headers['set-cookie'], undefined)
  people.verify = verify
  t.equal((await must(api.administrator.get(`/users/${id}/sessions`))).total, 0)
  t.equal((await signIn(api, 'marta', OTHER)).status, 201)
})

t.test('an answer tells nothing of who there is', async (t) => {
  const api = await build(t, { fresh: true })
  await addPerson(api, 'marta', { email: 'marta@town.example' })
  await must(api.administrator.post('/users', { login: 'program', role: 'editor' }))
  const { id } = await addPerson(api, 'disabled')
  await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
  const wrong = told(await signIn(api, 'nobody', OTHER))
  t.match(wrong, { status: 401, text: /The login or the password is wrong\./ })
  for (const [login, password] of [
    ['marta', OTHER],
    ['marta@town.example', OTHER],
    ['nobody@town.example', GOOD],
    ['program', GOOD],
    ['disabled', GOOD],
    ['no login at all, and no address', GOOD],
    ['marta', 'three\u0000cups of green tea'],
  ] as const)
    t.strictSame(told(await signIn(api, login, password)), wrong, login)
  await api.app.audited.flush()
  const { entries } = await must(api.administrator.get('/audit?code=login_failed'))
  t.same([...new Set(entries.map(({ details }: { details: { login?: string } }) => details.login))].sort(), [
    'disabled',
    'marta',
    'program',
    undefined,
  ])
})

t.test(
  'guesses are limited by login and address of the network, and only pages of the service sign in',
  async (t) => {
    const api = await build(t, { fresh: true })
    await addPerson(api, 'marta')
    for (const headers of [{}, { origin: 'https://evil.test' }, { ...OWN, 'sec-fetch-site': 'same-site' }])
      t.equal(refusal(await signIn(api, 'marta', GOOD, headers)), '403 rest_forbidden')
    t.equal(refusal(await api.anonymous.post('/session/cookie', {}, { headers: OWN })), '401 rest_forbidden')
    for (const [lacking, body] of [
      ['password', { login: 'marta' }],
      ['login', { password: GOOD }],
    ] as const)
      t.equal(
        refusal(await api.anonymous.post('/session/cookie', body, { headers: OWN })),
        `400 rest_missing_callback_param ${lacking}`,
      )
    const { verify } = api.app.store.people
    api.app.store.people.verify = async () => ({}) // a hundred hashes take long
    const statuses: number[] = []
    for (let at = 0; at <= 60; at++) statuses.push((await signIn(api, 'marta', OTHER)).status)
    t.same([statuses.indexOf(429), statuses.length], [60, 61])
    api.app.store.people.verify = verify
    t.equal((await signIn(api, 'marta', GOOD)).status, 429)
    t.equal(refusal(await signIn(api, 'pau', GOOD)), WRONG, 'others at this address go on')
    const elsewhere = { headers: OWN, remoteAddress: '192.0.2.9' }
    t.equal(
      (await api.anonymous.post('/session/cookie', { login: 'marta', password: GOOD }, elsewhere)).status,
      201,
    )
  },
)

t.test('an address that guesses many at once keeps nobody else waiting', async (t) => {
  const api = await build(t)
  const compared: string[] = []
  let end = () => {}
  api.app.store.people.verify = (name) =>
    new Promise((resolve) => {
      compared.push(name)
      end = () => resolve({})
    })
  const statuses: number[] = []
  const send = async (login: string, remoteAddress: string) => {
    const body = { login, password: OTHER }
    const { status } = await api.anonymous.post('/session/cookie', body, { headers: OWN, remoteAddress })
    statuses.push(status)
  }
  const flood = Array.from({ length: 40 }, (_, at) => send(`guess-${at}`, '192.0.2.9'))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await until(() => statuses.length >= 9)
  t.same([...new Set(statuses)], [503], 'more than may wait are refused')
  const other = send('marta', '192.0.2.7')
  for (let at = 0; at < 50; at++) await turn()
  for (let count = 0; !compared.includes('marta'); await turn())
    if (compared.length > count) {
      count = compared.length
      end()
    }
  t.ok(compared.indexOf('marta') < 4, 'the turn of another address comes soon')
  for (; statuses.length < 41; await turn()) end()
  await Promise.all([...flood, other])
  t.equal(statuses.filter((status) => status === 401).length, 32)
})

t.test('a person changes the password, which ends the other sessions of it', async (t) => {
  const api = await build(t, { env: MAIL })
  const { id } = await addPerson(api, 'marta', { email: 'marta@town.example' })
  const [one, two] = [pageOf(await signIn(api, 'marta', GOOD)), pageOf(await signIn(api, 'marta', GOOD))]
  const { password: phone } = await api.app.store.users.addPassword(id, 'phone')
  const basic = { authorization: basicAuth('marta', phone) }
  const third = pageOf(await api.anonymous.post('/session/cookie', undefined, { headers: basic }))
  const alive = (page: typeof one) =>
    api.anonymous.get('/session', undefined, page).then(({ status }) => status)
  const put = (body: object, page: { headers: Record<string, string> } = one) =>
    api.anonymous.put(`/users/${id}/password`, body, page)

  t.match((await put({ password: 'short' })).body, { data: { params: { password: /at least 10/ } } })
  t.strictSame((await put({ password: OTHER })).body, { login: 'marta' }, 'the sign-in is fresh')
  t.same([await alive(one), await alive(two), await alive(third)], [200, 401, 200])
  const [mail] = await mailsOf(api, 1)
  t.match(mail, {
    recipient: 'marta@town.example',
    subject: 'Your password for Almanac was changed',
    text: /desk\/#\/forgot\n/,
  })

  api.clock.now += 11 * 60_000
  t.equal(refusal(await put({ password: GOOD })), '401 insufficient_user_authentication')
  t.match(await put({ password: GOOD, present: GOOD }), {
    status: 400,
    body: { data: { params: { present: 'is not the password.' } } },
  })
  t.equal((await put({ password: GOOD, present: OTHER }, third)).status, 200)
  t.same([await alive(one), await alive(third)], [401, 200], 'a session of another password goes on')
  t.equal((await put({ password: OTHER }, { headers: basic })).status, 200, 'HTTP Basic proves a password')
  for (const login of ['marta', 'administrator'] as const)
    t.equal(
      refusal(
        await api[login === 'marta' ? 'editor' : login].put(`/users/${id}/password`, { password: GOOD }),
      ),
      '403 rest_forbidden',
      'nobody sets that of another user',
    )
  const { token } = await api.app.store.tokens.add(id, 'x', ['admin'], null)
  const narrow = { headers: { authorization: `Bearer ${token}` } }
  t.equal(refusal(await put({ password: GOOD, present: OTHER }, narrow)), '403 rest_forbidden')

  api.app.store.people.verify = async () => ({}) // a hundred hashes take long
  let last = ''
  for (let at = 0; at <= 60; at++) last = refusal(await put({ password: GOOD, present: 'x' }, third))
  t.equal(last, '429 rest_rate_limited')
})
