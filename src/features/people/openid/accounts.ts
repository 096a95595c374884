import { and, eq } from 'drizzle-orm'
import { application_passwords as passwords, sign_ins, users as table } from '../../../../drizzle/tables.ts'
import type { Actor } from '../../../kernel/access/audit-log.ts'
import { ROLES, type Role } from '../../../kernel/access/rights.ts'
import type { SignIn, SignIns } from '../../../kernel/access/sessions.ts'
import { readAddress, type User, type Users } from '../../../kernel/access/users.ts'
import type { Db, Queries } from '../../../kernel/database/db.ts'
import { ApiError } from '../../../kernel/errors.ts'

/** What an OpenID provider says of a person. */
type Claims = Readonly<Record<string, unknown>>
/** Which values of a claim give which role. */
export type RoleClaim = { claim: string; roles: { value: string; role: Role }[] }

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text)

/** A host that no other machine answers for, where a provider may do without HTTPS. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Whether a text is the URL of an issuer (OpenID Connect Core §2): HTTPS, or of this machine, without credentials, query and fragment. */
export function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password } = new URL(text)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
  return isSafe && username + password === '' && !/[?#]/.test(text)
}

/**
 * Reads `groups:calendar-editors=editor,calendar-admins=administrator`: a claim, and which of its values give which role. The name of the
 * claim ends at the first colon that begins no `://`. Undefined if the text is something else.
 */
export function readRoleClaim(text: string): RoleClaim | undefined {
  const [, claim, list] = /^([^\s,=]+?):(?!\/\/)(.+)$/.exec(text) ?? []
  const roles = (list ?? '').split(',').flatMap((entry) => {
    const at = entry.lastIndexOf('=')
    const [value, role] = [entry.slice(0, Math.max(at, 0)).trim(), entry.slice(at + 1).trim()]
    return value !== '' && isRole(role) ? [{ value, role }] : []
  })
  return claim !== undefined && roles.length === list!.split(',').length ? { claim, roles } : undefined
}

/** The value of a claim: the one with this name, or the one that dots lead to, such as `realm_access.roles`. */
function foundIn(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim]
  return claim
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, name)
          ? (value as Claims)[name]
          : undefined,
      claims,
    )
}

/** The strongest role that the claims give; undefined if they give none. */
export function roleIn(claims: Claims, { claim, roles }: RoleClaim): Role | undefined {
  const values = [foundIn(claims, claim)].flat()
  const given = roles.flatMap(({ value, role }) => (values.includes(value) ? [ROLES.indexOf(role)] : []))
  return ROLES[Math.max(...given)]
}

/** Letters that a subject may have: an ID of at most 255 of them (OpenID Connect Core §2), none of which is a control character. */
const SUBJECT = /^[^\p{Cc}]{1,255}$/u

/** Whether a text can be what a provider knows a person by. */
export const isSubject = (text: unknown): boolean => typeof text === 'string' && SUBJECT.test(text)

/**
 * The claims of an ID token, and those of the provider's user info that it lacks. An address and whether it is verified come from one of
 * the two: from the ID token if it has both, otherwise from the user info if there is an address.
 */
export function mergedClaims(idToken: Claims, userInfo: Claims): Claims {
  const hasBoth = idToken.email !== undefined && idToken.email_verified !== undefined
  const { email, email_verified } = hasBoth || userInfo.email === undefined ? idToken : userInfo
  return { ...userInfo, ...idToken, email, email_verified }
}

const textIn = (claims: Claims, name: string): string | undefined => {
  const value = claims[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** What a person is called. */
export const nameIn = (claims: Claims): string | undefined => textIn(claims, 'name')

/** The address of mail in lower case, if the provider has verified that it is that of the person. */
export function emailIn(claims: Claims): string | undefined {
  const email = textIn(claims, 'email')
  return claims.email_verified === true && email !== undefined ? readAddress(email) : undefined
}

/**
 * A login for a person without an account, as they are called at the provider, or else by their verified address; others with that name
 * get a number. It has no `@`, as what looks like an address is another person's.
 */
export function loginIn(claims: Claims): string {
  const named = textIn(claims, 'preferred_username') ?? emailIn(claims) ?? ''
  const plain = named
    .toLowerCase()
    .replace(/(?<=.)@.*/su, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 50)
  return /\w/.test(plain) ? plain : 'user'
}

/** Somebody for whom an OpenID provider vouches. */
type Person = {
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
  }
}
