import t from 'tap'
import { must, refusal } from '../../support/answers.ts'
import { type Api, basicAuth, build, EVENT, NOW } from '../../support/app.ts'

/** What a browser says of a request of a page of this service. */
const OWN = { origin: 'http://calendar.test', 'sec-fetch-site': 'same-origin' }

/** A user who signs in at the desk: the header that a page sends, and the cookie that the browser keeps. */
async function enter(api: Api, login: string, more: Record<string, string> = {}) {
  const { id, password } = (await api.app.store.users.add(login, 'editor'))!
  const authorization = basicAuth(login, password)
  const made = await api.anonymous.post('/session/cookie', undefined, {
    headers: { authorization, ...OWN, ...more },
  })
  const set = String(made.headers['set-cookie'])
  const [cookie] = set.split(';')
  return { id, made, set, cookie: cookie!, by: `Session ${id}`, authorization }
}

t.test('a browser keeps the token where scripts and other sites do not reach it', async (t) => {
  const api = await build(t)
  const { made, set, cookie, by, id } = await enter(api, 'marta')
  t.equal(made.status, 201)
  t.same(made.body, {
    ...{ user: id, login: 'marta', role: 'editor', scopes: ['read', 'write', 'admin'] },
    expires_utc: '2026-11-21 21:00:00',
  })
  const rest = '; Path=/calendar/events/v1; Max-Age=43200; HttpOnly; SameSite=Strict'
  t.match(set, /^almanac-session=alm_[\w-]{32};/)
  t.equal(set.slice(set.indexOf(';')), rest)
  const headers = { authorization: by, cookie: `a=b; ${cookie}`, ...OWN }
  t.equal((await must(api.anonymous.post('/events', EVENT, { headers }))).author, String(id))
  const draft = await must(api.anonymous.post('/events', { ...EVENT, status: 'draft' }, { headers }))
  const read = await api.anonymous.get(`/events/${draft.id}`, undefined, { headers })
  t.match(read, { status: 200, headers: { 'cache-control': 'private, no-cache', vary: /Authorization/ } })

  const out = await api.anonymous.delete('/session', undefined, { headers })
  t.equal(
    out.headers['set-cookie'],
    'almanac-session=ended; Path=/calendar/events/v1; Max-Age=0; HttpOnly; SameSite=Strict',
  )
  t.equal(refusal(await api.anonymous.get('/session', undefined, { headers })), '401 invalid_token')
})

t.test('over HTTPS, and below a path, the cookie is for that alone', async (t) => {
  const api = await build(t, { env: { BASE_URL: 'https://town.test/agenda' } })
  const { set, cookie, by } = await enter(api, 'marta', { origin: 'https://town.test' })
  t.match(
    set,
    /^__Secure-almanac-session=.*; Path=\/agenda\/calendar\/events\/v1; .*; SameSite=Strict; Secure$/,
  )
  const headers = { authorization: by, cookie, origin: 'https://town.test', 'sec-fetch-site': 'same-origin' }
  t.equal((await api.anonymous.get('/session', undefined, { headers })).status, 200)
  const behind = await enter(await build(t), 'marta', {
    origin: 'https://calendar.test',
    host: 'calendar.test',
  })
  t.match(behind.set, /^__Secure-.*; Secure$/, 'a proxy that BASE_URL does not tell of')
})

t.test('without the header a cookie means nothing, and costs nothing', async (t) => {
  const api = await build(t)
  const { cookie } = await enter(api, 'marta')
  const draft = await must(api.editor.post('/events', { ...EVENT, status: 'draft' }))
  const headers = { cookie, ...OWN }
  t.equal(
    refusal(await api.anonymous.get(`/events/${draft.id}`, undefined, { headers })),
    '403 event-not-accessible',
  )
  t.equal(refusal(await api.anonymous.post('/events', EVENT, { headers })), '401 rest_forbidden')
  const [one, two] = [
    await api.anonymous.get('/events'),
    await api.anonymous.get('/events', undefined, { headers }),
  ]
  t.same(
    [two.text, two.headers.etag, two.headers['cache-control']],
    [one.text, one.headers.etag, one.headers['cache-control']],
  )
})

t.test('the cookie works for pages of this service only', async (t) => {
  const api = await build(t, { env: { CORS_ORIGINS: 'https://shop.test' } })
  const { cookie, by } = await enter(api, 'marta')
  const before = await api.fingerprint()
  const ask = (method: 'get' | 'post', more: Record<string, string>) =>
    api.anonymous[method](method === 'get' ? '/session' : '/events', method === 'get' ? undefined : EVENT, {
      headers: { authorization: by, cookie, ...more },
    })
  for (const [method, more] of [
    ['get', { 'sec-fetch-site': 'same-site' }],
    ['get', { 'sec-fetch-site': 'cross-site' }],
    ['get', { 'sec-fetch-site': 'none' }],
    ['get', { origin: 'https://shop.test' }],
    ['get', { origin: 'https://shop.test', 'sec-fetch-site': 'same-origin' }],
    ['post', { origin: 'https://shop.test' }],
    ['post', { origin: 'https://evil.test' }],
    ['post', { origin: 'null' }],
    ['post', { 'sec-fetch-site': 'same-site', origin: OWN.origin }],
    ['post', {}],
  ] as const)
    t.equal(refusal(await ask(method, more)), '403 rest_forbidden', `${method} ${JSON.stringify(more)}`)
  t.same(await api.fingerprint(), before)
  t.equal((await ask('get', {})).status, 200, 'browsers without Sec-Fetch-Site send no Origin with a read')
  t.equal((await ask('post', { origin: OWN.origin })).status, 201)
  t.equal((await ask('post', { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' })).status, 201)
  const asked = await api.anonymous.send({
    ...{ method: 'OPTIONS', url: '/calendar/events/v1/events' },
    headers: { origin: 'https://shop.test', 'access-control-request-method': 'POST' },
  })
  t.equal(
    asked.headers['access-control-allow-credentials'],
    undefined,
    'and browsers do not send it for others',
  )
})

t.test('a page works for one user: the cookie of another one is refused', async (t) => {
  const api = await build(t)
  const marta = await enter(api, 'marta')
  const pau = await enter(api, 'pau')
  const as = (authorization: string, cookie: string | undefined) =>
    api.anonymous.get('/session', undefined, {
      headers: { authorization, ...OWN, ...(cookie && { cookie }) },
    })
  t.equal(refusal(await as(marta.by, pau.cookie)), '401 invalid_token')
  t.equal(refusal(await as(marta.by, undefined)), '401 invalid_token')
  t.equal(refusal(await as(marta.by, 'almanac-session=alm_invented')), '401 invalid_token')
  t.equal(refusal(await as('Session x', marta.cookie)), '401 invalid_token')
  t.equal((await as(marta.by, marta.cookie)).status, 200)
  const wrong = { headers: { authorization: basicAuth('marta', 'wrong'), ...OWN } }
  for (const answer of [
    await as(marta.by, pau.cookie),
    await api.anonymous.post('/session/cookie', undefined, wrong),
  ])
    t.equal(
      answer.headers['www-authenticate'],
      'Bearer realm="Almanac"',
      'no window of the browser asks for a password',
    )
})

t.test('signing in again ends the session before, and a session can not extend itself', async (t) => {
  const api = await build(t)
  const { cookie, by, authorization, id } = await enter(api, 'marta')
  const by_it = { headers: { authorization: by, cookie, ...OWN } }
  t.equal(refusal(await api.anonymous.post('/session/cookie', undefined, by_it)), '403 rest_forbidden')
  api.clock.now = NOW + 60_000
  const again = await api.anonymous.post('/session/cookie', undefined, { headers: { authorization, cookie } })
  t.equal(again.status, 201)
  t.equal(refusal(await api.anonymous.get('/session', undefined, by_it)), '401 invalid_token')
  t.equal((await api.administrator.get(`/users/${id}/sessions`)).body.total, 1)
  const [next] = String(again.headers['set-cookie']).split(';')
  const enterAgain = () =>
    api.anonymous.post('/session/cookie', undefined, { headers: { authorization, cookie: next! } })
  const both = await Promise.all([enterAgain(), enterAgain()])
  t.same(
    both.map(({ status }) => status),
    [201, 201],
    'also in two windows at once',
  )
})
