import t from 'tap'
import { must } from '../../../../../test/support/answers.ts'
import { basicAuth, build } from '../../../../../test/support/app.ts'
import { begin, come, FROM_DESK, sessionOf, signIn } from '../../../support/openid.ts'
import { type Jar, openProvider, signInThere } from '../../../support/provider.ts'

const MARIA = {
  name: 'Maria Puig',
  email: 'Maria@town.test',
  email_verified: true,
  preferred_username: 'Maria',
}
const idIn = (to: string | undefined) => Number(/#\/openid\/(\d+)$/.exec(to!)?.[1])

t.test('whom the provider vouches for is a new user, the same at each sign-in', async (t) => {
  const provider = await openProvider(t, { maria: MARIA })
  const env = { ...provider.env, OPENID_NEW_USERS: 'contributor', OPENID_NAME: '' }
  const api = await build(t, { env })
  const { store } = api.app
  const began = await begin(api)
  t.equal(began.answer.status, 303)
  const asked = new URL(began.there)
  t.equal(asked.origin, provider.issuer)
  t.match(Object.fromEntries(asked.searchParams), {
    ...{ response_type: 'code', client_id: 'calendar', scope: 'openid email profile' },
    ...{
      code_challenge_method: 'S256',
      code_challenge: /^[\w-]{43}$/,
      nonce: /^[\w-]{43}$/,
      state: /^[\w-]{32}$/,
    },
    redirect_uri: 'http://calendar.test/calendar/events/v1/session/openid/callback',
  })
  t.notOk(asked.searchParams.has('prompt'))
  t.match(
    began.set[0],
    /^almanac-openid-[\w-]{8}=[\w-]{43}; Path=\/calendar\/events\/v1\/session\/openid\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )

  const jar: Jar = new Map()
  const came = await come(api, await signInThere(began.there, 'maria', jar), began.cookie)
  t.equal(came.answer.status, 303)
  t.equal(came.answer.headers['cache-control'], 'no-store')
  const id = idIn(came.to)
  t.equal(came.to, `http://calendar.test/desk/#/openid/${id}`)
  t.match(came.set[0], /^almanac-openid-[\w-]{8}=; .*Max-Age=0;/, 'the secret is used up')
  t.match(came.set[1], /; Path=\/calendar\/events\/v1; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  const user = { login: 'maria', role: 'contributor', name: 'Maria Puig', email: 'maria@town.test' }
  t.match(await store.users.find(id), user)
  t.match((await sessionOf(api, came.session!, id)).body, { user: id, login: 'maria', role: 'contributor' })
  t.same(await store.users.passwords(id), [], 'nobody knows a password')
  const [link] = await store.signIns.list(id)
  t.match(link, { kind: 'openid', external: `${provider.issuer} maria`, name: new URL(provider.issuer).host })

  const again = await signIn(api, 'maria', { jar })
  t.equal(idIn(again.to), id)
  t.equal((await store.signIns.list(id)).length, 1)
  t.equal(provider.asked.filter((path) => /openid-configuration/.test(path)).length, 1, 'it is found once')
  const { rows } = await store.audit.list({}, { page: 1, per_page: 20 })
  t.same(
    rows.filter(({ code }) => /user|sign_in|session/.test(code)).map(({ code }) => code),
    ['session_created', 'session_created', 'user_changed', 'sign_in_added', 'user_added'],
  )
})

t.test('a session takes the place of the one that the browser had', async (t) => {
  const provider = await openProvider(t, { maria: MARIA })
  const api = await build(t, { env: { ...provider.env, OPENID_NEW_USERS: 'author' } })
  const jar: Jar = new Map()
  const first = await signIn(api, 'maria', { jar })
  const id = idIn(first.to)
  const began = await begin(api, '', { cookie: first.session! })
  const second = await come(api, await signInThere(began.there, 'maria', jar), began.cookie)
  t.equal((await sessionOf(api, first.session!, id)).status, 401)
  t.equal((await sessionOf(api, second.session!, id)).status, 200)

  const other = await begin(api, '', { cookie: second.session! })
  const headers = { ...FROM_DESK, authorization: `Session ${id}`, cookie: second.session! }
  await must(api.anonymous.delete('/session', undefined, { headers }))
  const third = await come(api, await signInThere(other.there, 'maria', jar), other.cookie)
  t.equal((await sessionOf(api, third.session!, id)).status, 200, 'one that has ended is no hindrance')
})

t.test(
  'an address that the provider has verified leads to a user who has it and can not sign in yet, once',
  async (t) => {
    const people = {
      maria: MARIA,
      double: { ...MARIA, name: 'Double' },
      joan: { email: 'joan@town.test', email_verified: false },
      pau: { email: 'pau@town.test', email_verified: true },
    }
    const provider = await openProvider(t, people)
    const api = await build(t, { env: provider.env })
    const { store } = api.app
    const invite = async (login: string) =>
      (await store.people.add({ login, role: 'editor', email: `${login}@town.test` }))!.user.id
    const id = await invite('maria')
    await invite('joan')
    await store.users.add('pau', 'author', { email: 'pau@town.test' })
    const came = await signIn(api, 'maria')
    t.equal(idIn(came.to), id)
    t.match(await store.users.find(id), { login: 'maria', role: 'editor', name: 'Maria Puig' })
    // Pau has a password, and could have written down any address
    for (const who of ['joan', 'double', 'pau', 'stranger']) {
      const refused = await signIn(api, who)
      t.equal(refused.to, 'http://calendar.test/desk/#/openid/openid_no_account/unknown', who)
      t.equal(refused.session, undefined)
    }
    t.match(await signIn(api, 'joan', { accept: 'application/json' }), {
      answer: { status: 403, body: { code: 'openid_no_account', data: { status: 403, reason: 'unknown' } } },
    })
    await must(api.administrator.patch(`/users/${id}`, { disabled: true }))
    t.match((await signIn(api, 'maria')).to, /openid_no_account\/disabled$/)
    await api.app.audited.flush()
    const { rows } = await store.audit.list({ codes: ['login_failed'] }, { page: 1, per_page: 20 })
    t.same([...new Set(rows.map(({ details }) => details.reason))].sort(), ['disabled', 'unknown'])
    t.ok(rows.some(({ details, user_id }) => details.login === 'maria' && user_id === null))
  },
)

t.test('a new user never takes the login or the address of another', async (t) => {
  const people = {
    one: { ...MARIA, preferred_username: 'Editor' },
    two: { ...MARIA, preferred_username: 'Editor' },
  }
  const provider = await openProvider(t, people)
  const api = await build(t, { env: { ...provider.env, OPENID_NEW_USERS: 'subscriber' } })
  const ids = [idIn((await signIn(api, 'one')).to), idIn((await signIn(api, 'two')).to)]
  t.match(await api.app.store.users.find(ids[0]!), { login: 'editor-2', email: 'maria@town.test' })
  t.match(await api.app.store.users.find(ids[1]!), { login: 'editor-3', email: null })
})

t.test('roles follow a claim at each sign-in', async (t) => {
  const people: Record<string, Record<string, unknown>> = {
    maria: { ...MARIA, groups: ['staff', 'editors'] },
  }
  const provider = await openProvider(t, people)
  const env = {
    ...{ ...provider.env, OPENID_ROLES: 'groups:editors=editor,admins=administrator' },
    ...{ OPENID_NEW_USERS: 'subscriber' },
  }
  const api = await build(t, { env })
  const { store } = api.app
  const id = idIn((await signIn(api, 'maria')).to)
  const roleNow = async () => (await store.users.find(id)).role
  t.equal(await roleNow(), 'editor', 'not that of new users')
  people.maria!.groups = ['admins', 'editors']
  t.equal(idIn((await signIn(api, 'maria')).to), id)
  t.equal(await roleNow(), 'administrator')
  const changes = await store.audit.list({ codes: ['user_changed'] }, { page: 1, per_page: 1 })
  t.match(changes.rows[0], { details: { role: 'editor → administrator' }, origin: 'http' })

  people.maria!.groups = ['staff']
  t.match((await signIn(api, 'maria')).to, /openid_no_account\/no_role$/)
  t.equal(await roleNow(), 'administrator', 'who does not come in is as before')
  people.maria!.groups = ['editors']
  await store.users.update(api.credentials.administrator.id, { disabled: true })
  t.match((await signIn(api, 'maria')).to, /openid_no_account\/last_administrator$/)
  t.equal(await roleNow(), 'administrator')
})

t.test('where people sign in with the provider alone, nothing else opens sessions', async (t) => {
  const provider = await openProvider(t, { maria: MARIA })
  const env = { ...provider.env, LOCAL_SIGN_IN: 'off', OPENID_NEW_USERS: 'editor' }
  const api = await build(t, { env })
  for (const path of ['/session', '/session/cookie'])
    t.match(await api.administrator.post(path), { status: 403, body: { code: 'local_sign_in_off' } }, path)
  const own = { headers: FROM_DESK }
  for (const [path, body] of [
    ['/session/cookie', { login: 'maria', password: 'three cups of green tea' }],
    ['/session/factor', { ticket: 'x', code: '123456' }],
    ['/session/passkey/options', undefined],
    ['/password-resets', { login: 'maria' }],
    ['/password-resets/confirm', { ticket: 'x', password: 'three cups of green tea' }],
    ['/invitations/accept', { ticket: 'x', password: 'three cups of green tea' }],
  ] as const)
    t.match(
      await api.anonymous.post(path, body, own),
      { status: 403, body: { code: 'local_sign_in_off' } },
      path,
    )
  t.equal((await api.administrator.get('/users')).status, 200, 'passwords of programs go on')
  t.equal((await api.editor.get('/session')).status, 200, 'and so do tokens')
  const came = await signIn(api, 'maria')
  t.equal((await sessionOf(api, came.session!, idIn(came.to))).status, 200)
})

t.test('credentials are made only with a proof that the provider saw', async (t) => {
  const provider = await openProvider(t, { maria: MARIA })
  const machine = { now: Date.now() }
  const api = await build(t, {
    ...{ env: { ...provider.env, OPENID_NEW_USERS: 'editor' }, machine: () => machine.now },
  })
  const jar: Jar = new Map()
  const make = async ({ session, to }: { session: string | undefined; to: string | undefined }) => {
    const headers = { ...FROM_DESK, authorization: `Session ${idIn(to)}`, cookie: session! }
    const path = `/users/${idIn(to)}/application-passwords`
    return (await api.anonymous.post(path, { name: 'phone' }, { headers })).status
  }
  const first = await signIn(api, 'maria', { jar })
  t.equal(await make(first), 401, 'the provider does not say when it saw a proof')
  const fresh = await signIn(api, 'maria', { jar, query: '?fresh=true' })
  t.equal(await make(fresh), 201)
  t.equal(await make(first), 401)

  const { there, cookie } = await begin(api, '?fresh=true')
  t.match(Object.fromEntries(new URL(there).searchParams), { prompt: 'login', max_age: '0' })
  const back = await signInThere(there, 'maria', jar)
  provider.faults.token = (claims) => provider.sign({ ...claims, auth_time: Number(claims.auth_time) - 300 })
  t.match((await come(api, back, cookie)).to, /openid_failed\/OAUTH_JWT_TIMESTAMP_CHECK_FAILED%3Aauth_time$/)
})

t.test('who has signed in is linked with a person, if nobody else is', async (t) => {
  const provider = await openProvider(t, { maria: {}, joan: {} })
  const api = await build(t, { env: provider.env })
  const enter = async (login: string) => {
    const { id, password } = (await api.app.store.users.add(login, 'author'))!
    const authorization = basicAuth(login, password)
    const headers = { authorization, 'sec-fetch-site': 'same-origin' }
    const made = await api.anonymous.post('/session/cookie', undefined, { headers })
    return { id, cookie: String(made.headers['set-cookie']).split(';')[0]! }
  }
  const link = async ({ cookie }: { cookie: string }, who: string) => {
    const began = await begin(api, '?link=true', { cookie })
    return (await come(api, await signInThere(began.there, who), began.cookie)).to
  }
  const [marta, pere] = [await enter('marta'), await enter('pere')]
  t.equal(idIn(await link(marta, 'maria')), marta.id)
  t.equal(idIn((await signIn(api, 'maria')).to), marta.id)
  t.match(await link(pere, 'maria'), /openid_no_account\/taken$/)
  t.match((await begin(api, '?link=true')).there, /insufficient_user_authentication/, 'nobody has signed in')
  const { session } = await signIn(api, 'maria')
  t.match((await begin(api, '?link=true', { cookie: session! })).there, /insufficient/, 'without a proof')
  const { token } = await api.app.store.tokens.add(pere.id, 'program', ['read'], null)
  const program = { cookie: `almanac-session=${token}` }
  t.match((await begin(api, '?link=true', program)).there, /insufficient/, 'with the token of a program')
  const late = await enter('late')
  api.clock.now += 11 * 60_000
  const json = { cookie: late.cookie, accept: 'application/json' }
  t.match((await begin(api, '?link=true', json)).answer, { status: 401, body: { data: { max_age: 600 } } })
  t.match((await signIn(api, 'joan')).to, /openid_no_account\/unknown$/)
})

t.test('without a provider nobody is led anywhere', async (t) => {
  const api = await build(t)
  for (const path of ['/session/openid', '/session/openid/callback'])
    t.match(await api.anonymous.get(path), { status: 404, body: { code: 'rest_no_route' } })
})
