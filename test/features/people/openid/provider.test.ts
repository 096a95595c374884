import { createSign, generateKeyPairSync } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { openProvider } from '../../../../src/features/people/openid/provider.ts'
import { listenOn } from '../../../support/ports.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const REDIRECT = 'http://calendar.test/session/openid'
const BEGUN = { state: 'state-1', nonce: 'nonce-1', verifier: 'v'.repeat(43) }

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
/** An ID token, signed with the key that the provider shows (RFC 7519). */
function signed(claims: object) {
  const text = `${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(claims)}`
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`
}

/** A provider of one person, of whom it says `claims`, or whose tokens it refuses with `error`. */
async function serve(t: Test, { claims = {}, error }: { claims?: object; error?: string }) {
  const tell = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const server = createServer(({ url }, response) => {
    const seconds = Math.floor(Date.now() / 1_000)
    const told = {
      iss: issuer,
      aud: 'almanac',
      sub: 'person-1',
      iat: seconds,
      exp: seconds + 60,
      nonce: BEGUN.nonce,
    }
    if (url === '/.well-known/openid-configuration')
      tell(response, 200, {
        ...{ issuer, jwks_uri: `${issuer}/keys`, id_token_signing_alg_values_supported: ['RS256'] },
        ...{ authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` },
        ...{ response_types_supported: ['code'], subject_types_supported: ['public'] },
      })
    else if (url === '/keys')
      tell(response, 200, {
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
      })
    else if (error !== undefined) tell(response, 400, { error })
    else
      tell(response, 200, {
        access_token: 'a',
        token_type: 'bearer',
        id_token: signed({ ...told, ...claims }),
      })
  })
  const issuer = `http://127.0.0.1:${await listenOn(t, server)}`
  const settings = { issuer, clientId: 'almanac', clientSecret: 'secret', scopes: 'openid email' }
  return { issuer, provider: openProvider({ ...settings, redirect: REDIRECT, machine: Date.now }) }
}

t.test('a browser is sent to the provider with a state, a nonce and a challenge', async (t) => {
  const { issuer, provider } = await serve(t, {})
  const url = await provider.begin(BEGUN, false)
  t.equal(url.origin + url.pathname, `${issuer}/authorize`)
  t.match(Object.fromEntries(url.searchParams), {
    ...{ response_type: 'code', client_id: 'almanac', redirect_uri: REDIRECT, scope: 'openid email' },
    ...{
      state: BEGUN.state,
      nonce: BEGUN.nonce,
      code_challenge_method: 'S256',
      code_challenge: /^[\w-]{43}$/,
    },
    prompt: undefined,
  })
  const fresh = (await provider.begin(BEGUN, true)).searchParams
  t.same([fresh.get('prompt'), fresh.get('max_age')], ['login', '0'])
})

t.test('who comes back is whom the provider vouches for', async (t) => {
  const now = Math.floor(Date.now() / 1_000)
  const { issuer, provider } = await serve(t, {
    claims: { email: 'ada@example.org', auth_time: now, azp: 'almanac' },
  })
  const told = await provider.finish(`code=c&state=${BEGUN.state}`, BEGUN, Date.now(), false)
  t.match(told, { issuer, subject: 'person-1', claims: { email: 'ada@example.org' }, proved: true })
})

t.test('why nobody is vouched for is a code of the protocol, with the claim that it is about', async (t) => {
  const back = `code=c&state=${BEGUN.state}`
  for (const [query, how, kind, detail] of [
    [`error=access_denied&state=${BEGUN.state}`, {}, 'refused', 'access_denied'],
    [`error=server_error&state=${BEGUN.state}`, {}, 'failed', 'server_error'],
    [back, { error: 'invalid_grant' }, 'failed', 'invalid_grant'],
    [back, { error: 'not a code <b>' }, 'failed', /^OAUTH_\w+$/],
    [back, { claims: { nonce: 'another' } }, 'failed', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:nonce'],
    [back, { claims: { azp: 'another' } }, 'failed', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:azp'],
    [back, { claims: { sub: '' } }, 'failed', /^OAUTH_\w+(:sub)?$/],
    [back, { claims: { sub: 'a\u0000b' } }, 'failed', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:sub'],
    [back, { claims: { sub: 'x'.repeat(256) } }, 'failed', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:sub'],
    [
      back,
      { claims: { iat: Math.floor(Date.now() / 1_000) + 3_600 } },
      'failed',
      'OAUTH_JWT_TIMESTAMP_CHECK_FAILED:iat',
    ],
    [back, { claims: { aud: 'another' } }, 'failed', 'OAUTH_JWT_CLAIM_COMPARISON_FAILED:aud'],
    ['code=c&state=another', {}, 'failed', /^OAUTH_\w+$/],
  ] as const) {
    const { provider } = await serve(t, how)
    await t.rejects(provider.finish(query, BEGUN, Date.now(), false), { name: 'Error', kind, detail }, query)
  }
})
