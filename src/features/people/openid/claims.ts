import { ROLES, type Role } from '../../../kernel/access/rights.ts'
import { readAddress } from '../../../kernel/access/users.ts'

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
