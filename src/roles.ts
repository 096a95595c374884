/** Roles from the weakest to the strongest (R2). */
export const ROLES = ['subscriber', 'contributor', 'author', 'editor', 'administrator'] as const
export type Role = (typeof ROLES)[number]

/** What a token may do, never more than its user's role. */
export type TokenScope = 'read' | 'write' | 'admin'

/** Who asks; undefined is anonymous. `scopes` narrow a token, a password has all. */
export type Caller = { id: number; role: Role; scopes?: readonly TokenScope[] } | undefined
/** What a record says about who may see and change it. */
export type Owned = { author_id: number; status: string }

const reaches = (caller: Caller, role: Role) =>
  caller !== undefined && ROLES.indexOf(caller.role) >= ROLES.indexOf(role)

/** Its credentials allow it: a password everything, a token what its scopes name. */
export const hasScope = (caller: Caller, scope: TokenScope) =>
  caller?.scopes === undefined || caller.scopes.includes(scope)

/** May write events, venues and organizers at all. */
export const canWrite = (caller: Caller) => reaches(caller, 'contributor')
/** May publish; others' wish to publish becomes pending (D36). */
export const canPublish = (caller: Caller) => reaches(caller, 'author')
/** May upload images and have them downloaded. */
export const canUpload = (caller: Caller) => reaches(caller, 'author')
/** May see and change what belongs to others, and give records to others (D39). */
export const canEditOthers = (caller: Caller) => reaches(caller, 'editor')
/** May create, change and delete terms of this taxonomy, also inside an event (D37). */
export const canManageTerms = (caller: Caller, taxonomy: 'category' | 'tag') =>
  reaches(caller, taxonomy === 'tag' ? 'editor' : 'author')
/** May manage users and tokens. */
export const canAdminister = (caller: Caller) => reaches(caller, 'administrator')

const owns = (caller: Caller, record: Owned) => caller !== undefined && caller.id === record.author_id

/** May change or delete this record: contributors only their own unpublished ones. */
export function canEdit(caller: Caller, record: Owned): boolean {
  if (canEditOthers(caller)) return true
  if (!owns(caller, record)) return false
  return canPublish(caller) || (canWrite(caller) && record.status !== 'publish' && record.status !== 'future')
}

/** May read this record one by one; a trashed one only with the right to change it (D30). */
export function canRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish' || canEditOthers(caller)) return true
  return canWrite(caller) && owns(caller, record)
}
