import { and, eq } from 'drizzle-orm'
import { application_passwords as passwords, sign_ins, users as table } from '../../../../drizzle/tables.ts'
import type { Actor } from '../../../kernel/access/audit-log.ts'
import type { Role } from '../../../kernel/access/rights.ts'
import type { SignIn, SignIns } from '../../../kernel/access/sessions.ts'
import type { User, Users } from '../../../kernel/access/users.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError } from '../../../kernel/errors.ts'

/** Somebody for whom an OpenID provider vouches. */
export type Person = {
  issuer: string
  subject: string
  /** What the way to sign in is called. */
  provider: string
  /** The address of mail, in lower case, if the provider has verified it. */
  email: string | undefined
  name: string | undefined
  /** The login of a new user, if nobody has it. */
  login: string
  /** The role that the provider gives; undefined if roles are given here. */
  role: Role | undefined
  /** The role of somebody who is not known here; undefined to refuse them. */
  roleOfNew: Role | undefined
  /** The user who asked to be linked with the person; undefined if nobody did. */
  linkTo: number | undefined
}
/** Why nobody signs in. */
export type Refusal = 'unknown' | 'disabled' | 'last_administrator' | 'taken'
type Resolved = { user: User; signIn: SignIn } | { refused: Refusal; user?: User }

/** The people for whom a provider vouches, and which users they are. */
export function openOpenidAccounts(db: Db, { users, signIns }: { users: Users; signIns: SignIns }) {
  const one = async (tx: Queries, where: ReturnType<typeof eq>) =>
    (await tx.select().from(table).where(where))[0]

  /** Adds a user without any password, with a number behind the login if somebody has it. */
  async function add(tx: Queries, person: Person, role: Role, by: Actor, number = 1): Promise<User> {
    const login = number === 1 ? person.login : `${person.login}-${number}`
    const user = await users.insert(tx, { login, role }, by, { provider: person.provider })
    return user ?? add(tx, person, role, by, number + 1)
  }

  /**
   * The user who asked to be linked, or the one with the verified address who has nothing yet to sign in with: whoever can sign in could
   * have written an address down that is not theirs, and links themselves.
   */
  async function expected(tx: Queries, { email, linkTo }: Person): Promise<User | undefined> {
    if (linkTo !== undefined) return one(tx, eq(table.id, linkTo))
    const user = email === undefined ? undefined : await one(tx, eq(table.email, email))
    if (!user) return undefined
    const ways = [
      ...(await tx.select({ id: sign_ins.id }).from(sign_ins).where(eq(sign_ins.user_id, user.id))),
      ...(await tx.select({ id: passwords.id }).from(passwords).where(eq(passwords.user_id, user.id))),
    ]
    return ways.length > 0 ? undefined : user
  }

  /** Who somebody is, by what the provider calls them; or else who they become. */
  async function identify(tx: Queries, person: Person, by: Actor): Promise<Resolved> {
    const external = `${person.issuer} ${person.subject}`
    const same = and(eq(sign_ins.kind, 'openid'), eq(sign_ins.external, external))
    const [known] = await tx.select().from(sign_ins).where(same)
    const { roleOfNew, provider, linkTo } = person
    if (linkTo !== undefined && known && known.user_id !== linkTo) return { refused: 'taken' }
    const user = known ? await one(tx, eq(table.id, known.user_id)) : await expected(tx, person)
    if (user?.disabled) return { refused: 'disabled', user }
    const now = user ?? (roleOfNew && (await add(tx, person, roleOfNew, by)))
    if (!now) return { refused: 'unknown' }
    const signIn =
      known ?? (await signIns.add(tx, { user_id: now.id, kind: 'openid', name: provider, external }, by))
    return { user: await users.fill(tx, now, person, by), signIn }
  }

  return {
    /**
     * The user that a person is, who gets the role that the provider gives. Who is not known is the user whose address of mail the
     * provider has verified, or a new user, or nobody. The last administrator keeps the role, and does not come in with another one.
     */
    async resolve(person: Person, by: Actor): Promise<Resolved> {
      const resolved = await db.write((tx) => identify(tx, person, by))
      const { role } = person
      if ('refused' in resolved || role === undefined || resolved.user.role === role) return resolved
      // an administrator has no limits
      const changed = { role, ...(role === 'administrator' && { limits: null }) }
      try {
        return { ...resolved, user: await users.update(resolved.user.id, changed, by) }
      } catch (error) {
        if (error instanceof ApiError && error.code === 'rest_invalid_param')
          return { refused: 'last_administrator', user: resolved.user }
        throw error
      }
    },
    /** Notes that a session was opened by a proof of just then. */
    async prove(signIn: SignIn, session: number): Promise<void> {
      await signIns.use(signIn.id, session)
    },
  }
}
