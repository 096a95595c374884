import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { openProvider as reach } from '../../../../../src/features/people/openid/provider.ts'
import { type Api, build } from '../../../../../test/support/app.ts'
import { begin, come, FROM_DESK, FROM_ELSEWHERE, signIn } from '../../../support/openid.ts'
import { type Faults, makeKey, openProvider, signed, signInThere } from '../../../support/provider.ts'

const CALLBACK = '/session/openid/callback'
const failed = (detail: string) => ({
  status: 502,
  body: { code: 'openid_failed', data: { openid_error: detail } },
})

/** A provider that knows Maria, and a calendar whose new users are authors. */
async function open(t: Test, more: Parameters<typeof build>[1] = {}) {
  const provider = await openProvider(t, { maria: { name: 'Maria' } })
  const api = await build(t, { ...more, env: { ...provider.env, OPENID_NEW_USERS: 'author' } })
  const users = () => api.app.store.users.count()
  return { provider, api, users, before: await users() }
}
const json = (api: Api) => signIn(api, 'maria', { accept: 'application/json' })

t.test('a token that does not hold signs nobody in', async (t) => {
  const { provider, api, users, before } = await open(t)
  const now = Math.floor(Date.now() / 1000)
  const { sign } = provider
  const cases: [string, NonNullable<Faults['token']>, detail: string][] = [
    [
      'issuer',
      (claims) => sign({ ...claims, iss: 'https://other.example' }),
      'OAUTH_JWT_CLAIM_COMPARISON_FAILED:iss',
    ],
    ['audience', (claims) => sign({ ...claims, aud: 'other' }), 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:aud'],
    [
      'several audiences',
      (claims) => sign({ ...claims, aud: ['calendar', 'x'] }),
      'OAUTH_JWT_CLAIM_COMPARISON_FAILED:aud',
    ],
    ['nonce', (claims) => sign({ ...claims, nonce: 'other' }), 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:nonce'],
    ['no nonce', (claims) => sign({ ...claims, nonce: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['expired', (claims) => sign({ ...claims, exp: now - 120 }), 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED:exp'],
    [
      'not yet valid',
      (claims) => sign({ ...claims, nbf: now + 600 }),
      'OAUTH_JWT_TIMESTAMP_CHECK_FAILED:nbf',
    ],
    ['unknown key', (claims) => signed(claims, makeKey('strange')), 'OAUTH_KEY_SELECTION_FAILED'],
    ['another key by that name', (claims) => signed(claims, makeKey('first')), 'OAUTH_INVALID_RESPONSE'],
    ['no signature', (claims) => signed(claims, provider.keys[0]!, 'none'), 'OAUTH_INVALID_RESPONSE'],
    [
      'another subject than its user info',
      (claims) => sign({ ...claims, sub: 'admin' }),
      'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
    ],
    ['no token', () => '', 'OAUTH_INVALID_RESPONSE'],
    ['nonsense', () => 'a.b.c', 'OAUTH_PARSE_ERROR'],
  ]
  for (const [what, token, detail] of cases) {
    provider.faults.token = token
    const { answer, session } = await json(api)
    t.match(answer, failed(detail), what)
    t.equal(session, undefined, what)
    t.notMatch(answer.text, /secret|other\.example|strange/, 'nothing else of what the provider says')
  }
  provider.faults.token = undefined
  t.equal(await users(), before)
  t.ok((await signIn(api, 'maria')).session, 'and one that holds does')
})

t.test('clocks may differ by half a minute', async (t) => {
  const { provider, api } = await open(t)
  const now = Math.floor(Date.now() / 1000)
  provider.faults.token = (claims) => provider.sign({ ...claims, exp: now - 5, nbf: now + 20 })
  t.ok((await signIn(api, 'maria')).session)
  provider.faults.token = undefined
  const late = await open(t, { machine: () => Date.now() + 3_600_000 })
  t.match((await json(late.api)).answer, failed('OAUTH_JWT_TIMESTAMP_CHECK_FAILED:exp'))
})

t.test('a new key of the provider is known at once', async (t) => {
  const { provider, api } = await open(t)
  t.ok((await signIn(api, 'maria')).session)
  provider.keys.splice(0, 1, makeKey('second'))
  provider.start()
  t.ok((await signIn(api, 'maria')).session)
})

t.test('only the browser that began comes back, once and in time', async (t) => {
  const { api, users, before } = await open(t)
  const refused = { status: 400, body: { code: 'openid_not_begun' } }
  const isRefused = async (back: URL, cookie: string, what: string) => {
    const { answer, session } = await come(api, back, cookie, 'application/json')
    t.match(answer, refused, what)
    t.equal(session, undefined, what)
  }
  const [mine, other] = [await begin(api), await begin(api)]
  const back = await signInThere(mine.there, 'maria')
  await isRefused(back, '', 'no cookie')
  await isRefused(back, other.cookie, 'the cookie of another sign-in')
  const name = mine.cookie.split('=')[0]
  await isRefused(back, `${name}=${other.cookie.split('=')[1]}`, 'the secret of another browser')
  await isRefused(back, mine.cookie, 'and that used it up')

  const second = await begin(api)
  const strange = await signInThere(second.there, 'maria')
  strange.searchParams.set('state', new URL(other.there).searchParams.get('state')!)
  t.match(
    (await come(api, strange, other.cookie, 'application/json')).answer,
    failed('invalid_grant'),
    'a code of another',
  )

  const third = await begin(api)
  const good = await signInThere(third.there, 'maria')
  t.ok((await come(api, good, third.cookie)).session)
  await isRefused(good, third.cookie, 'a second time')
  const fourth = await begin(api)
  const late = await signInThere(fourth.there, 'maria')
  api.clock.now += 10 * 60_000
  await isRefused(late, fourth.cookie, 'after ten minutes')
  await isRefused(new URL('http://calendar.test/?code=x'), fourth.cookie, 'no state')
  t.equal(await users(), before + 1)
})

t.test('a code works once', async (t) => {
  const { api } = await open(t)
  const [one, two] = [await begin(api), await begin(api)]
  const back = await signInThere(one.there, 'maria')
  t.ok((await come(api, back, one.cookie)).session)
  const state = new URL(two.there).searchParams.get('state')!
  back.searchParams.set('state', state)
  t.match((await come(api, back, two.cookie, 'application/json')).answer, failed('invalid_grant'))
})

t.test('what the provider says of a refusal is told by its code alone', async (t) => {
  const { api } = await open(t)
  const refuse = async (query: string, accept?: string) => {
    const { there, cookie } = await begin(api)
    const state = new URL(there).searchParams.get('state')!
    const back = new URL(`http://calendar.test/?state=${state}&iss=${new URL(there).origin}&${query}`)
    return come(api, back, cookie, accept)
  }
  t.match(await refuse('error=access_denied&error_description=%3Cscript%3E', 'application/json'), {
    answer: {
      status: 403,
      body: {
        ...{ code: 'openid_refused', message: 'The provider signed nobody in.' },
        data: { status: 403, openid_error: 'access_denied' },
      },
    },
  })
  t.equal(
    (await refuse('error=access_denied')).to,
    'http://calendar.test/desk/#/openid/openid_refused/access_denied',
  )
  t.match((await refuse('error=server_error')).to, /openid_failed\/server_error$/)
  t.match((await refuse('error=%3Cscript%3E')).to, /openid_failed\/OAUTH_AUTHORIZATION_RESPONSE_ERROR$/)
  t.match((await refuse('')).to, /openid_failed\/OAUTH_INVALID_RESPONSE$/, 'no code')
  t.match((await refuse('code=a&code=b')).to, /openid_failed\/OAUTH_INVALID_RESPONSE$/)
  t.match((await refuse('code=a&iss=https://other.example')).to, /openid_failed\/OAUTH_INVALID_RESPONSE$/)
})

t.test('a provider that is away, or answers nonsense, is told and asked again', async (t) => {
  const { provider, api } = await open(t)
  const { faults } = provider
  const say =
    (status: number, text: string, type = 'application/json') =>
    (response: ServerResponse) => {
      response.writeHead(status, { 'content-type': type })
      response.end(text)
      return true
    }
  const asked = async () => (await begin(api, '', { accept: 'application/json' })).answer
  const WRONG: [(response: ServerResponse) => boolean, string][] = [
    [say(503, ''), 'OAUTH_RESPONSE_IS_NOT_CONFORM'],
    [say(204, ''), 'unknown'],
    [say(200, '<html>', 'text/html'), 'OAUTH_RESPONSE_IS_NOT_JSON'],
    [say(200, '{"issuer":"https://other.example"}'), 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED'],
    [say(200, `{"issuer":"${'x'.repeat(600_000)}"}`), 'answer_too_large'],
    [(response) => !!response.destroy(), 'UND_ERR_SOCKET'],
  ]
  for (const [answer, detail] of WRONG) {
    faults.instead = (_request, response) => answer(response)
    t.match(await asked(), failed(detail))
  }
  t.equal((await begin(api)).there, 'http://calendar.test/desk/#/openid/openid_failed/UND_ERR_SOCKET')
  faults.instead = undefined
  const began = await begin(api)
  const back = await signInThere(began.there, 'maria')
  faults.instead = ({ url }, response) => url === '/me' && say(500, '{}')(response)
  t.match(
    (await come(api, back, began.cookie, 'application/json')).answer,
    failed('OAUTH_RESPONSE_IS_NOT_CONFORM'),
  )
  faults.instead = undefined
  t.ok((await signIn(api, 'maria')).session)
})

t.test('an answer that does not come is not waited for', async (t) => {
  const there = await openProvider(t, {})
  there.faults.instead = () => true
  const provider = reach({
    ...{
      issuer: there.issuer,
      clientId: 'calendar',
      scopes: 'openid',
      redirect: 'http://calendar.test/back',
    },
    ...{ machine: Date.now, seconds: 0.1 },
  })
  const failure = await provider
    .begin({ state: 'a', nonce: 'b', verifier: 'c' }, false)
    .catch((error) => error)
  t.match(failure, { kind: 'failed', detail: 'OAUTH_TIMEOUT' })
})

t.test('the service proves who it is as the provider takes it', async (t) => {
  const { provider, api } = await open(t)
  const { faults } = provider
  let isInHeader: boolean | undefined
  faults.instead = ({ url, headers }) => {
    if (url === '/token') isInHeader = headers.authorization !== undefined
    return false
  }
  faults.metadata = ({ token_endpoint_auth_methods_supported, userinfo_endpoint, ...told }) => told
  t.ok((await signIn(api, 'maria')).session, 'a provider that says little of itself')
  t.equal(isInHeader, true)
  faults.metadata = (told) => ({ ...told, token_endpoint_auth_methods_supported: ['client_secret_post'] })
  const env = { ...provider.env, OPENID_NEW_USERS: 'author' }
  t.ok((await signIn(await build(t, { env }), 'maria')).session)
  t.equal(isInHeader, false)
  faults.metadata = undefined
  // this one takes no client without its secret
  t.match(
    (await json(await build(t, { env: { ...env, OPENID_CLIENT_SECRET: '' } }))).answer,
    failed('invalid_client'),
  )
})

t.test('one begins at the desk, not by a link of another site', async (t) => {
  const { api } = await open(t)
  t.match(await begin(api, '', { ...FROM_ELSEWHERE, accept: 'application/json' }), {
    answer: { status: 403, body: { code: 'rest_forbidden' } },
  })
  t.equal((await begin(api, '', FROM_ELSEWHERE)).there, 'http://calendar.test/desk/#/openid/rest_forbidden/')
  t.equal((await begin(api, '', { 'sec-fetch-site': 'none' })).answer.status, 303)
  t.equal((await api.anonymous.get('/session/openid')).status, 303, 'an old browser does not say')
})

t.test('beginning and failing are limited for each address', async (t) => {
  const { api } = await open(t)
  const { get } = api.anonymous
  const statuses = async (path: string) => {
    const seen: Record<number, number> = {}
    for (let at = 0; at < 62; at++) {
      const { status } = await get(path, undefined, { headers: { 'sec-fetch-site': 'same-origin' } })
      seen[status] = (seen[status] ?? 0) + 1
    }
    return seen
  }
  t.same(await statuses(`${CALLBACK}?state=x&code=y`), { 400: 60, 429: 2 })
  t.same(await statuses('/session/openid'), { 303: 60, 429: 2 })
  t.equal((await begin(api)).there, 'http://calendar.test/desk/#/openid/rest_rate_limited/')
  const elsewhere = { remoteAddress: '10.1.1.1', headers: FROM_DESK }
  t.equal((await get('/session/openid', undefined, elsewhere)).status, 303)
})

t.test('over HTTPS the cookies are for HTTPS alone, below the path of the service', async (t) => {
  const redirect = 'https://town.test/agenda/api/session/openid/callback'
  const there = await openProvider(t, { maria: {} }, [redirect])
  const env = {
    ...{ ...there.env, OPENID_NEW_USERS: 'author', BASE_URL: 'https://town.test/agenda', NAMESPACE: 'api' },
  }
  const { anonymous, app } = await build(t, { env })
  const began = await anonymous.send({ method: 'GET', url: '/api/session/openid', headers: FROM_DESK })
  t.match(
    String(began.headers['set-cookie']),
    /^__Secure-almanac-openid-.*; Path=\/agenda\/api\/session\/openid\/callback;.*; Secure$/,
  )
  const back = await signInThere(began.headers.location!, 'maria')
  const headers = { ...FROM_ELSEWHERE, cookie: String(began.headers['set-cookie']).split(';')[0]! }
  const came = await anonymous.send({
    method: 'GET',
    url: `/api/session/openid/callback${back.search}`,
    headers,
  })
  const [, session] = came.headers['set-cookie'] as unknown as string[]
  t.match(session, /^__Secure-almanac-session=.*; Path=\/agenda\/api; .*; Secure$/)
  t.match(came.headers.location, /^https:\/\/town\.test\/agenda\/desk\/#\/openid\/\d+$/)
  t.ok(await app.store.users.byLogin('user'))
})
