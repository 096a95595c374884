import type { Origin } from '../../formats/json.ts'
import type { Post } from '../../formats/records.ts'
import { type Caller, canEdit, canRead, type Owned } from '../../rules/roles.ts'

/** The mount and the caller that records are shown for. */
export type View = {
  origin: Origin
  caller: Caller
  /** Whether this is a read of one record, which adds `json_ld`. */
  single: boolean
  /** Whether the password in the request has this hash; absent if the request has no password. */
  opens?: ((hash: string) => Promise<boolean>) | undefined
}

/** The linked records that the caller may see, in their order. */
export function shown<T extends Owned>(ids: number[], posts: Map<number, T>, caller: Caller): T[] {
  const found: T[] = []
  for (const id of ids) {
    const post = posts.get(id)
    if (post && post.status !== 'trash' && canRead(caller, post)) found.push(post)
  }
  return found
}

/** Whether the caller sees all of an event: with its password, or with the right to edit it (D15). */
export async function isOpen(
  event: Pick<Post, 'password_hash' | 'author_id' | 'status'>,
  { caller, opens }: Pick<View, 'caller' | 'opens'>,
): Promise<boolean> {
  if (event.password_hash === null || canEdit(caller, event)) return true
  return opens?.(event.password_hash) ?? false
}
