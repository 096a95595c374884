import type { Origin } from '../../formats/json.ts'
import type { Post } from '../../formats/records.ts'
import { type Caller, canEdit, canRead, type Owned } from '../../rules/roles.ts'

/** From where and by whom records are looked at. */
export type View = {
  origin: Origin
  caller: Caller
  /** A single read: `json_ld` is added. */
  single: boolean
  /** Whether the password that a visitor brought is the one of this hash; absent where none was brought. */
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

/** Whether an event shows what its password protects: to those who bring it or may edit the event (D15). */
export async function isOpen(
  event: Pick<Post, 'password_hash' | 'author_id' | 'status'>,
  { caller, opens }: Pick<View, 'caller' | 'opens'>,
): Promise<boolean> {
  if (event.password_hash === null || canEdit(caller, event)) return true
  return opens?.(event.password_hash) ?? false
}
