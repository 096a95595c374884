import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SCOPES } from '../../../schemas/user.ts'
import type { Service } from '../../calendar/resource/service.ts'
import type { Actor, Opener, Store, User } from '../../calendar/store.ts'
import { mustBeOwn, setCookie, tokenIn } from '../../kernel/access/auth.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { ACCOUNT_RIGHTS } from '../../kernel/access/rights.ts'
import type { SignIn } from '../../kernel/access/sessions.ts'
import { ApiError } from '../../kernel/errors.ts'
import { clientOf } from '../../kernel/rate-limits.ts'
import { openFairSemaphore } from '../../kernel/tasks/semaphore.ts'
import { FACTOR_LASTS } from './second-factors.ts'

/** What everybody may do who has signed in. */
export const SIGN_IN = { right: ACCOUNT_RIGHTS['sign in'], to: 'sign in' } as const
/** What everybody may do who is about to, or has a link. */
export const SIGN_IN_ANONYMOUSLY = { ...SIGN_IN, anyone: true } as const

type Proven = { user: User; signIn: SignIn }

/** Passwords that are compared at a time: each takes a thread for as long as scrypt is meant to. */
const IN_WORK = { all: 1, each: 1 }
/** Those that may wait, in all and of one address. */
const WAITING = { all: 1_000, each: 30 }

/**
 * Returns a function that gives the user with a login or an address of mail whose own password this is, and throws 401 if it is not.
 * Whether there is such a user is told neither by the answer nor by the work. Guesses are limited like those of application passwords. They
 * are compared by turns of the addresses, one at a time: so many at once neither exceed the limit nor keep others waiting.
 */
export function openPasswordCheck(app: FastifyInstance, { people, users }: Pick<Store, 'people' | 'users'>) {
  const semaphore = openFairSemaphore(IN_WORK, WAITING)

  async function prove(request: FastifyRequest, name: string, password: string): Promise<Proven> {
    const { logins, addresses } = app.guesses
    const aim = users.nameIn(name)
    await addresses.check(request)
    await logins.check(request, aim)
    const { user, signIn } = await people.verify(name, password)
    if (user && signIn && !user.disabled) return { user, signIn }
    app.audited.failure(request, 'incorrect_password', user)
    throw (
      (await addresses.fail(request)) ??
      (await logins.fail(request, aim)) ??
      new ApiError('incorrect_password', 'The login or the password is wrong.')
    )
  }

  return (request: FastifyRequest, name: string, password: string): Promise<Proven> => {
    const called = name.trim().toLowerCase()
    return semaphore.run(clientOf(request), () => prove(request, called, password))
  }
}

/** How long a session lasts: a day of work. */
const LASTS = 12 * 3_600_000

/** A session as its user is shown it. */
export const sessionOf = ({ id, login, name, role }: User, scopes: readonly string[] = SCOPES) => ({
  user: id,
  login,
  ...(name !== '' && { name }),
  role,
  scopes,
})

/** Who signs in, and from where: the caller, or who has just proven to be this user. */
const actorFor = (request: FastifyRequest, { id, role }: User, opener?: Opener): Actor => ({
  ...actorOf(request),
  caller: request.caller ?? { id, role, ...(opener && { credential: textOf(opener) }) },
})
/** `password 3` or `sign_in 3`. */
const textOf = (opener: Opener) => {
  const [[name, id]] = Object.entries(opener) as [[string, number]]
  return `${name.replace(/_id$/, '')} ${id}`
}

/** Opens sessions for users who have proven who they are. */
export function openSigningIn({
  store,
  root,
  base,
  localSignIn,
}: Pick<Service, 'store' | 'root' | 'base' | 'localSignIn'>) {
  const { tokens, sessions, signIns, secondFactors, limits } = store
  /** Throws 403 where people sign in with a provider alone. */
  function mustBeLocal() {
    if (localSignIn) return
    throw new ApiError('local_sign_in_off', 'One signs in to this calendar with its provider alone.')
  }
  /** Makes a session with what the user proved who they are. Returns its token, and when it ends in UTC. */
  async function make(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    await sessions.sweep(user.id)
    const made = await tokens.addSession(user.id, opener, LASTS, actorFor(request, user, opener))
    reply.code(201).header('location', `${root(request)}/session`)
    const own = limits.of(user.limits)
    return {
      ...made,
      shown: { ...sessionOf(user), ...(own && { limits: own.sets }), expires_utc: made.expires_utc },
    }
  }
  /** Keeps a session in the browser, in place of the one with the token `before`. */
  async function keep(
    request: FastifyRequest,
    reply: FastifyReply,
    user: User,
    token: string,
    before?: number,
  ) {
    // it may have ended meanwhile, as when two windows sign in at once
    if (before !== undefined) await tokens.drop(before, actorFor(request, user))
    setCookie(request, reply, root(request), token, LASTS / 1000)
  }
  /** Opens a session in a cookie of the browser, in place of the one that it had. Returns it as shown. */
  async function inCookie(request: FastifyRequest, reply: FastifyReply, user: User, opener: Opener) {
    mustBeLocal()
    const { token, shown } = await make(request, reply, user, opener)
    const before = await tokens.find(tokenIn(request.headers) ?? '')
    await keep(request, reply, user, token, before?.token.id)
    return shown
  }
  return {
    mustBeLocal,
    /** Throws 403 unless a request to sign in comes from a page of this service, and people may sign in without a provider. */
    admit(request: FastifyRequest) {
      mustBeOwn(request, base)
      mustBeLocal()
    },
    inCookie,
    /** Opens a session with what this service knows of the user. */
    async open(...given: Parameters<typeof make>) {
      mustBeLocal()
      return make(...given)
    },
    /**
     * Opens a session in a cookie for a user whose own password was right. Throws 401 `second_factor_required` if the user has a second
     * factor: its ticket opens the session at `/session/factor`.
     */
    async signIn(
      request: FastifyRequest,
      reply: FastifyReply,
      user: User,
      signIn: Pick<SignIn, 'id' | 'secret'>,
    ) {
      const ticket = await secondFactors.ask(user, signIn)
      if (ticket !== undefined)
        throw new ApiError(
          'second_factor_required',
          'The password is right, and a second factor is required. Send the ticket with a code to /session/factor.',
          { ticket, ways: ['totp', 'recovery'], expires_in: FACTOR_LASTS / 1_000 },
        )
      await signIns.use(signIn.id)
      return inCookie(request, reply, user, { sign_in_id: signIn.id, secret: signIn.secret })
    },
    /**
     * Opens a session in a cookie for whom a provider vouches, in place of the token with the ID `before`. `proved` says whether the
     * provider saw the person prove who they are just then.
     */
    async fromProvider(
      request: FastifyRequest,
      reply: FastifyReply,
      user: User,
      signIn: SignIn,
      { proved, before }: { proved: boolean; before: string | undefined },
    ) {
      const { id, token } = await make(request, reply, user, { sign_in_id: signIn.id })
      await signIns.use(signIn.id, proved ? id : undefined)
      await keep(request, reply, user, token, before === undefined ? undefined : Number(before))
    },
  }
}
