import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import OidcProvider, { type Configuration } from 'oidc-provider'
import type { Test } from 'tap'
import { listenOn } from '../../../test/support/ports.ts'

/** A person at the provider: what it says of them beside their ID. */
export type Account = Record<string, unknown>
/** What the provider does wrong: in place of the answer at a path, or in what an answer says. */
export type Faults = {
  /** Answers a request itself, if it returns true. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
  /** Changes what it says of itself. */
  metadata?: ((told: Record<string, unknown>) => object) | undefined
  /** Changes the claims of the ID token, and perhaps its header and key. */
  token?: ((claims: Record<string, unknown>) => string) | undefined
}

type Key = Record<string, unknown> & { kid: string; alg: string; use: string }
/** A key with which the provider signs. */
export function makeKey(kid: string): Key {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
}

let first: Key | undefined
/** The key that providers begin with: one for all of a process, since finding one takes a tenth of a second of processor time. */
const firstKey = () => {
  first ??= makeKey('first')
  return first
}

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
/** A token with these claims, signed with a key; with the header of another algorithm if one is given. */
export function signed(claims: Record<string, unknown>, key: Key, alg = 'RS256') {
  const text = `${encoded({ alg, kid: key.kid })}.${encoded(claims)}`
  const signature = sign('sha256', Buffer.from(text), createPrivateKey({ key, format: 'jwk' }))
  return `${text}.${alg === 'none' ? '' : signature.toString('base64url')}`
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

/** Changes the JSON that Koa sends at the end of an answer. */
function changeJson(response: ServerResponse, change: (body: Record<string, unknown>) => object) {
  const end = response.end.bind(response)
  response.end = ((body: string | Buffer) => {
    const text = JSON.stringify(change(JSON.parse(String(body))))
    response.setHeader('content-length', Buffer.byteLength(text))
    return end(text)
  }) as typeof response.end
}

/** A real OpenID provider on this machine, with its pages to sign in. `accounts` are its people by ID; `callbacks` are where clients are. */
export async function openProvider(
  t: Test,
  accounts: Record<string, Account>,
  callbacks = ['http://calendar.test/calendar/events/v1/session/openid/callback'],
  host = '127.0.0.1',
) {
  const keys = [firstKey()]
  const faults: Faults = {}
  let callback: ReturnType<OidcProvider['callback']> | undefined
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!.split('?')[0]!)
    if (faults.instead?.(request, response)) return
    const { token, metadata } = faults
    if (token && request.url === '/token')
      changeJson(response, ({ id_token, ...rest }) => ({
        ...rest,
        ...(id_token !== undefined && { id_token: token(claimsOf(String(id_token))) }),
      }))
    if (metadata && request.url!.endsWith('/openid-configuration')) changeJson(response, metadata)
    callback!(request, response)
  })
  const issuer = `http://${host}:${await listenOn(t, server)}`

  /** Begins anew with other keys, as after a rotation. Who has signed in there is forgotten. */
  function start() {
    const provider = new OidcProvider(issuer, {
      clients: [
        {
          ...{ client_id: 'calendar', client_secret: 'a secret of 32 characters, or so' },
          ...{ redirect_uris: callbacks, response_types: ['code'], grant_types: ['authorization_code'] },
        },
      ],
      cookies: { keys: ['cookies of the provider'] },
      jwks: { keys: keys.map((key) => ({ ...key })) as NonNullable<Configuration['jwks']>['keys'] },
      claims: {
        openid: ['sub', 'groups'],
        email: ['email', 'email_verified'],
        profile: ['name', 'preferred_username'],
      },
      ttl: {
        AccessToken: 600,
        IdToken: 600,
        Interaction: 600,
        Session: 3600,
        Grant: 3600,
        AuthorizationCode: 60,
      },
      async findAccount(_context, id) {
        return { accountId: id, claims: async () => ({ sub: id, ...accounts[id] }) }
      },
    })
    callback = provider.callback()
  }
  start()

  const env = {
    ...{ OPENID_ISSUER: issuer, OPENID_CLIENT_ID: 'calendar', OPENID_NAME: 'Town' },
    OPENID_CLIENT_SECRET: 'a secret of 32 characters, or so',
  }
  /** A token of the provider with these claims. */
  const sign = (claims: Record<string, unknown>) => signed(claims, keys.at(-1)!)
  return { issuer, env, faults, keys, start, asked, sign }
}

/** The cookies that a browser keeps of the provider. */
export type Jar = Map<string, string>

/** What a browser does at the provider, from the address to which it is sent until it is sent back: signs in as `login`, and agrees. */
export async function signInThere(start: string, login: string, jar: Jar = new Map()): Promise<URL> {
  let [url, body]: [URL, URLSearchParams | undefined] = [new URL(start), undefined]
  const { origin } = url
  for (let step = 0; step < 12; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const init = { redirect: 'manual' as const, headers: { cookie } }
    const answer = await fetch(url, body ? { ...init, method: 'POST', body } : init)
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      jar.set(name!, value!)
    }
    const location = answer.headers.get('location')
    if (location !== null) {
      url = new URL(location, url)
      body = undefined
      if (url.origin !== origin) return url
      continue
    }
    const page = await answer.text()
    const [, prompt] = /name="prompt" value="(\w+)"/.exec(page) ?? []
    if (!prompt) throw new Error(`the provider answers ${answer.status}: ${page.slice(0, 500)}`)
    const [, action] = /action="([^"]+)"/.exec(page)!
    url = new URL(action!, url)
    body = new URLSearchParams({ prompt, login, password: 'any' })
  }
  throw new Error('the provider sends the browser on and on')
}
