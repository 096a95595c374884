import { and, asc, count, eq, ne, or } from 'drizzle-orm'
import { users } from '../../../drizzle/tables.ts'
import { recordChange } from '../database/changes.ts'
import type { Db, Queries } from '../database/db.ts'
import { ApiError, invalid, type Problems, refuse } from '../errors.ts'
import type { Site } from '../site.ts'
import type { EventBus } from '../store.ts'
import { withoutControls } from '../text/text.ts'
import { toWall } from '../time/dates.ts'
import { openPasswords, type PasswordRow } from './application-passwords.ts'
import { type Actor, type Audited, differences, loginOf, record, SERVICE } from './audit-log.ts'
import { inWords, type LimitSet, type Role } from './rights.ts'
import { endTokens, sessionsOf } from './sessions.ts'
import { withdraw } from './tickets.ts'
import type { Keyed } from './tokens.ts'

export type User = typeof users.$inferSelect

declare module '../store.ts' {
  interface DomainEvents {
    /** A user was changed: the role, the limits, the name, or whether it is disabled. */
    'user.changed': { w: Audited; user: User }
    /** A user is about to be removed, and is still there. */
    'user.removing': { w: Audited; user: User }
  }
}
/** Greatest length of a name in characters. */
const LONGEST_NAME = 100

type Paging = { page: number; per_page: number }

/** The pattern of a login, which is stored in lower case. */
export const LOGIN = /^[\w.@-]{1,60}$/

/** A page that holds everything. */
export const ALL = 1_000_000

/** Throws `user-not-found`. */
export async function findUser(db: Queries, id: number): Promise<User> {
  const [user] = await db.select().from(users).where(eq(users.id, id))
  if (!user) throw new ApiError('user-not-found', `There is no user with ID ${id}.`)
  return user
}

/** Throws 400 if nobody would be left to manage users. */
async function keepAdministrator(tx: Queries, user: User, param: string) {
  if (user.role !== 'administrator' || user.disabled) return
  const others = and(eq(users.role, 'administrator'), eq(users.disabled, false), ne(users.id, user.id))
  const [left] = await tx.select({ total: count() }).from(users).where(others)
  if (left!.total === 0)
    throw invalid({ [param]: `${user.login} is the last administrator; add another one first.` })
}

/** What users have to do with records, as who keeps these knows it. */
export type Ownership = {
  /** Problems with limits that somebody with a role is to get; what they name that was named `before` may be gone. */
  limitProblems(tx: Queries, role: Role, limits: LimitSet | null, before?: LimitSet | null): Promise<Problems>
  /** Moves the records of a user to another one, in the transaction of a removal. Throws 400 if there are some and nobody to have them. */
  reassign(tx: Queries, site: Site, from: User, to: number | undefined): Promise<void>
}

/** What an update of a user may change. */
const shownOf = ({ role, disabled, limits, name, email }: User) => ({
  ...{ role, disabled, limits: inWords(limits), name: name || NONE, email: email ?? NONE },
})
/** What stands in the audit log for a name or an address that a user lacks. */
const NONE = '–'

/** What a user is called, and where mail reaches them: an empty text for neither, and nothing for what stays as it is. */
export type Person = { name?: string | null; email?: string | null }
type Limited = { limits?: User['limits'] | undefined }
type Change = Person & Limited & { role?: Role | null; disabled?: boolean | null }

/** A name on one line. */
const lineOf = (name: string) => withoutControls(name).trim()
/** Whether another user has an address, as their own or as their login. */
async function isTaken(tx: Queries, address: string, id: number): Promise<boolean> {
  const taken = and(or(eq(users.email, address), eq(users.login, address)), ne(users.id, id))
  return (await tx.select({ id: users.id }).from(users).where(taken)).length > 0
}

/** The columns of these members. Throws 400 unless the address is one, and of no other user. */
async function known(tx: Queries, { name, email }: Person, id = 0) {
  const names = name == null ? {} : { name: lineOf(name) }
  if ([...(names.name ?? '')].length > LONGEST_NAME)
    throw invalid({ name: `must have at most ${LONGEST_NAME} characters.` })
  if (email == null) return names
  if (email.trim() === '') return { ...names, email: null }
  const address = readAddress(email)
  if (address === undefined)
    throw invalid({ email: 'must be an address of mail, such as berta@example.org.' })
  if (await isTaken(tx, address, id)) throw invalid({ email: 'Another user has this address.' })
  return { ...names, email: address }
}

export function openUsers(
  db: Db,
  site: Site,
  keyed: Keyed,
  domainEvents: EventBus,
  { limitProblems, reassign }: Ownership,
) {
  const now = () => toWall(site.clock(), 'UTC')
  const { addPassword, hashed, ...passwords } = openPasswords(db, site, keyed)
  const note = (tx: Queries, { id }: User, operation: 'create' | 'update' | 'delete') =>
    recordChange(tx, { kind: 'user', id, operation, now: site.clock() })

  /** Writes columns of a user, and tells of it. Links that were mailed to an address of before end. */
  async function write(tx: Queries, user: User, set: Partial<User>, by: Actor): Promise<User> {
    const [changed] = await tx.update(users).set(set).where(eq(users.id, user.id)).returning()
    await note(tx, user, 'update')
    const told = differences(shownOf(user), shownOf(changed!))
    const subject = { kind: 'user', id: user.id } as const
    if (Object.keys(told).length > 0)
      await record({ tx, site, by }, 'user_changed', subject, { login: user.login, ...told })
    if (user.email !== null && user.email !== changed!.email)
      for (const purpose of ['invitation', 'reset'] as const) await withdraw(tx, purpose, user.id)
    return changed!
  }

  /**
   * Adds a user without any credentials; undefined if the login is taken. `details` are told in the audit log. Throws 400 if the address is
   * none, or taken.
   */
  async function insert(
    tx: Queries,
    { login, role, limits = null, ...person }: Person & Limited & { login: string; role: Role },
    by: Actor,
    details: Record<string, string> = {},
  ): Promise<User | undefined> {
    refuse(await limitProblems(tx, role, limits))
    const names = await known(tx, person)
    const values = { login: login.toLowerCase(), role, limits, ...names, created_utc: now() }
    const [other] = await tx.select({ id: users.id }).from(users).where(eq(users.email, values.login))
    if (other) return undefined
    const [user] = await tx.insert(users).values(values).onConflictDoNothing().returning()
    if (!user) return undefined
    await note(tx, user, 'create')
    await record(
      { tx, site, by },
      'user_added',
      { kind: 'user', id: user.id },
      { login: user.login, role, ...(limits && { limits: inWords(limits) }), ...details },
    )
    return user
  }

  return {
    ...passwords,
    /** Whether a text may be a login. */
    isLogin: (text: string) => LOGIN.test(text),
    /** The login or address of mail that a text in small letters may be; empty for what calls nobody, so that all of it is counted together. */
    nameIn: (text: string) => (LOGIN.test(text) ? text : (readAddress(text) ?? '')),
    find: (id: number) => findUser(db.read, id),
    async byLogin(login: string): Promise<User | undefined> {
      return (await db.read.select().from(users).where(eq(users.login, login.toLowerCase())))[0]
    },
    async count(): Promise<number> {
      return (await db.read.select({ total: count() }).from(users))[0]!.total
    },
    /** A page of users by ID, or all. */
    list({ page, per_page }: Paging = { page: 1, per_page: ALL }): Promise<User[]> {
      return db.read
        .select()
        .from(users)
        .orderBy(asc(users.id))
        .limit(per_page)
        .offset((page - 1) * per_page)
        .execute()
    },
    insert,
    /** The user with this login or, if there is none, with this address of mail. */
    async called(name: string): Promise<User | undefined> {
      const called = name.toLowerCase()
      const found = await db.read
        .select()
        .from(users)
        .where(or(eq(users.login, called), eq(users.email, called)))
      return found.find(({ login }) => login === called) ?? found[0]
    },
    /**
     * Adds a user with one application password, which is returned only here; undefined if the login is taken. Logins have no case.
     * `hand` gets the password first; if it throws, no user is added.
     */
    async add(
      login: string,
      role: Role,
      {
        hand = () => {},
        by = SERVICE,
        ...person
      }: Person & Limited & { hand?: (password: string) => void; by?: Actor } = {},
    ): Promise<(User & { password: string }) | undefined> {
      const { password, hash } = await hashed()
      return db.write(async (tx) => {
        const user = await insert(tx, { login, role, ...person }, by)
        if (!user) return undefined
        await addPassword(tx, user.id, 'first', hash, by)
        hand(password)
        return { ...user, password }
      })
    },
    /**
     * Changes role, limits, name and address, or disables, which ends all sessions; the last administrator stays one. Links that were mailed
     * to the address of before end. `check` throws what the caller may not; `also` does what belongs to the change in its transaction.
     */
    update: (
      id: number,
      { role, disabled, limits, ...person }: Change,
      by: Actor = SERVICE,
      check: (before: User) => void = () => {},
      also: (tx: Queries, before: User, after: User) => Promise<void> = async () => {},
    ): Promise<User> =>
      db.write(async (tx) => {
        const user = await findUser(tx, id)
        check(user)
        if (disabled) await keepAdministrator(tx, user, 'disabled')
        if (role && role !== 'administrator') await keepAdministrator(tx, user, 'role')
        const after = {
          ...{ role: role ?? user.role, disabled: disabled ?? user.disabled },
          limits: limits === undefined ? user.limits : limits,
        }
        refuse(await limitProblems(tx, after.role, after.limits, user.limits))
        const set = { ...after, ...(await known(tx, person, id)) }
        if (disabled) await endTokens({ tx, site, now: site.clock(), by }, sessionsOf(id))
        const changed = await write(tx, user, set, by)
        await domainEvents.emit('user.changed', { w: { tx, site, by }, user: changed })
        await also(tx, user, changed)
        return changed
      }),
    /** Fills in the name and the address that a user lacks, as far as they fit: a name is cut, an address is one, and nobody else's. */
    async fill(
      tx: Queries,
      user: User,
      { name = '', email = '' }: { name: string | undefined; email: string | undefined },
      by: Actor,
    ): Promise<User> {
      const called = lineOf([...lineOf(name)].slice(0, LONGEST_NAME).join(''))
      const address = readAddress(email)
      const isFree = address !== undefined && !(await isTaken(tx, address, user.id))
      const filled = {
        ...(user.name === '' && called !== '' && { name: called }),
        ...(user.email === null && isFree && { email: address }),
      }
      return Object.keys(filled).length === 0 ? user : write(tx, user, filled, by)
    },
    /** Removes a user with all credentials; `heir` gets the records. Returns the removed user. */
    remove: (id: number, heir?: number, by: Actor = SERVICE): Promise<User> =>
      db.write(async (tx) => {
        const user = await findUser(tx, id)
        await keepAdministrator(tx, user, 'id')
        await reassign(tx, site, user, heir)
        const { login, role } = user
        await record(
          { tx, site, by },
          'user_removed',
          { kind: 'user', id },
          { login, role, records_to: heir && loginOf(tx, heir) },
        )
        await domainEvents.emit('user.removing', { w: { tx, site, by }, user })
        await tx.delete(users).where(eq(users.id, id))
        await note(tx, user, 'delete')
        return user
      }),
    /** Adds an application password, which is returned only here. */
    async addPassword(
      user: number,
      name: string,
      by: Actor = SERVICE,
    ): Promise<PasswordRow & { password: string }> {
      const { password, hash } = await hashed()
      return {
        ...(await db.write(async (tx) => addPassword(tx, (await findUser(tx, user)).id, name, hash, by))),
        password,
      }
    },
  }
}
export type Users = ReturnType<typeof openUsers>

/**
 * An address of mail as HTML defines what browsers accept (https://html.spec.whatwg.org/#valid-e-mail-address), with a domain of two
 * names or more: nothing in it can begin a header or name a second recipient.
 */
const ADDRESS =
  /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i
const LONGEST_ADDRESS = 254

/** Whether a text is one address of mail. */
export const isMailAddress = (text: string): boolean => text.length <= LONGEST_ADDRESS && ADDRESS.test(text)

/** An address of mail in lower case; undefined if the text is none. */
export function readAddress(text: string): string | undefined {
  const address = text.trim()
  // looked at before: other letters become those of ASCII in lower case
  return isMailAddress(address) ? address.toLowerCase() : undefined
}

/** The bounds of passwords that people choose, in characters: NIST SP 800-63B §3.1.1.2 asks for no other rules than length and a list of known ones. */
export const PASSWORD = { least: 10, most: 200 }

/** Whom a password is of. */
type Owner = { login: string; name: string; email: string | null }

/** Why a person can not choose a password; undefined if they can. `known` are those that many people use, in lower case. */
export function passwordProblem(
  password: string,
  { login, name, email }: Owner,
  known: ReadonlySet<string>,
): string | undefined {
  const { length } = [...password]
  if (length < PASSWORD.least) return `must have at least ${PASSWORD.least} characters.`
  if (length > PASSWORD.most) return `must have at most ${PASSWORD.most} characters.`
  if (/[\p{Cc}\p{Cs}]/u.test(password)) return 'must not have control characters.'
  const plain = password.trim().toLowerCase()
  if ([login, name, email ?? ''].some((own) => own.toLowerCase() === plain))
    return 'must not be the login, the name or the address of its user.'
  return known.has(plain) ? 'must not be one that many people use.' : undefined
}
