import { findEditable, type Key, type PostKind } from '../records/posts.ts'
import type { Terms } from '../records/terms/terms.ts'
import { erasePost, trashPost } from '../records/trash.ts'
import type { Write } from '../records/write.ts'
import type { Db } from '../sqlite/db.ts'
import type { Documents, Json, View } from '../views/documents.ts'
import type { Guard } from './condition.ts'

/** What is to be removed, for whom, and how it is shown. */
type Removal<K> = { context: Write; key: K; view: View; guard: Guard }

/** Deletes records; each gives the record as it was before, or as it is in the trash. */
export function openRemoval(db: Pick<Db, 'write'>, documents: Documents) {
  return {
    /** Moves an event, venue or organizer to the trash, or deletes it permanently with `force` (D30). */
    async post(
      kind: PostKind,
      { context, key, view, guard }: Removal<Key>,
      force = false,
    ): Promise<Json | undefined> {
      if (!force) {
        const { id } = await db.write((tx) => guard(tx, () => trashPost({ ...context, tx }, kind, key)))
        return (await documents.posts([id], view))[0]
      }
      const { id } = await findEditable(context, kind, key, 'delete')
      const [json] = await documents.posts([id], view)
      await db.write((tx) =>
        guard(tx, async () =>
          erasePost({ ...context, tx }, await findEditable({ ...context, tx }, kind, { id }, 'delete')),
        ),
      )
      return json
    },
    /** Deletes a term permanently. Its events get the term `heir` in its place, if there is one. */
    async term(
      terms: Pick<Terms, 'remove'>,
      { context, key: id, view, guard }: Removal<number>,
      heir: number | undefined,
    ): Promise<Json | undefined> {
      const [json] = await documents.terms([id], view)
      await db.write((tx) => guard(tx, () => terms.remove({ ...context, tx }, id, heir)))
      return json
    },
  }
}
