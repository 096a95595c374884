import { and, eq, ne } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import type { Post } from '../../formats/records.ts'
import { canRead } from '../../rules/roles.ts'
import { fold } from '../../rules/text/text.ts'
import type { Write } from './write.ts'

/** The kinds of records that events are linked to. */
export type LinkedKind = 'venue' | 'organizer'

/** Records of this name (without case and accents) that the caller may read and that are not in the trash, oldest first (D31). */
export async function namesakes(w: Write, kind: LinkedKind, name: string): Promise<Post[]> {
  const same = and(eq(posts.kind, kind), eq(posts.folded_title, fold(name)), ne(posts.status, 'trash'))
  const rows = await w.tx.select().from(posts).where(same).orderBy(posts.id)
  return rows.filter((post) => canRead(w.caller, post))
}

/** Whether an input contradicts nothing that is stored; only then is the record of the same name reused (D31). */
export function agrees(
  w: Write,
  sent: Record<string, unknown>,
  post: Post,
  stored: Record<string, unknown>,
): boolean {
  const texts: Record<string, unknown> = { ...stored, description: post.description, image: post.image_id }
  return Object.entries(sent).every(([name, value]) => {
    if (!(name in texts) || value === undefined || value === null) return true
    if (name === 'image') return imageId(w, value as { id: number } | { url: string }) === post.image_id
    return typeof value === 'string' ? fold(value) === fold(String(texts[name])) : value === texts[name]
  })
}
const imageId = (w: Write, image: { id: number } | { url: string }) =>
  'id' in image ? image.id : w.pictures.get(image.url)
