import { type Caller, has, hasRole, type Limits, rightsOf } from '../kernel/access/rights.ts'

declare module '../kernel/access/rights.ts' {
  /** The events that rights are limited to: those in one of the categories or below it, and those at one of the venues. */
  interface LimitSet {
    categories: readonly number[]
    venues: readonly number[]
  }
}

/** The members of a record that decide who may see it. */
export type Owned = { id: number; author_id: number; status: string }
/** The members of a record that decide who may change it. */
export type Changeable = Owned & { kind: 'event' | 'series' | 'venue' | 'organizer' }

/**
 * The rights of the calendar with the weakest role that has them. Records are events, venues and organizers, by ID or by slug; published
 * records have the status publish or future. Everyone may read published records, terms and media.
 */
export const RIGHTS = rightsOf({
  'create records': 'contributor',
  'read own records of any status': 'contributor',
  'read records of others of any status': 'editor',
  'change and delete own unpublished records': 'contributor',
  'change and delete own published records': 'author',
  'change and delete records of others': 'editor',
  'publish records': 'author',
  'give records to another author': 'editor',
  'upload images, and change and delete own ones': 'author',
  'change and delete images of others': { role: 'editor', ofAll: true },
  'create, change and delete categories': { role: 'author', ofAll: true },
  'create, change and delete tags': { role: 'editor', ofAll: true },
  'change the settings of the site': 'administrator',
})

/** May write events, venues and organizers at all. */
export const canWrite = (caller: Caller) => has(caller, RIGHTS['create records'])
/** May see a term that only hidden events have had so far: whoever writes chooses from all. */
export const canReadTerm = (caller: Caller, { hidden }: { hidden: boolean }) => !hidden || canWrite(caller)
/** May publish. For others, `publish` becomes `pending` (D36). */
export const canPublish = (caller: Caller) => has(caller, RIGHTS['publish records'])
/** May set another user as author (D39). */
export const canGive = (caller: Caller) => has(caller, RIGHTS['give records to another author'])
/** May upload images and have them downloaded. */
export const canUpload = (caller: Caller) =>
  has(caller, RIGHTS['upload images, and change and delete own ones'])
/** May change and delete this image. */
export const canEditImage = (caller: Caller, image: Pick<Owned, 'author_id'>) =>
  has(
    caller,
    owns(caller, image)
      ? RIGHTS['upload images, and change and delete own ones']
      : RIGHTS['change and delete images of others'],
  )
/** May see records of others with any status: all of them. */
export const canReadOthers = (caller: Caller) =>
  !caller?.limits && has(caller, RIGHTS['read records of others of any status'])
/** The limits within which the caller may see records of others with any status; undefined if there are none, or nothing is within. */
export const readingLimits = (caller: Caller): Limits | undefined =>
  has(caller, RIGHTS['read records of others of any status']) ? caller!.limits : undefined
/** May create terms of this taxonomy inside an event (D37); with limits only tags. */
export const canAddTerms = (caller: Caller, taxonomy: 'category' | 'tag') =>
  taxonomy === 'tag'
    ? hasRole(caller, RIGHTS['create, change and delete tags'])
    : has(caller, RIGHTS['create, change and delete categories'])

const owns = (caller: Caller, record: Pick<Owned, 'author_id'>) =>
  caller !== undefined && caller.id === record.author_id
const isPublished = ({ status }: Pick<Owned, 'status'>) => status === 'publish' || status === 'future'

const mayEditOwn = (caller: Caller, record: Pick<Owned, 'status'>) =>
  has(
    caller,
    isPublished(record)
      ? RIGHTS['change and delete own published records']
      : RIGHTS['change and delete own unpublished records'],
  )

/** Whether a record is within the limits of the caller. */
export const isWithin = (caller: Caller, record: Pick<Owned, 'id'>) =>
  !caller?.limits || caller.limits.covers(record)

/** May change or delete this record. Limits hold for own events and series as well, but not for own venues and organizers. */
export function canEdit(caller: Caller, record: Changeable): boolean {
  if (!owns(caller, record))
    return has(caller, RIGHTS['change and delete records of others']) && isWithin(caller, record)
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
    : has(caller, RIGHTS['change and delete records of others']) && isWithin(caller, record)

/** May read this record by ID or slug; a trashed record only with the right to change it (D30). */
export function canRead(caller: Caller, record: Owned): boolean {
  if (record.status === 'publish') return true
  if (owns(caller, record)) return has(caller, RIGHTS['read own records of any status'])
  return has(caller, RIGHTS['read records of others of any status']) && isWithin(caller, record)
}

/** May read all of a record. The links and texts of a protected event are only for callers who may edit it (D29). */
export const canReadAll = (caller: Caller, record: Owned & { password_hash: string | null }) =>
  record.password_hash === null ? canRead(caller, record) : canOpen(caller, record)
