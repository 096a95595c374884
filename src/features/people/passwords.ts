import { Type } from '@sinclair/typebox'
import { and, eq, or, sql } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { sign_ins, users } from '../../../drizzle/tables.ts'
import type { AuditCode } from '../../../schemas/audit-codes.ts'
import {
  InvitationAcceptance,
  OwnPasswordInput,
  PasswordResetConfirmation,
  PasswordResetInput,
} from '../../../schemas/people.ts'
import { SCOPES } from '../../../schemas/user.ts'
import { openCollection } from '../../calendar/resource/collection.ts'
import { family, type Service } from '../../calendar/resource/service.ts'
import { type Actor, record, SERVICE } from '../../kernel/access/audit-log.ts'
import { actorOf } from '../../kernel/access/credential-audit.ts'
import { checkGiven, checkScopes } from '../../kernel/access/permissions.ts'
import { ACCOUNT_RIGHTS, has } from '../../kernel/access/rights.ts'
import { hashPassword, knownPasswords, NOBODYS, verifyPassword } from '../../kernel/access/secrets.ts'
import type { SignIn, SignIns } from '../../kernel/access/sessions.ts'
import type { Tickets } from '../../kernel/access/tickets.ts'
import { mustOpen, type Tokens } from '../../kernel/access/tokens.ts'
import { findUser, PASSWORD, passwordProblem, type User, type Users } from '../../kernel/access/users.ts'
import type { Db, Queries } from '../../kernel/database/db.ts'
import { ApiError, forbidden, invalid } from '../../kernel/errors.ts'
import { publishBody } from '../../kernel/input/validator.ts'
import type { Mails } from '../../kernel/outbound/mailing.ts'
import type { Site } from '../../kernel/site.ts'
import { openSemaphore } from '../../kernel/tasks/semaphore.ts'
import { toWall } from '../../kernel/time/dates.ts'
import { tokenIdOf, USERS } from './credentials.ts'
import { type Letter, openLetters } from './mail.ts'
import { openPasswordCheck, openSigningIn, SIGN_IN_ANONYMOUSLY } from './sign-in.ts'

/** Hashes and comparisons at a time, and how many wait: each takes as long and as much memory as scrypt is meant to. */
const AT_ONCE = 1
const MOST_WAITING = 100

/** The same characters are the same password, however a keyboard composes them. */
const composed = (password: string) => password.normalize('NFC')

/** The passwords that people choose themselves: their hashes, and whether one is right. */
function openOwnPasswords(db: Db) {
  const inTurn = openSemaphore(AT_ONCE, MOST_WAITING)
  return {
    /** The hash of a password that a user chooses. Throws 400 if they can not. */
    async hashed(password: string, user: User): Promise<string> {
      const problem = passwordProblem(composed(password), user, await knownPasswords(PASSWORD.least))
      if (problem) throw invalid({ password: problem })
      return inTurn(() => hashPassword(composed(password)))
    },
    /**
     * The user with this login or address of mail, and their own password if this is it. The work is the same whether there is such a
     * user or not, and whether they have a password or not.
     */
    async verify(name: string, password: string): Promise<{ user?: User; signIn?: SignIn }> {
      const called = name.trim().toLowerCase()
      const [found] = await db.read
        .select({ user: users, signIn: sign_ins })
        .from(users)
        .leftJoin(sign_ins, and(eq(sign_ins.user_id, users.id), eq(sign_ins.kind, 'password')))
        .where(or(eq(users.login, called), eq(users.email, called)))
        .orderBy(sql`${users.login} = ${called} desc`)
        .limit(1)
      const hash = found?.signIn?.secret ?? NOBODYS
      const isRight = await inTurn(() => verifyPassword(composed(password), hash))
      return { ...(found && { user: found.user }), ...(isRight && { signIn: found!.signIn! }) }
    },
  }
}

const HOUR = 3_600_000
/** How long a link works, by what it is for. */
const LASTS = { invitation: 7 * 24 * HOUR, reset: HOUR }
type Purpose = keyof typeof LASTS

/** An invitation: its ticket, when it ends, and whether it was mailed. */
type Invitation = { ticket: string; expires_utc: string; mailed: boolean }

type Stores = {
  users: Pick<Users, 'insert' | 'called'>
  tokens: Pick<Tokens, 'goesOn'>
  tickets: Tickets
  signIns: SignIns
  mails: Mails
}

/** Accounts for people: invitations, own passwords, and links for who has forgotten theirs. */
export function openPeople(db: Db, site: Site, { users, tokens, tickets, signIns, mails }: Stores) {
  /** Queues a letter, if mail is sent and reaches the user. */
  async function post(tx: Queries, user: User, ticket: string, letter: Letter): Promise<boolean> {
    const { email } = user
    if (!letter || email === null) return false
    await mails.add(tx, letter({ ...user, email }, ticket))
    return true
  }
  /** Whether a user may be mailed a link. */
  const isReached = ({ disabled, email }: User) => !disabled && email !== null
  const audit = (tx: Queries, by: Actor, code: AuditCode, { id, login }: User) =>
    record({ tx, site, by }, code, { kind: 'user', id }, { login })

  /** Makes a link for a user; the one before ends. */
  async function issue(tx: Queries, purpose: Purpose, user: User): Promise<string> {
    await tickets.withdraw(tx, purpose, user.id)
    return tickets.issue(tx, purpose, LASTS[purpose], { user: user.id })
  }
  async function invite(tx: Queries, user: User, by: Actor, letter: Letter): Promise<Invitation> {
    if (user.disabled)
      throw new ApiError('user_disabled', `The user ${user.login} is disabled; enable the user first.`)
    const ticket = await issue(tx, 'invitation', user)
    await audit(tx, by, 'invitation_made', user)
    const expires_utc = toWall(site.clock() + LASTS.invitation, 'UTC')
    return { ticket, expires_utc, mailed: await post(tx, user, ticket, letter) }
  }

  /** Writes what has to do with tickets. */
  async function write<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    await tickets.ready()
    return db.write(work)
  }

  return {
    ...openOwnPasswords(db),
    /** Adds a user with an invitation and without a password; undefined if the login is taken. Throws 400 if the address is none, or taken. */
    add: (given: Parameters<Users['insert']>[1], by: Actor = SERVICE, letter?: Letter) =>
      write(async (tx): Promise<(Invitation & { user: User }) | undefined> => {
        const user = await users.insert(tx, given, by)
        return user && { user, ...(await invite(tx, user, by, letter)) }
      }),
    /** Makes a new invitation for a user; the one before ends. Throws `user-not-found` and `user_disabled`. */
    invite: (id: number, by: Actor = SERVICE, letter?: Letter) =>
      write(async (tx): Promise<Invitation> => invite(tx, await findUser(tx, id), by, letter)),
    /** The user for whom a link is; undefined if it does not work, or its user is disabled. */
    async guest(purpose: Purpose, text: string): Promise<User | undefined> {
      const ticket = await tickets.find(purpose, text)
      const user = ticket && (await findUser(db.read, ticket.user_id!))
      return user?.disabled ? undefined : user
    },
    /**
     * Uses a link up, and sets the own password of its user by the hash: the sessions of the one before end, and so do their other links.
     * Undefined if the link does not work, or its user is disabled.
     */
    accept: (purpose: Purpose, text: string, hash: string, by: Actor, letter?: Letter) =>
      write(async (tx): Promise<{ user: User; signIn: SignIn } | undefined> => {
        const ticket = await tickets.redeem(tx, purpose, text)
        if (!ticket) return undefined
        const user = await findUser(tx, ticket.user_id!)
        if (user.disabled) return undefined
        await tickets.withdraw(tx, 'invitation', user.id)
        await tickets.withdraw(tx, 'reset', user.id)
        await tickets.withdraw(tx, 'factor', user.id)
        const signIn = await signIns.setPassword(tx, user.id, hash, by)
        await audit(tx, by, purpose === 'reset' ? 'reset_done' : 'invitation_accepted', user)
        await post(tx, user, text, letter)
        return { user, signIn }
      }),
    /**
     * Sets the own password of a user by its hash: the sessions of the one before end, but for that of the token `keep`, which asked for it.
     * Throws 401 if that has ended meanwhile, or if the password that was `proven` was changed: whoever did so keeps who asks out.
     */
    setPassword: (
      id: number,
      hash: string,
      by: Actor,
      { keep, proven, letter }: { keep?: number | undefined; proven?: SignIn | undefined; letter?: Letter },
    ) =>
      write(async (tx): Promise<SignIn> => {
        const user = await findUser(tx, id)
        if (proven) await mustOpen(tx, { sign_in_id: proven.id, secret: proven.secret })
        if (keep !== undefined && !(await tokens.goesOn(tx, keep, id)))
          throw new ApiError('invalid_token', 'The session has ended meanwhile. Sign in again.')
        await post(tx, user, '', letter)
        await tickets.withdraw(tx, 'factor', id)
        return signIns.setPassword(tx, id, hash, by, keep)
      }),
    /** Mails a link to who has this login or address and is not disabled; the one before ends. Returns whether there is somebody whom mail reaches. */
    async askReset(name: string, by: Actor, letter: Letter, may: (user: User) => boolean): Promise<boolean> {
      const found = await users.called(name.trim())
      if (!letter || !found || !isReached(found) || !may(found)) return false
      return write(async (tx) => {
        // as it is by now: a link is never mailed to an address of before
        const user = await findUser(tx, found.id)
        if (!isReached(user)) return false
        const ticket = await issue(tx, 'reset', user)
        await audit(tx, by, 'reset_asked', user)
        return post(tx, user, ticket, letter)
      })
    },
  }
}

/** An invitation as it is shown: the link is only for who has to pass it on. */
export const showInvitation = (service: Service, { ticket, mailed, expires_utc }: Invitation) => ({
  mailed,
  expires_utc,
  ...(!mailed && { url: openLetters(service).invitationUrl(ticket) }),
})

const NOT_FOUND = { invitation: 'invitation-not-found', reset: 'password-reset-not-found' } as const

/**
 * What sets the own password that somebody chooses with a link in the body of a request; returns the user and the way to sign in. Throws 404 where
 * the link leads to nobody, which counts as a failure of the address to sign in, and 429 after too many of these.
 */
const openLinks =
  ({ guesses, audited }: FastifyInstance, { store: { people } }: Pick<Service, 'store'>) =>
  async (purpose: keyof typeof NOT_FOUND, request: FastifyRequest, letter?: Letter) => {
    const { ticket, password } = request.body as InvitationAcceptance
    const code = NOT_FOUND[purpose]
    const notFound = () =>
      new ApiError(code, 'The link was used, has ended, or was never made. Ask for another one.')
    await guesses.addresses.check(request)
    const guest = await people.guest(purpose, ticket)
    if (!guest) {
      audited.failure(request, code)
      throw (await guesses.addresses.fail(request)) ?? notFound()
    }
    const hash = await people.hashed(password, guest)
    const accepted = await people.accept(purpose, ticket, hash, actorOf(request), letter)
    if (!accepted) throw notFound()
    return accepted
  }

/** Invitations: links with which people choose a password of their own. */
export const invitationRoutes = family('invitations', async (app, service) => {
  const { site, store } = service
  const { people } = store
  const { add, paramsOf } = openCollection(app, service, USERS)
  const letters = openLetters(service)
  const signingIn = openSigningIn(service)
  const redeem = openLinks(app, service)
  publishBody(app, Type.Object(InvitationAcceptance.properties, { $id: 'InvitationAcceptance' }))

  add({
    method: 'POST',
    url: '/users/:id/invitation',
    operation: 'create',
    operationId: 'createInvitation',
    summary: 'Invite a user',
    description:
      'Makes a link with which the user chooses an own password, in place of the one before: for new users, and for who has forgotten the password and reads no mail. It works once, for 7 days; the link made before ends. It is mailed if the service sends mail and the user has an address, and shown in the response otherwise. The caller must prove a password: by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401.',
    errors: ['user-not-found', 'insufficient_user_authentication', 'user_disabled'],
    except: ['rest_invalid_param', 'rest_missing_callback_param', 'rest_unsupported_media_type'],
    answer: 'Invitation',
    async handle(request, reply) {
      checkGiven(request, site.clock())
      const { id } = paramsOf(request)
      const made = await people.invite(id, actorOf(request), letters.invitation)
      reply.code(201).header('location', `${service.root(request)}/users/${id}`)
      return showInvitation(service, made)
    },
  })
  add({
    method: 'POST',
    url: '/invitations/accept',
    operation: 'create',
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation',
    description:
      'Sets the own password of the user whom an invitation is for, and signs the browser in as `POST /session/cookie` does. The sessions that an own password opened before end. A user with a second factor gets 401 `second_factor_required` once the password is set, with a ticket for `POST /session/factor`. For pages of the service only.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['invitation-not-found', 'second_factor_required', 'local_sign_in_off'],
    answer: 'Session',
    body: 'InvitationAcceptance',
    async handle(request, reply) {
      signingIn.admit(request)
      const { user, signIn } = await redeem('invitation', request)
      return signingIn.signIn(request, reply, user, signIn)
    },
  })
})

/** Links that one user is mailed in an hour at most, whoever asks for them. */
const MOST_MAILS = 5
const REMEMBERED = 10_000

/** Own passwords: changing them, and links for who has forgotten theirs. */
export const ownPasswordRoutes = family('own passwords', async (app, service) => {
  const { site, store } = service
  const { people, users } = store
  const { add, paramsOf } = openCollection(app, service, USERS)
  const letters = openLetters(service)
  const prove = openPasswordCheck(app, store)
  const { mustBeLocal } = openSigningIn(service)
  const redeem = openLinks(app, service)
  publishBody(app, Type.Object(OwnPasswordInput.properties, { $id: 'OwnPasswordInput' }))
  publishBody(app, Type.Object(PasswordResetInput.properties, { $id: 'PasswordResetInput' }))
  publishBody(app, Type.Object(PasswordResetConfirmation.properties, { $id: 'PasswordResetConfirmation' }))

  /** The own password of the caller, which the request proves. */
  async function provePresent(request: FastifyRequest, { login }: User, present: string): Promise<SignIn> {
    checkScopes(request, SCOPES, 'choose a password')
    try {
      return (await prove(request, login, present)).signIn
    } catch (error) {
      throw (error as ApiError).code === 'incorrect_password'
        ? invalid({ present: 'is not the password.' })
        : error
    }
  }

  add({
    method: 'PUT',
    url: '/users/:id/password',
    operation: 'update',
    operationId: 'setOwnPassword',
    summary: 'Choose an own password',
    description:
      'Sets the password with which the caller signs in as a person; programs use application passwords and tokens. The caller must prove who they are: with `present`, by HTTP Basic, or with a session that is at most 10 minutes old; otherwise the response is 401. The other sessions that an own password opened end. Nobody sets the password of another user: administrators make an invitation.',
    permission: { right: ACCOUNT_RIGHTS['sign in'], to: 'choose a password', scopes: ['admin'] },
    errors: ['user-not-found', 'insufficient_user_authentication', 'rest_missing_callback_param'],
    answer: 'OwnPassword',
    body: 'OwnPasswordInput',
    async handle(request) {
      const { id } = request.caller!
      const { id: whose } = paramsOf(request)
      if (whose !== id) {
        if (has(request.caller, ACCOUNT_RIGHTS['manage users and tokens'])) await users.find(whose)
        throw forbidden(true, 'choose the password of another user')
      }
      const { password, present } = request.body as OwnPasswordInput
      const user = await users.find(id)
      const proven = present == null ? undefined : await provePresent(request, user, present)
      if (!proven) checkGiven(request, site.clock())
      const hash = await people.hashed(password, user)
      await people.setPassword(id, hash, actorOf(request), {
        keep: tokenIdOf(request),
        proven,
        letter: letters.changed(request),
      })
      return { login: user.login }
    },
  })

  const mailed = new LRUCache<number, number[]>({ maxSize: REMEMBERED, sizeCalculation: () => 1 })
  /** Whether a user may be mailed another link, which is noted. */
  function mayMail({ id }: { id: number }): boolean {
    const now = site.clock()
    const lately = (mailed.get(id) ?? []).filter((at) => at > now - HOUR)
    if (lately.length >= MOST_MAILS) return false
    mailed.set(id, [...lately, now])
    return true
  }
  /** What is done once a request is answered, so that no answer tells whether there is such a user. */
  const afterwards = new WeakMap<FastifyRequest, () => Promise<unknown>>()
  const underWay = new Set<Promise<unknown>>()
  app.addHook('onResponse', async (request) => {
    const work = afterwards
      .get(request)?.()
      .catch((err) => request.log.error({ err }, 'no link could be mailed'))
    if (!work) return
    underWay.add(work)
    await work
    underWay.delete(work)
  })
  app.addHook('onClose', async () => void (await Promise.all(underWay)))

  add({
    method: 'POST',
    url: '/password-resets',
    operation: 'create',
    operationId: 'requestPasswordReset',
    summary: 'Ask for a new password',
    description:
      'Mails a link with which the user chooses a new own password. It works once, for an hour; the link made before ends. The response is the same whether there is such a user or not, and whether mail reaches them. A user is mailed 5 links an hour at most.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['local_sign_in_off'],
    status: 202,
    answer: 'PasswordReset',
    body: 'PasswordResetInput',
    async handle(request) {
      mustBeLocal()
      const { login } = request.body as PasswordResetInput
      const refused = await app.guesses.resets.fail(request)
      if (refused) throw refused
      const by = actorOf(request)
      afterwards.set(request, () => people.askReset(login, by, letters.reset(request), mayMail))
      return { mails: service.sendsMail }
    },
  })
  add({
    method: 'POST',
    url: '/password-resets/confirm',
    operation: 'update',
    operationId: 'confirmPasswordReset',
    summary: 'Choose a new password',
    description:
      'Sets the own password of the user whom the link was mailed to. All sessions that an own password opened end, and the user is told by mail.',
    permission: SIGN_IN_ANONYMOUSLY,
    errors: ['password-reset-not-found', 'rest_missing_callback_param', 'local_sign_in_off'],
    answer: 'OwnPassword',
    body: 'PasswordResetConfirmation',
    async handle(request) {
      mustBeLocal()
      const { user } = await redeem('reset', request, letters.changed(request))
      return { login: user.login }
    },
  })
})
