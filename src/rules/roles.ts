/** Roles from the weakest to the strongest (R2). */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** What a token may do, within the rights of its user. */
export type TokenScope = 'read' | 'write' | 'admin'

/** The caller; undefined is anonymous. `scopes` restrict a token; a password has all. Limits count by `credential`. */
export type Caller =
  | {
      id: number
      role: Role
      scopes?: readonly TokenScope[]
      credential?: string
      /** When the password was proven, in Unix milliseconds: with the request, or when the session was opened. Never with another token. */
      proven?: number
    }
  | undefined
/** The members of a record that decide who may see and change it. */
export type Owned = { author_id: number; status: string }

/**
 * Every right with the weakest role that has it. Records are events, venues and organizers, by ID or by slug; published
 * records have the status publish or future. Everyone may read published records, terms and media. All checks below use
 * this table.
 */
export const RIGHTS = {
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
  'change and delete images of others': 'editor',
  'create, change and delete categories': 'author',
  'create, change and delete tags': 'editor',
  'import events': 'editor',
  'decide on submissions': 'editor',
  'manage users and tokens': 'administrator',
  'manage webhooks': 'administrator',
  'read the audit log': 'administrator',
  'change the settings of the site': 'administrator',
} as const satisfies Record<string, Role>
export type Right = keyof typeof RIGHTS

/** Whether a right is about the service itself, which only administrators have: a token needs the scope `admin`. */
export const isAdministration = (right: Right | undefined) =>
  right !== undefined && RIGHTS[right] === 'administrator'

/** Whether the role of the caller has this right. Anonymous callers have none. */
export const has = (caller: Caller, right: Right) =>
  caller !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(RIGHTS[right])

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
/** May see records of others with any status. */
export const canReadOthers = (caller: Caller) => has(caller, 'read records of others of any status')
/** May create, change and delete terms of this taxonomy, also inside an event (D37). */
export const canManageTerms = (caller: Caller, taxonomy: 'category' | 'tag') =>
  has(caller, taxonomy === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories')

const owns = (caller: Caller, record: Pick<Owned, 'author_id'>) =>
  caller !== undefined && caller.id === record.author_id
const isPublished = ({ status }: Owned) => status === 'publish' || status === 'future'

/** May change or delete this record. */
export function canEdit(caller: Caller, record: Owned): boolean {
  if (!owns(caller, record)) return has(caller, 'change and delete records of others')
  return has(
    caller,
    isPublished(record)
      ? 'change and delete own published records'
      : 'change and delete own unpublished records',
  )
}

/** May read this record by ID or slug; a trashed record only with the right to change it (D30). */
export function canRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  return has(
    caller,
    owns(caller, record) ? 'read own records of any status' : 'read records of others of any status',
  )
}

/** May read all of a record. The links and texts of a protected event are only for callers who may edit it (D29). */
export const canReadAll = (caller: Caller, record: Owned & { password_hash: string | null }) =>
  record.password_hash === null ? canRead(caller, record) : canEdit(caller, record)
