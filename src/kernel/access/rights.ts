/** Roles from the weakest to the strongest (R2). */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** What a token may do, within the rights of its user. */
export type TokenScope = 'read' | 'write' | 'admin'

/** The records that rights are limited to, as IDs by the plural of what they are of. Who keeps such records declares them here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where records are declared
export interface LimitSet {}
/** Limits as the audit log tells them. */
export const inWords = (limits: LimitSet | null) =>
  limits === null
    ? 'none'
    : Object.entries<readonly number[]>({ ...limits })
        .map(([kind, ids]) => `${kind} ${ids.join(', ') || '-'}`)
        .sort()
        .join('; ')

/** The limits of the rights of a caller, as they were when the request came. As JSON, two that mean the same are the same. */
export type Limits = {
  /** As they were set, of the user and of the token: all of them have to allow a record. */
  given: readonly LimitSet[]
  /** The same with all that these records stand for. */
  sets: readonly LimitSet[]
  /** Whether each set allows a record. */
  covers(record: { id: number }): boolean
}

/** The caller; undefined is anonymous. `scopes` restrict a token; a password has all. Limits count by `credential`. */
export type Caller =
  | {
      id: number
      role: Role
      /** Absent if the rights hold for all records. */
      limits?: Limits | undefined
      scopes?: readonly TokenScope[]
      credential?: string
      /** When the password was proven, in Unix milliseconds: with the request, or when the session was opened. Never with another token. */
      proven?: number
    }
  | undefined

/** A right: what it allows in words, and the weakest role that has it. One `ofAll` is about all records: nobody has it whose rights are limited. */
export type Right = { name: string; role: Role; ofAll: boolean }

/** Rights by their names, each from the weakest role that has it. */
export const rightsOf = <Name extends string>(
  roles: Record<Name, Role | { role: Role; ofAll: true }>,
): Record<Name, Right> =>
  Object.fromEntries(
    Object.entries<Role | { role: Role; ofAll: true }>(roles).map(([name, right]) => [
      name,
      typeof right === 'string' ? { name, role: right, ofAll: false } : { name, ...right },
    ]),
  ) as Record<Name, Right>

/** The rights of accounts. The calendar and features have tables of their own. */
export const ACCOUNT_RIGHTS = rightsOf({
  'sign in': 'subscriber',
  'manage users and tokens': 'administrator',
})

/** Whether a right is about the service itself, which only administrators have: a token needs the scope `admin`. */
export const isAdministration = (right: Right | undefined) => right?.role === 'administrator'

/** Whether the role of the caller has this right, whatever its limits. */
export const hasRole = (caller: Caller, right: Right) =>
  caller !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(right.role)

/** Whether the caller has this right, for some records at least. Anonymous callers have none. */
export const has = (caller: Caller, right: Right) =>
  hasRole(caller, right) && (!caller?.limits || !(isAdministration(right) || right.ofAll))

/** Whether only its limits keep a right from the caller. */
export const isLimitedIn = (caller: Caller, right: Right) => hasRole(caller, right) && !has(caller, right)

/** Whether the credentials of the caller allow this scope: a password allows all, a token its own. */
export const hasScope = (caller: Caller, scope: TokenScope) =>
  caller?.scopes === undefined || caller.scopes.includes(scope)
