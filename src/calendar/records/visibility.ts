import { and, eq, inArray, ne, or, type SQL } from 'drizzle-orm'
import { listings, posts } from '../../../drizzle/tables.ts'
import { STATUSES, type Status } from '../../../schemas/common.ts'
import { type Caller, has, type Limits } from '../../kernel/access/rights.ts'
import type { Post } from '../formats/records.ts'
import type { Origin } from '../formats/urls.ts'
import type { Traits } from '../index/event-index.ts'
import {
  canOpen,
  canRead,
  canReadOthers,
  canWrite,
  type Owned,
  openOwn,
  RIGHTS,
  readingLimits,
} from '../rights.ts'
import { withinLimits } from './limited-rights.ts'

/** Whether this caller may read the record (D8, D30). */
export const isReadable = (post: Post, caller: Caller): boolean =>
  post.status === 'trash' ? post.kind !== 'event' && canOpen(caller, post) : canRead(caller, post)

/** Records of these statuses that the caller may read one by one (D8, D36); without statuses the default ones. */
export function readablePosts(
  caller: Caller,
  statuses: readonly (Status | 'any')[] | undefined,
): SQL | undefined {
  if (!canWrite(caller)) return eq(posts.status, 'publish')
  const all = statuses === undefined || statuses.includes('any')
  const wanted = all ? ne(posts.status, 'trash') : inArray(posts.status, statuses as Status[])
  if (canReadOthers(caller)) return wanted
  const limits = readingLimits(caller)
  return and(
    wanted,
    or(
      eq(posts.status, 'publish'),
      eq(posts.author_id, caller!.id),
      limits && withinLimits(posts.id, limits),
    ),
  )
}

const NOT_TRASHED = ['publish', 'future', 'draft', 'pending', 'private'] as const

/** What decides whether a caller sees an event: its status, whose it is, and for callers with limits its links. */
export type Seen = Pick<Traits, 'statuses' | 'author'> & {
  /** Of others than this author only published events are seen, and those within the limits. */
  limited?: { author: number; limits: Limits } | undefined
}

/** The events that the caller may read one by one (D8, D36), with these statuses or the default ones. */
export function readableTraits(caller: Caller, { status }: { status?: (Status | 'any')[] }): Seen {
  if (!canWrite(caller)) return { statuses: ['publish'] }
  const all = status === undefined || status.includes('any')
  const statuses = all ? NOT_TRASHED : (status as Status[])
  if (canReadOthers(caller)) return { statuses, author: undefined }
  const limits = readingLimits(caller)
  return limits ? { statuses, limited: { author: caller!.id, limits } } : { statuses, author: caller!.id }
}

/** A condition on rows of `listings`: events that the caller may read one by one. */
export function readableListings(caller: Caller): SQL | undefined {
  const { statuses, author, limited } = readableTraits(caller, {})
  const own = limited?.author ?? author
  return and(
    eq(listings.hidden, false),
    inArray(listings.status, [...statuses]),
    own === undefined
      ? undefined
      : or(
          eq(listings.status, 'publish'),
          eq(listings.author_id, own),
          limited && withinLimits(listings.event_id, limited.limits),
        ),
  )
}

/** A condition on rows: not protected by a password, or editable by the caller (R13). */
export function openListings(caller: Caller): SQL | undefined {
  const limits = caller?.limits
  const opensOthers = has(caller, RIGHTS['change and delete records of others'])
  if (opensOthers && !limits) return undefined
  const own = openOwn(caller, STATUSES)
  return or(
    eq(listings.protected, false),
    own.length === 0 ? undefined : and(eq(listings.author_id, caller!.id), inArray(listings.status, own)),
    opensOthers && limits ? withinLimits(listings.event_id, limits) : undefined,
  )
}

/** The mount and the caller that records are shown for. */
export type View = {
  origin: Origin
  caller: Caller
  /** Whether this is a read of one record, which adds `json_ld`. */
  single: boolean
  /** Whether the password in the request has this hash; absent if the request has no password. */
  opens?: ((hash: string) => Promise<boolean>) | undefined
  /** Of events that stand for their series: for how many of its dates, by ID. */
  occurrences?: ReadonlyMap<number, number> | undefined
}

/** The linked records that the caller may see, in their order. */
export function shown<T extends Omit<Owned, 'id'>>(
  ids: number[],
  posts: Map<number, T>,
  caller: Caller,
): T[] {
  const found: T[] = []
  for (const id of ids) {
    const post = posts.get(id)
    if (post && post.status !== 'trash' && canRead(caller, { ...post, id })) found.push(post)
  }
  return found
}

/** Whether the caller sees all of an event: with its password, or with the right to edit it (D15). */
export async function isOpen(
  event: Pick<Post, 'id' | 'password_hash' | 'author_id' | 'status'>,
  { caller, opens }: Pick<View, 'caller' | 'opens'>,
): Promise<boolean> {
  if (event.password_hash === null || canOpen(caller, event)) return true
  return opens?.(event.password_hash) ?? false
}
