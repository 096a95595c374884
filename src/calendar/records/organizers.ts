import { eq } from 'drizzle-orm'
import { organizers } from '../../../drizzle/tables.ts'
import type { OrganizerInput } from '../../../schemas/organizer.ts'
import type { Queries } from '../../kernel/database/db.ts'
import type { OrganizerRow, Post } from '../formats/records.ts'
import { saveExternal } from './externals.ts'
import { openLinkedWrites } from './linked.ts'
import { searched } from './projection/derived.ts'
import { project } from './projection/project.ts'
import { savePost, textAfter, type Write } from './write.ts'

async function saveOrganizer(
  w: Write,
  input: OrganizerInput,
  self?: { post: Post; organizer: OrganizerRow },
): Promise<Post> {
  const row = {
    phone: textAfter(input.phone, self?.organizer.phone),
    website: textAfter(input.website, self?.organizer.website),
    email: textAfter(input.email, self?.organizer.email),
  }
  const texts = searched.organizer({ description: textAfter(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'organizer', input.organizer ?? self!.post.title, input, texts, self?.post)
  const organizer = { post_id: post.id, ...row }
  await w.tx.insert(organizers).values(organizer).onConflictDoUpdate({ target: organizers.post_id, set: row })
  const external = await saveExternal(w, post, input, !self)
  const after = { post, organizer, ...(external !== undefined && { external }) }
  await project(w, 'post', { before: self, after })
  return post
}

async function organizerRowOf(tx: Queries, id: number): Promise<OrganizerRow> {
  const [row] = await tx.select().from(organizers).where(eq(organizers.post_id, id))
  return row!
}

export const organizerWrites = openLinkedWrites<OrganizerInput>({
  kind: 'organizer',
  nameOf: (input) => input.organizer!,
  stored: organizerRowOf,
  rowOf: organizerRowOf,
  save: async (w, input, self) =>
    saveOrganizer(w, input, self && { post: self, organizer: await organizerRowOf(w.tx, self.id) }),
})
