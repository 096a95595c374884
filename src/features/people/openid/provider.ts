import type * as oidc from 'openid-client'
import type { Config } from '../../../calendar/config.ts'
import type { Role } from '../../../kernel/access/rights.ts'
import { isSubject, mergedClaims, type RoleClaim, readRoleClaim } from './accounts.ts'

/** The library, which is loaded at the first sign-in. */
const library = () => import('openid-client')
type Library = Awaited<ReturnType<typeof library>>

/** The provider, as the operator names it, and what it knows this service by. */
type ProviderSettings = {
  issuer: string
  clientId: string
  clientSecret?: string | undefined
  scopes: string
  /** Where the provider sends browsers back to. */
  redirect: string
  /** The clock of the machine in Unix milliseconds: the provider knows no other. */
  machine(): number
  /** How long an answer of the provider may take. */
  seconds?: number
}
/** What a sign-in is begun with and has to come back with. */
export type Begun = { state: string; nonce: string; verifier: string }
/** Whom the provider vouches for. `proved` says whether it saw them prove who they are since the sign-in began. */
export type Identity = { issuer: string; subject: string; claims: Record<string, unknown>; proved: boolean }

/** Why there is nobody: the provider or the person said no; or it is away, or what it says can not be trusted. `detail` is a code of the protocol. */
export class ProviderFailure extends Error {
  readonly kind: 'refused' | 'failed'
  readonly detail: string

  constructor(kind: 'refused' | 'failed', detail: string, cause: unknown) {
    super(`OpenID provider: ${detail}`, { cause })
    this.kind = kind
    this.detail = detail
  }
}

/** Greatest size of an answer of the provider, and seconds that it may take. */
const MOST_BYTES = 512 * 1024
const TIMEOUT = 10
/** Milliseconds for which what the provider says of itself is not asked again. */
const REMEMBER = 3_600_000

/** `fetch` that reads at most so much. The signal that comes with a request ends also the reading of its answer. */
async function bounded(url: string, options: oidc.CustomFetchOptions): Promise<Response> {
  const answer = await fetch(url, options as RequestInit)
  const chunks: Uint8Array[] = []
  let size = 0
  // without a body it throws as well: there is none in an answer that could be used
  for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MOST_BYTES) throw Object.assign(new Error('too large'), { code: 'answer_too_large' })
    chunks.push(chunk)
  }
  const { status, headers } = answer
  return new Response(Buffer.concat(chunks), { status, headers })
}

type Failure = { error?: unknown; code?: unknown; cause?: { code?: unknown; cause?: { claim?: unknown } } }
/**
 * The code of an error that can be shown: one of the protocol (RFC 6749 §4.1.2.1, §5.2), of the library with the claim that it is about,
 * or of the network.
 */
function detailOf({ error, code, cause }: Failure): string {
  const known = [error, cause?.code, code].find(
    (one) => typeof one === 'string' && /^[\w.-]{1,64}$/.test(one),
  )
  const claim = cause?.cause?.claim
  return [known ?? 'unknown', claim].filter((part) => part !== undefined).join(':')
}

/** What the person, or the provider about them, may say; anything else is a mistake in what was asked, or of the provider (OpenID Connect Core §3.1.2.6). */
const REFUSALS = [
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
]

/** Seconds by which the clock of the provider may differ. */
const SKEW = 30

/**
 * Throws if an ID token has what the library does not look at: a subject that is no text to know somebody by, the time of an issue to
 * come, or an authorized party that is another client (OpenID Connect Core §2, §3.1.3.7).
 */
function checkToken({ sub, iat, azp }: oidc.IDToken, clientId: string, now: number) {
  const fail = (claim: string, code = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED') => {
    throw Object.assign(new Error(`the claim ${claim} of the ID token`), {
      code,
      cause: { cause: { claim } },
    })
  }
  if (!isSubject(sub)) fail('sub')
  if (azp !== undefined && azp !== clientId) fail('azp')
  if (iat > now / 1000 + SKEW) fail('iat', 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED')
}

/**
 * Asks an OpenID provider who somebody is: authorization code with PKCE (RFC 7636), state and nonce. Its addresses are the operator's, so
 * they may be private. They are found at the first sign-in. Its keys are read at each one, so that a new key is known at once. Throws
 * `ProviderFailure`.
 */
export function openProvider(settings: ProviderSettings) {
  const { issuer, clientId, clientSecret, scopes, redirect, machine, seconds = TIMEOUT } = settings
  const isPlain = issuer.startsWith('http:')
  let known: { metadata: Promise<oidc.ServerMetadata>; at: number } | undefined

  async function discover(): Promise<oidc.ServerMetadata> {
    const oidc = await library()
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      timeout: seconds,
      [oidc.customFetch]: bounded,
      ...(isPlain && { execute: [oidc.allowInsecureRequests] }),
    })
    return found.serverMetadata()
  }

  /** What the provider says of itself; asked again after a while, and after a failure. */
  function metadataOf(): Promise<oidc.ServerMetadata> {
    if (known === undefined || machine() - known.at > REMEMBER)
      known = { metadata: discover(), at: machine() }
    return known.metadata
  }

  /** What a request is made with. It is made anew each time, as the library keeps the keys of the provider in it. */
  async function configure(): Promise<oidc.Configuration> {
    const oidc = await library()
    const metadata = await metadataOf()
    const methods = metadata.token_endpoint_auth_methods_supported
    const isPosted = methods !== undefined && !methods.includes('client_secret_basic')
    const secret = isPosted ? oidc.ClientSecretPost(clientSecret) : oidc.ClientSecretBasic(clientSecret)
    const client = { [oidc.clockSkew]: Math.round((machine() - Date.now()) / 1000) }
    const config = new oidc.Configuration(
      metadata,
      clientId,
      client,
      clientSecret === undefined ? oidc.None() : secret,
    )
    config[oidc.customFetch] = bounded
    config.timeout = seconds
    if (isPlain) oidc.allowInsecureRequests(config)
    oidc.enableNonRepudiationChecks(config)
    return config
  }

  const explained = async <T>(work: (oidc: Library) => Promise<T>): Promise<T> => {
    const oidc = await library()
    try {
      return await work(oidc)
    } catch (error) {
      const detail = detailOf(error as Failure)
      const isRefusal = error instanceof oidc.AuthorizationResponseError && REFUSALS.includes(detail)
      if (!isRefusal) known = undefined // it may have moved
      throw new ProviderFailure(isRefusal ? 'refused' : 'failed', detail, error)
    }
  }

  return {
    /** The clock by which the provider tells when somebody proved who they are, in Unix milliseconds. */
    machine,
    /** The address to which a browser goes to sign in. With `fresh`, the person has to prove anew who they are. */
    begin: ({ state, nonce, verifier }: Begun, fresh: boolean): Promise<URL> =>
      explained(async (oidc) => {
        const config = await configure()
        return oidc.buildAuthorizationUrl(config, {
          response_type: 'code',
          redirect_uri: redirect,
          scope: scopes,
          state,
          nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(fresh && { prompt: 'login', max_age: '0' }),
        })
      }),
    /** Whom the provider vouches for, by the query with which the browser came back. `since` is when the sign-in began; with `fresh`, the person must have proven who they are since. */
    finish: (query: string, begun: Begun, since: number, fresh: boolean): Promise<Identity> =>
      explained(async (oidc) => {
        const config = await configure()
        const came = new URL(redirect)
        came.search = query
        const age = Math.max(0, Math.ceil((machine() - since) / 1000))
        const tokens = await oidc.authorizationCodeGrant(config, came, {
          pkceCodeVerifier: begun.verifier,
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          idTokenExpected: true,
          ...(fresh && { maxAge: age }),
        })
        const idToken = tokens.claims()!
        checkToken(idToken, clientId, machine())
        const userInfo = config.serverMetadata().userinfo_endpoint
          ? await oidc.fetchUserInfo(config, tokens.access_token, idToken.sub)
          : {}
        return {
          issuer: idToken.iss,
          subject: idToken.sub,
          claims: mergedClaims(idToken, userInfo),
          // the library allows for as many seconds where it checks the age
          proved: (idToken.auth_time ?? 0) >= Math.floor(since / 1000) - SKEW,
        }
      }),
  }
}
type Provider = ReturnType<typeof openProvider>

/** Signing in with a provider: who that is, what it is called, and what its claims give. */
export type ConfiguredProvider = {
  provider: Provider
  name: string
  roles: RoleClaim | undefined
  /** The role of whom the calendar does not know; undefined to refuse them. */
  roleOfNew: Role | undefined
}

/** Where the provider sends browsers back to, in the mount. */
export const CALLBACK = '/session/openid/callback'

/** What people see of the provider: the name that the operator gives it, or its host; undefined without a provider. */
export const nameOfProvider = ({ openidIssuer, openidName }: Config) =>
  openidIssuer === undefined ? undefined : openidName || new URL(openidIssuer).host

/** The provider of the settings, if there is one. `machine` is the clock of the machine. */
export function openConfiguredProvider(
  settings: Config,
  machine: () => number,
): ConfiguredProvider | undefined {
  const { baseUrl, namespace, openidIssuer: issuer, openidRoles, openidNewUsers: role } = settings
  if (issuer === undefined) return undefined
  const provider = openProvider({
    issuer,
    machine,
    scopes: settings.openidScopes,
    redirect: `${baseUrl}/${namespace}${CALLBACK}`,
    clientId: settings.openidClientId!,
    clientSecret: settings.openidClientSecret,
  })
  return {
    provider,
    name: nameOfProvider(settings)!,
    roles: readRoleClaim(openidRoles),
    roleOfNew: role === 'refuse' ? undefined : role,
  }
}
