import { createHash, createHmac, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { openCollection, pageOf, shown } from '../../../calendar/resource/collection.ts'
import { family } from '../../../calendar/resource/service.ts'
import type { User } from '../../../calendar/store.ts'
import { tokenIn } from '../../../kernel/access/auth.ts'
import { actorOf } from '../../../kernel/access/credential-audit.ts'
import { FRESH } from '../../../kernel/access/permissions.ts'
import type { SignIn } from '../../../kernel/access/sessions.ts'
import { ApiError, type ErrorCode } from '../../../kernel/errors.ts'
import { toEpoch } from '../../../kernel/time/dates.ts'
import { OWN_CREDENTIALS, openOwnSignIns } from '../credentials.ts'
import { openSigningIn } from '../sign-in.ts'
import { emailIn, loginIn, nameIn, type Refusal, roleIn } from './accounts.ts'
import { CALLBACK, type ConfiguredProvider, type Identity, type ProviderFailure } from './provider.ts'

/** How long a sign-in with a provider may take, in milliseconds. */
const LASTS = 10 * 60_000

/** Each sign-in has a cookie of its own, so that several can be under way in one browser. */
const nameOf = (state: string, isSecure: boolean) =>
  `${isSecure ? '__Secure-' : ''}almanac-openid-${state.slice(0, 8)}`

/** A secret of a browser that begins to sign in. */
const makeSecret = () => randomBytes(32).toString('base64url')

/** What the service remembers of that secret. */
const digestOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** What only the browser that began can come back with: the nonce of its token and the verifier of its code, which are stored nowhere else. */
function begunBy(secret: string, state: string) {
  const derive = (what: string) => createHmac('sha256', secret).update(`${what} ${state}`).digest('base64url')
  return { state, nonce: derive('nonce'), verifier: derive('verifier') }
}

/**
 * Keeps the secret in the browser until it comes back from the provider: the address of the callback alone gets it, scripts do not see it,
 * and of the requests that begin at other sites only those that show a page have it. Empty removes it.
 */
function setSecret(reply: FastifyReply, callback: string, state: string, secret: string) {
  const { protocol, pathname } = new URL(callback)
  const isSecure = protocol === 'https:'
  const seconds = secret === '' ? 0 : LASTS / 1000
  const rest = `Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  reply.header('set-cookie', `${nameOf(state, isSecure)}=${secret}; ${rest}`)
}

/** The secret with which the browser began. */
function secretIn({ cookie = '' }: IncomingHttpHeaders, callback: string, state: string) {
  const name = `${nameOf(state, callback.startsWith('https:'))}=`
  const found = cookie.split(/;\s*/).find((one) => one.startsWith(name))
  return found?.slice(name.length)
}

const Begin = Type.Object({
  fresh: Type.Optional(
    Type.Boolean({ description: 'Have the provider ask anew who the person is.', default: false }),
  ),
  link: Type.Optional(
    Type.Boolean({ description: 'Link the user of the session with the person.', default: false }),
  ),
})

/** Why somebody whom the provider knows does not come in. */
const REFUSED: Record<Refusal | 'no_role', string> = {
  unknown:
    'The provider knows you, and this calendar does not. Ask an administrator to add you with your address of mail.',
  disabled: 'Your user is disabled.',
  taken: 'Another user is linked with you at the provider already.',
  no_role: 'The provider gives you no role in this calendar.',
  last_administrator:
    'The provider gives the last administrator another role. Add another administrator first.',
}

/** Signing in with an OpenID provider: the way of a browser there, and back. */
export const openidRoutes = (configured: ConfiguredProvider | undefined) =>
  family('openid', async (app, service) => {
    const { home, base, store } = service
    const { signIns, tickets, tokens, openidAccounts } = store
    const callback = home + CALLBACK
    const desk = `${base}/desk/#/openid`
    const signingIn = openSigningIn(service)
    /** A browser learns at the desk what went wrong. */
    const config = {
      writes: true as const,
      leads: ({ code, data }: ApiError) =>
        `${desk}/${code}/${encodeURIComponent(String(data.reason ?? data.openid_error ?? ''))}`,
    }

    const mustBeOffered = (): ConfiguredProvider => {
      if (configured) return configured
      throw new ApiError('rest_no_route', 'This calendar signs nobody in with a provider.')
    }

    /** Throws the error of a sign-in that failed, and counts it like other failures. */
    async function fail(request: FastifyRequest, error: ApiError, user?: User): Promise<never> {
      app.audited.failure(request, String(error.data.reason ?? error.code), user)
      const { logins, addresses } = app.guesses
      throw (await addresses.fail(request)) ?? (await logins.fail(request, 'openid')) ?? error
    }

    /** What the provider did, or the error of the service for what it did not. */
    async function asked<T>(request: FastifyRequest, work: Promise<T>): Promise<T> {
      try {
        return await work
      } catch (error) {
        return fail(request, errorOf(error as ProviderFailure))
      }
    }

    /** The user of a session of the browser, who may be linked with a person: that lasts, so it takes a proof of just then. */
    async function linking(session: Awaited<ReturnType<typeof tokens.find>>): Promise<number> {
      const isFresh = ({ created_utc }: { created_utc: string }) =>
        service.site.clock() - toEpoch(created_utc, 'UTC') <= FRESH * 1000
      if (session && tokens.isSession(session.token) && isFresh(session.token)) {
        if (await signIns.proved(session.token)) return session.user.id
      }
      throw new ApiError(
        'insufficient_user_authentication',
        `Sign in anew: who signed in at most ${FRESH / 60} minutes ago is linked with the provider.`,
        { max_age: FRESH },
      )
    }

    app.get(
      '/session/openid',
      { config, schema: { hide: true, querystring: Begin } },
      async (request, reply) => {
        const { provider } = mustBeOffered()
        const { fresh = false, link = false } = request.query as Static<typeof Begin>
        const where = request.headers['sec-fetch-site'] ?? 'none'
        if (!['none', 'same-origin'].includes(where))
          throw new ApiError('rest_forbidden', 'One begins to sign in at a page of this service.')
        const { logins } = app.guesses
        const refused = await logins.fail(request, 'openid begins') // each one writes
        if (refused) throw refused
        const secret = makeSecret()
        // the browser does not send the cookie of its session where it comes back from another site
        const before = await tokens.find(tokenIn(request.headers) ?? '')
        const user = link ? await linking(before) : undefined
        const data = {
          browser: digestOf(secret),
          since: String(provider.machine()),
          ...(fresh && { fresh: 'yes' }),
          ...(before && { before: String(before.token.id) }),
        }
        await tickets.ready()
        const state = await store.db.write((tx) =>
          tickets.issue(tx, 'openid', LASTS, { data, ...(user && { user }) }),
        )
        const url = await asked(request, provider.begin(begunBy(secret, state), fresh))
        setSecret(reply, callback, state, secret)
        return reply.header('cache-control', 'no-store').redirect(url.href, 303)
      },
    )

    /** The ticket of a sign-in, which is used up by that. Who is to be linked must not have been signed out meanwhile. */
    const use = (state: string) =>
      store.db.write(async (tx) => {
        const ticket = await tickets.redeem(tx, 'openid', state)
        const linked = ticket?.user_id ?? null
        if (linked === null || (await tokens.goesOn(tx, Number(ticket!.data!.before), linked))) return ticket
        return undefined
      })

    /** The ticket of a sign-in that this browser began, which is used up by that. */
    async function redeem(request: FastifyRequest, state: string, secret: string | undefined) {
      await tickets.ready()
      const ticket = secret && (await use(state))
      if (ticket && ticket.data!.browser === digestOf(secret))
        return { secret, data: ticket.data!, linkTo: ticket.user_id ?? undefined }
      const message =
        'This browser did not begin to sign in, or did so more than ten minutes ago, is done already, or was signed out meanwhile. Begin anew.'
      return fail(request, new ApiError('openid_not_begun', message))
    }

    /** The user for whom the provider vouches. Throws 403 if there is none. */
    async function find(
      request: FastifyRequest,
      { issuer, subject, claims }: Identity,
      configured: ConfiguredProvider,
      linkTo: number | undefined,
    ) {
      const role = configured.roles && roleIn(claims, configured.roles)
      if (configured.roles && role === undefined) return fail(request, refusal('no_role'))
      const person = {
        issuer,
        subject,
        provider: configured.name,
        role,
        linkTo,
        name: nameIn(claims),
        email: emailIn(claims),
        login: loginIn(claims),
        roleOfNew: configured.roleOfNew && (role ?? configured.roleOfNew),
      }
      const resolved = await openidAccounts.resolve(person, actorOf(request))
      return 'refused' in resolved ? fail(request, refusal(resolved.refused), resolved.user) : resolved
    }

    app.get(CALLBACK, { config, schema: { hide: true } }, async (request, reply) => {
      const configured = mustBeOffered()
      const query = request.originalUrl.slice(request.originalUrl.indexOf('?') + 1)
      const state = new URLSearchParams(query).get('state') ?? ''
      await app.guesses.logins.check(request, 'openid')
      const { secret, data, linkTo } = await redeem(
        request,
        state,
        secretIn(request.headers, callback, state),
      )
      setSecret(reply, callback, state, '')
      const begun = begunBy(secret, state)
      const shown = await asked(
        request,
        configured.provider.finish(query, begun, Number(data.since), data.fresh !== undefined),
      )
      const { user, signIn } = await find(request, shown, configured, linkTo)
      await signingIn.fromProvider(request, reply, user, signIn, {
        proved: shown.proved,
        before: data.before,
      })
      return reply.header('cache-control', 'no-store').redirect(`${desk}/${user.id}`, 303)
    })

    const refusal = (reason: keyof typeof REFUSED) =>
      new ApiError('openid_no_account', REFUSED[reason], { reason })
  })

/** The error for the client: with the code of the protocol, and nothing else of what the provider says. */
function errorOf({ kind, detail, cause }: ProviderFailure): ApiError {
  const [code, message]: [ErrorCode, string] =
    kind === 'refused'
      ? ['openid_refused', 'The provider signed nobody in.']
      : [
          'openid_failed',
          'The provider can not be reached, or what it says can not be trusted. Try again later.',
        ]
  return Object.assign(new ApiError(code, message, { openid_error: detail }), { cause })
}

const LINKS = '/users/:id/provider-links'

const showLink = ({ id, name, created_utc, last_used_utc }: SignIn) =>
  shown({ id, name, created_utc, last_used_utc })

/** The links of a user with a provider, which are made by signing in there: list, remove. */
export const providerLinkRoutes = family('provider links', async (app, service) => {
  const own = openOwnSignIns(service.store, 'openid', 'provider-link-not-found', 'link with a provider')
  const { add, list, paramsOf } = openCollection(app, service, {
    ...OWN_CREDENTIALS,
    ids: { id: 'user', link_id: 'provider link' },
  })

  list({
    kind: 'provider-link',
    plural: 'provider_links',
    url: LINKS,
    operationId: 'listProviderLinks',
    summary: 'List the links of a user with a provider',
    description:
      'Returns by which accounts at a provider of OpenID Connect a user signs in, ordered by ID. Every user may list and remove their own, and an administrator those of all; a token needs the scope `admin`. Times are in UTC.',
    errors: ['user-not-found', 'provider-link-archive-page-not-found'],
    answer: 'ProviderLinkPage',
    find: async (paging, { id }) => pageOf((await own.list(id)).map(showLink), paging),
  })
  add({
    method: 'DELETE',
    url: `${LINKS}/:link_id`,
    operation: 'delete',
    operationId: 'deleteProviderLink',
    summary: 'Remove a link of a user with a provider',
    description:
      'Removes a link at once, with the sessions that it opened: the provider no longer signs in this user. Returns it.',
    errors: ['user-not-found', 'provider-link-not-found'],
    except: ['rest_invalid_param'],
    answer: 'ProviderLink',
    async handle(request) {
      const { id, link_id } = paramsOf(request)
      return showLink(await own.remove(id, link_id, actorOf(request)))
    },
  })
})
