import { eq, sql } from 'drizzle-orm'
import { posts } from '../../../drizzle/tables.ts'
import type { Status } from '../../../schemas/common.ts'
import { type Details, record } from '../../kernel/access/audit-log.ts'
import { prepared } from '../../kernel/database/db.ts'
import { ApiError, type ErrorCode } from '../../kernel/errors.ts'
import { toUtc } from '../../kernel/time/dates.ts'
import { hasDates, type Post } from '../formats/records.ts'
import { findEditable, type Key, type PostKind } from './posts.ts'
import { findListing } from './projection/derived.ts'
import { linksOf } from './projection/links.ts'
import { project } from './projection/project.ts'
import { keepRevision } from './revisions.ts'
import { modified, trashedSlug, updatePost, type Write } from './write.ts'

/** DELETE: moves a record to the trash, or deletes it permanently with `force` (D30). Returns it as it is in the trash, or was before. */
export async function trashPost(w: Write, kind: PostKind, key: Key): Promise<Post> {
  const post = await findEditable(w, kind, key, 'delete')
  if (post.status === 'trash')
    throw new ApiError(
      `${kind}-is-in-trash` as ErrorCode,
      `This ${kind} is in the trash already; \`force=true\` deletes it permanently.`,
    )
  const trashed = trashedPost(w, post)
  await updatePost(w.tx, trashed, post)
  if (hasDates(kind)) await keepRevision(w, { post }, { post: trashed })
  await project(w, 'post', { before: { post }, after: { post: trashed } })
  return trashed
}

/** The ID of a record that the caller may change, and the status with which it comes back from the trash; none if it is not there. */
export async function formerStatus(
  w: Write,
  kind: PostKind,
  key: Key,
): Promise<{ id: number; status?: Status }> {
  const { id, status, untrashed_status } = await findEditable(w, kind, key, 'change')
  if (status !== 'trash') return { id }
  // a record that was made in the trash had none; when a scheduled one is published, its date says
  const former = untrashed_status ?? 'draft'
  return { id, status: former === 'future' ? 'publish' : former }
}

/** The row of a post as it is in the trash. */
export const trashedPost = ({ site, now }: Pick<Write, 'site' | 'now'>, post: Post): Post => ({
  ...post,
  status: 'trash',
  date_utc: post.date_utc || toUtc(post.date, site.zone),
  slug: trashedSlug(post.slug),
  untrashed_slug: post.slug,
  untrashed_status: post.status as Post['untrashed_status'],
  ...modified({ site, now }),
})

/** Children of a deleted event lose their parent. */
const orphan = prepared((db) =>
  db
    .update(posts)
    .set({ parent_id: null })
    .where(eq(posts.parent_id, sql.placeholder('id')))
    .returning()
    .prepare(),
)
/** Deletes the row of a post and everything that belongs to it. */
const erase = prepared((db) =>
  db
    .delete(posts)
    .where(eq(posts.id, sql.placeholder('id')))
    .prepare(),
)

/**
 * Deletes a record permanently, with its links. Call it after the response has been assembled. `more` is what the audit log tells of it
 * beside title and status.
 */
export async function erasePost(w: Write, post: Post, more: Details = {}) {
  const { id, kind, title, status } = post
  await removePost(w, post)
  await record(w, 'record_deleted', { kind, id }, { title, status, ...more })
}

/** Deletes a record permanently, with its links, and tells the audit log nothing of it. */
export async function removePost(w: Pick<Write, 'tx' | 'site' | 'now' | 'caller'>, post: Post) {
  const { id } = post
  const refs = await linksOf(w.tx, id)
  const { listing } = (await findListing(w.tx, id)) ?? {}
  const orphans = await orphan(w.tx).execute({ id })
  await erase(w.tx).execute({ id })
  await project(w, 'post', { before: { post, refs, listing } })
  for (const child of orphans)
    await project(w, 'post', { before: { post: { ...child, parent_id: id } }, after: { post: child } })
}
