import { and, eq, or, sql } from 'drizzle-orm'
import { sign_ins, users } from '../../../../drizzle/tables.ts'
import type { AuditCode } from '../../../../schemas/audit-codes.ts'
import { type Actor, record, SERVICE } from '../../../kernel/access/audit-log.ts'
import { hashPassword, knownPasswords, NOBODYS, verifyPassword } from '../../../kernel/access/secrets.ts'
import type { SignIn, SignIns } from '../../../kernel/access/sessions.ts'
import type { Tickets } from '../../../kernel/access/tickets.ts'
import { mustOpen, type Tokens } from '../../../kernel/access/tokens.ts'
import { findUser, PASSWORD, passwordProblem, type User, type Users } from '../../../kernel/access/users.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError, invalid } from '../../../kernel/errors.ts'
import type { Mail, Mails } from '../../../kernel/outbound/mailing.ts'
import type { Site } from '../../../kernel/site.ts'
import { openSemaphore } from '../../../kernel/tasks/semaphore.ts'
import { toWall } from '../../../kernel/time/dates.ts'

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

type Text = Pick<Mail, 'recipient' | 'subject' | 'text'>
/** A user with an address of mail. */
type Reachable = User & { email: string }
/** Writes a letter to a user; undefined where no mail is sent. */
export type Letter = ((user: Reachable, ticket: string) => Text) | undefined
/** An invitation: its ticket, when it ends, and whether it was mailed. */
export type Invitation = { ticket: string; expires_utc: string; mailed: boolean }

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
export type People = ReturnType<typeof openPeople>
