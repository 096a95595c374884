import { and, eq, inArray, ne, or, type SQL } from 'drizzle-orm'
import { listings, posts } from '../../../drizzle/tables.ts'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import type { Post } from '../../formats/records.ts'
import { type Caller, canEdit, canRead, canReadOthers, canWrite } from '../../rules/roles.ts'
import type { Traits } from '../index/columns.ts'

/** Whether this caller may read the record (D8, D30). */
export const isReadable = (post: Post, caller: Caller): boolean =>
  post.status === 'trash' ? post.kind !== 'event' && canEdit(caller, post) : canRead(caller, post)

/** Records of these statuses that the caller may read one by one (D8, D36); without statuses the default ones. */
export function readablePosts(
  caller: Caller,
  statuses: readonly (Status | 'any')[] | undefined,
): SQL | undefined {
  if (!canWrite(caller)) return eq(posts.status, 'publish')
  const all = statuses === undefined || statuses.includes('any')
  const wanted = all ? ne(posts.status, 'trash') : inArray(posts.status, statuses as Status[])
  if (canReadOthers(caller)) return wanted
  return and(wanted, or(eq(posts.status, 'publish'), eq(posts.author_id, caller!.id)))
}

const NOT_TRASHED = ['publish', 'future', 'draft', 'pending', 'private'] as const

/** The events that the caller may read one by one (D8, D36), with these statuses or the default ones. */
export function readableTraits(
  caller: Caller,
  { status }: { status?: (Status | 'any')[] },
): Pick<Traits, 'statuses' | 'author'> {
  if (!canWrite(caller)) return { statuses: ['publish'] }
  const all = status === undefined || status.includes('any')
  const statuses = all ? NOT_TRASHED : (status as Status[])
  return { statuses, author: canReadOthers(caller) ? undefined : caller!.id }
}

/** A condition on rows of `listings`: events that the caller may read one by one. */
export function readableListings(caller: Caller): SQL | undefined {
  const { statuses, author } = readableTraits(caller, {})
  return and(
    eq(listings.hidden, false),
    inArray(listings.status, [...statuses]),
    author === undefined ? undefined : or(eq(listings.status, 'publish'), eq(listings.author_id, author)),
  )
}

/** A condition on rows: not protected by a password, or editable by the caller (R13). */
export function openListings(caller: Caller): SQL | undefined {
  if (canEdit(caller, { author_id: NOBODY, status: 'publish' })) return undefined
  const own = STATUSES.filter((status) => caller && canEdit(caller, { author_id: caller.id, status }))
  return or(
    eq(listings.protected, false),
    own.length === 0 ? undefined : and(eq(listings.author_id, caller!.id), inArray(listings.status, own)),
  )
}
/** An ID that no user has. */
const NOBODY = 0
