/** Roles from the weakest to the strongest (R2). */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** What a token may do, within the rights of its user. */
export type TokenScope = 'read' | 'write' | 'admin'

/** The events that rights are limited to, by IDs: those in one of the categories or below it, and those at one of the venues. */
export type LimitSet = { categories: readonly number[]; venues: readonly number[] }
/** Limits as the audit log tells them. */
export const inWords = (limits: LimitSet | null) =>
  limits === null
    ? 'none'
    : `categories ${limits.categories.join(', ') || '-'}; venues ${limits.venues.join(', ') || '-'}`

/** The limits of the rights of a caller, as they were when the request came. As JSON, two that mean the same are the same. */
export type Limits = {
  /** As they were set, of the user and of the token: all of them have to allow a record. */
  given: readonly LimitSet[]
  /** The same with the categories below and with translations. */
  sets: readonly LimitSet[]
  /** Whether each set allows a record: an event or series by its links, and a venue by itself. */
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
/** The members of a record that decide who may see it. */
export type Owned = { id: number; author_id: number; status: string }
/** The members of a record that decide who may change it. */
export type Changeable = Owned & { kind: 'event' | 'series' | 'venue' | 'organizer' }

export type RightTable = Record<string, Role | { from: Role; ofAll: true }>

/**
 * The rights of the calendar and of accounts with the weakest role that has them. Records are events, venues and organizers, by ID or by slug;
 * published records have the status publish or future. Everyone may read published records, terms and media. `ofAll` marks what is of all events,
 * so that nobody has it whose rights are limited.
 */
const OWN_RIGHTS = {
  'sign in': 'subscriber',
  'create records': 'contributor',
  'read own records of any status': 'contributor',
  'read records of others of any status': 'editor',
  'change and delete own unpublished records': 'contributor',
  'change and delete own published records': 'author',
  'change and delete records of others': 'editor',
  'publish records': 'author',
  'give records to another author': 'editor',
  'upload images, and change and delete own ones': 'author',
  'change and delete images of others': { from: 'editor', ofAll: true },
  'create, change and delete categories': { from: 'author', ofAll: true },
  'create, change and delete tags': { from: 'editor', ofAll: true },
  'manage users and tokens': 'administrator',
  'change the settings of the site': 'administrator',
} as const satisfies RightTable

/** The rights that features declare; who declares some adds them here. */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled where rights are declared
export interface DeclaredRights {}
export type Right = keyof typeof OWN_RIGHTS | keyof DeclaredRights

/** Every right with the weakest role that has it. All checks below use this table. */
export const RIGHTS = {} as Record<Right, Role>
/** The rights about what is of all events, beside those about the service itself: nobody has them whose rights are limited. */
const OF_ALL = new Set<Right>()

/** Adds rights of a feature. */
export function declareRights(more: RightTable) {
  for (const [name, right] of Object.entries(more)) {
    RIGHTS[name as Right] = typeof right === 'string' ? right : right.from
    if (typeof right !== 'string') OF_ALL.add(name as Right)
  }
}
declareRights(OWN_RIGHTS)

/** Whether a right is about the service itself, which only administrators have: a token needs the scope `admin`. */
export const isAdministration = (right: Right | undefined) =>
  right !== undefined && RIGHTS[right] === 'administrator'

const hasRole = (caller: Caller, right: Right) =>
  caller !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(RIGHTS[right])

/** Whether the caller has this right, for some records at least. Anonymous callers have none. */
export const has = (caller: Caller, right: Right) =>
  hasRole(caller, right) && (!caller?.limits || !(isAdministration(right) || OF_ALL.has(right)))

/** Whether only its limits keep a right from the caller. */
export const isLimitedIn = (caller: Caller, right: Right) => hasRole(caller, right) && !has(caller, right)

/** Whether the credentials of the caller allow this scope: a password allows all, a token its own. */
export const hasScope = (caller: Caller, scope: TokenScope) =>
  caller?.scopes === undefined || caller.scopes.includes(scope)

/** May write events, venues and organizers at all. */
export const canWrite = (caller: Caller) => has(caller, 'create records')
/** May see a term that only hidden events have had so far: whoever writes chooses from all. */
export const canReadTerm = (caller: Caller, { hidden }: { hidden: boolean }) => !hidden || canWrite(caller)
/** May publish. For others, `publish` becomes `pending` (D36). */
export const canPublish = (caller: Caller) => has(caller, 'publish records')
/** May set another user as author (D39). */
export const canGive = (caller: Caller) => has(caller, 'give records to another author')
/** May upload images and have them downloaded. */
export const canUpload = (caller: Caller) => has(caller, 'upload images, and change and delete own ones')
/** May change and delete this image. */
export const canEditImage = (caller: Caller, image: Pick<Owned, 'author_id'>) =>
  has(
    caller,
    owns(caller, image)
      ? 'upload images, and change and delete own ones'
      : 'change and delete images of others',
  )
/** May see records of others with any status: all of them. */
export const canReadOthers = (caller: Caller) =>
  !caller?.limits && has(caller, 'read records of others of any status')
/** The limits within which the caller may see records of others with any status; undefined if there are none, or nothing is within. */
export const readingLimits = (caller: Caller): Limits | undefined =>
  has(caller, 'read records of others of any status') ? caller!.limits : undefined
/** May create terms of this taxonomy inside an event (D37); with limits only tags. */
export const canAddTerms = (caller: Caller, taxonomy: 'category' | 'tag') =>
  taxonomy === 'tag'
    ? hasRole(caller, 'create, change and delete tags')
    : has(caller, 'create, change and delete categories')

const owns = (caller: Caller, record: Pick<Owned, 'author_id'>) =>
  caller !== undefined && caller.id === record.author_id
const isPublished = ({ status }: Pick<Owned, 'status'>) => status === 'publish' || status === 'future'

const mayEditOwn = (caller: Caller, record: Pick<Owned, 'status'>) =>
  has(
    caller,
    isPublished(record)
      ? 'change and delete own published records'
      : 'change and delete own unpublished records',
  )

/** Whether a record is within the limits of the caller. */
export const isWithin = (caller: Caller, record: Pick<Owned, 'id'>) =>
  !caller?.limits || caller.limits.covers(record)

/** May change or delete this record. Limits hold for own events and series as well, but not for own venues and organizers. */
export function canEdit(caller: Caller, record: Changeable): boolean {
  if (!owns(caller, record))
    return has(caller, 'change and delete records of others') && isWithin(caller, record)
  const isFree = record.kind === 'venue' || record.kind === 'organizer'
  return mayEditOwn(caller, record) && (isFree || isWithin(caller, record))
}

/** The statuses among some in which a caller may see all of their own records, whatever limits they have. */
export const openOwn = <S extends string>(caller: Caller, statuses: readonly S[]): S[] =>
  statuses.filter((status) => mayEditOwn(caller, { status }))

/** May see what a password protects, and what is in the trash: as who may edit it, but of own records whatever the limits (D29). */
export const canOpen = (caller: Caller, record: Owned): boolean =>
  owns(caller, record)
    ? mayEditOwn(caller, record)
    : has(caller, 'change and delete records of others') && isWithin(caller, record)

/** May read this record by ID or slug; a trashed record only with the right to change it (D30). */
export function canRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  if (owns(caller, record)) return has(caller, 'read own records of any status')
  return has(caller, 'read records of others of any status') && isWithin(caller, record)
}

/** May read all of a record. The links and texts of a protected event are only for callers who may edit it (D29). */
export const canReadAll = (caller: Caller, record: Owned & { password_hash: string | null }) =>
  record.password_hash === null ? canRead(caller, record) : canOpen(caller, record)
