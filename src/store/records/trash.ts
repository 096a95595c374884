import { eq, sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import type { Post } from '../../formats/v1.ts'
import { toUtc, toWall } from '../../rules/dates.ts'
import { recordChange } from '../sqlite/changes.ts'
import { prepared } from '../sqlite/db.ts'
import { dropSearch } from '../sqlite/text-index.ts'
import { countedTerms, recount, unlinkEverywhere } from './links.ts'
import { findEditable, type Key, type PostKind } from './posts.ts'
import { renew } from './project.ts'
import { trashedSlug, type Write } from './write.ts'

/** DELETE: to the trash, or for good with `force` (D30). Gives the record as it was before it went for good, as it is in the trash otherwise. */
export async function trashPost(w: Write, kind: PostKind, key: Key): Promise<Post> {
  const post = await findEditable(w, kind, key, 'delete')
  if (post.status === 'trash')
    throw new ApiError(
      `${kind}-is-in-trash` as ErrorCode,
      `This ${kind} is in the trash already; \`force=true\` deletes it permanently.`,
    )
  const before = await countedTerms(w.tx, post)
  const [trashed] = await w.tx
    .update(posts)
    .set({
      status: 'trash',
      date_utc: post.date_utc || toUtc(post.date, w.site.zone),
      slug: trashedSlug(post.slug),
      untrashed_slug: post.slug,
      modified: toWall(w.now, w.site.zone),
      modified_utc: toWall(w.now, 'UTC'),
    })
    .where(eq(posts.id, post.id))
    .returning()
  await recount(w.tx, before, [])
  await renew(w.tx, w.site, post.id)
  await recordChange(w.tx, kind, post.id, 'trash', w.now)
  return trashed!
}

const childrenOf = prepared((db) =>
  db
    .select({ id: posts.id })
    .from(posts)
    .where(eq(posts.parent_id, sql.placeholder('id')))
    .prepare(),
)
/** Everything that belongs to a post goes with its row. */
const erase = prepared((db) =>
  db
    .delete(posts)
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/** Deletes a record for good, with its links. To be called once its last answer was put together. */
export async function erasePost(w: Write, post: Post) {
  await recount(w.tx, await countedTerms(w.tx, post), [])
  if (post.kind === 'event') {
    const children = await childrenOf(w.tx).execute({ id: post.id })
    dropSearch(w.tx, post)
    await erase(w.tx).execute({ id: post.id })
    await recordChange(w.tx, 'event', post.id, 'delete', w.now)
    for (const child of children) {
      await renew(w.tx, w.site, child.id)
      await recordChange(w.tx, 'event', child.id, 'update', w.now)
    }
  } else {
    await unlinkEverywhere(w.tx, post.kind, post.id)
    await erase(w.tx).execute({ id: post.id })
    await recordChange(w.tx, post.kind, post.id, 'delete', w.now)
  }
}
