/** Roles from the weakest to the strongest (R2). */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** What a token may do, never more than its user's role. */
export type TokenScope = 'read' | 'write' | 'admin'

/** Who asks; undefined is anonymous. `scopes` narrow a token, a password has all; limits count by `credential`. */
export type Caller =
  | { id: number; role: Role; scopes?: readonly TokenScope[]; credential?: string }
  | undefined
/** What a record says about who may see and change it. */
export type Owned = { author_id: number; status: string }

/**
 * Who may do what: every right with the weakest role that has it. Records are events, venues and organizers, by ID
 * and by slug alike; published ones are those with the status publish or future. Everybody reads what is public,
 * terms and media too. All checks below read this table.
 */
export const RIGHTS = {
  'create records': 'contributor',
  'read own records of any status': 'contributor',
  'read records of others of any status': 'editor',
  'change and delete own unpublished records': 'contributor',
  'change and delete own published records': 'author',
  'change and delete records of others': 'editor',
  'publish records': 'author',
  'give records to another author': 'editor',
  'upload images, and delete own ones': 'author',
  'delete images of others': 'editor',
  'create, change and delete categories': 'author',
  'create, change and delete tags': 'editor',
  'manage users and tokens': 'administrator',
} as const satisfies Record<string, Role>
export type Right = keyof typeof RIGHTS

/** Whether the role of the caller has this right; the anonymous have none. */
export const has = (caller: Caller, right: Right) =>
  caller !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(RIGHTS[right])

/** Its credentials allow it: a password everything, a token what its scopes name. */
export const hasScope = (caller: Caller, scope: TokenScope) =>
  caller?.scopes === undefined || caller.scopes.includes(scope)

/** May write events, venues and organizers at all. */
export const canWrite = (caller: Caller) => has(caller, 'create records')
/** May publish; others' wish to publish becomes pending (D36). */
export const canPublish = (caller: Caller) => has(caller, 'publish records')
/** May set another author than themselves (D39). */
export const canGive = (caller: Caller) => has(caller, 'give records to another author')
/** May upload images and have them downloaded. */
export const canUpload = (caller: Caller) => has(caller, 'upload images, and delete own ones')
/** May delete the images that others uploaded. */
export const canDeleteOthersImages = (caller: Caller) => has(caller, 'delete images of others')
/** May see records of others whatever their status. */
export const canReadOthers = (caller: Caller) => has(caller, 'read records of others of any status')
/** May create, change and delete terms of this taxonomy, also inside an event (D37). */
export const canManageTerms = (caller: Caller, taxonomy: 'category' | 'tag') =>
  has(caller, taxonomy === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories')

const owns = (caller: Caller, record: Owned) => caller !== undefined && caller.id === record.author_id
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

/** May read this record one by one; a trashed one only with the right to change it (D30). */
export function canRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  return has(
    caller,
    owns(caller, record) ? 'read own records of any status' : 'read records of others of any status',
  )
}

/** May read all of a record: where it has a password, its links and texts are for those who may edit it (D29). */
export const canReadAll = (caller: Caller, record: Owned & { password_hash: string | null }) =>
  record.password_hash === null ? canRead(caller, record) : canEdit(caller, record)
