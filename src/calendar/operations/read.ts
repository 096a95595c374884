import type { Caller } from '../../kernel/access/roles.ts'
import type { Changes, Latest } from '../../kernel/database/changes.ts'
import type { Db } from '../../kernel/database/db.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Post } from '../formats/records.ts'
import {
  checkReadable,
  editable,
  findAddressed,
  findById,
  findPost,
  type Key,
  type PostKind,
  seekPost,
  postNotFound,
} from '../records/posts.ts'
import { isOpen, isReadable } from '../records/visibility.ts'
import { trashedSlug } from '../records/write.ts'
import type { View } from '../views/documents.ts'

/** How often a read is repeated if writes are committed during it. */
const ATTEMPTS = 5

/**
 * Reads from one state of the data, however many queries they have, and notes the last write before it. If a write is committed between
 * the queries of a read, it is repeated, so that it never mixes two states. What is refused because too much is asked for is not.
 */
export function openConsistentReads(changes: Pick<Changes, 'latest'>) {
  async function attempt<T>(noted: { latest: Latest }, read: () => Promise<T>, left: number): Promise<T> {
    noted.latest = changes.latest()
    const [outcome] = await Promise.allSettled([read()])
    const overtaken = changes.latest().seq !== noted.latest.seq
    const isRefused = outcome.status === 'rejected' && outcome.reason.code === 'rest_overloaded'
    if (overtaken && !isRefused && left > 1) return attempt(noted, read, left - 1)
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  }
  return <T>(noted: { latest: Latest }, read: () => Promise<T>): Promise<T> => attempt(noted, read, ATTEMPTS)
}

/** Finds events, venues and organizers in committed data. */
export function openPosts({ read }: Pick<Db, 'read'>) {
  /** The record for a single read by this caller; throws the error of the read. */
  async function readable(kind: PostKind, key: Key, caller: Caller): Promise<Post> {
    const post = await findPost(read, kind, key, caller)
    checkReadable(post, caller)
    return post
  }
  return {
    /** The record with this ID, in any status. */
    byId: (kind: PostKind, id: number) => findById(read, kind, id),
    /** The record that a URL names for a caller, in any status. */
    seek: (kind: PostKind, key: Key, caller: Caller) => seekPost(read, kind, key, caller),
    /** The record that a URL names for a caller, in any status. Throws the 404 of its kind if there is none. */
    find: (kind: PostKind, key: Key, caller: Caller) => findPost(read, kind, key, caller),
    /** The record that an address names: by its slug, or by its ID where no record has that slug. Throws 404. */
    addressed: (kind: PostKind, slug: string, caller: Caller) => findAddressed(read, kind, slug, caller),
    /** The record in the trash that had this slug before. */
    trashed: (kind: PostKind, slug: string) => seekPost(read, kind, { slug: trashedSlug(slug) }, undefined),
    readable,
    /** The event for a single read by this caller; throws the error of the read if they may not see all of it. */
    async open(
      key: Key,
      view: Pick<View, 'caller' | 'opens'>,
      kind: 'event' | 'series' = 'event',
    ): Promise<Post> {
      const post = await readable(kind, key, view.caller)
      if (await isOpen(post, view)) return post
      throw new ApiError(
        'event-password-protected',
        `This ${kind} is protected; send its password as \`password\`.`,
      )
    },
    /** The record to change. Throws 404 if it does not exist, 403 if the caller may not change it. */
    editable: async (kind: PostKind, key: Key, caller: Caller): Promise<Post> =>
      editable(caller, kind, key, 'change', await seekPost(read, kind, key, caller)),
    isReadable,
    /** The 404 of a record. */
    unknown: postNotFound,
  }
}
