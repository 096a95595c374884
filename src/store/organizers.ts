import { eq } from 'drizzle-orm'
import { organizers } from '../../drizzle/tables.ts'
import type { OrganizerInput } from '../../schemas/organizer.ts'
import { invalid, type Problems } from '../errors.ts'
import type { Db } from './db.ts'
import { agrees, editable, namesakes, openLinked } from './linked.ts'
import { checkAuthor, checkMayWrite, checkNotInTrash, type Key, seekPost } from './posts.ts'
import { checkPostInput } from './references.ts'
import type { OrganizerRow, Post } from './render.ts'
import { searched } from './searched.ts'
import type { Site } from './site.ts'
import { finish, keep, operationOf, savePost, type Write } from './write.ts'

async function save(
  w: Write,
  input: OrganizerInput,
  self?: { post: Post; organizer: OrganizerRow },
): Promise<Post> {
  const row = {
    phone: keep(input.phone, self?.organizer.phone),
    website: keep(input.website, self?.organizer.website),
    email: keep(input.email, self?.organizer.email),
  }
  const texts = searched.organizer({ description: keep(input.description, self?.post.description) }, row)
  const post = await savePost(w, 'organizer', input.organizer ?? self!.post.title, input, texts, self?.post)
  if (self) await w.tx.update(organizers).set(row).where(eq(organizers.post_id, post.id))
  else await w.tx.insert(organizers).values({ post_id: post.id, ...row })
  await finish(w, post, operationOf(self?.post, post))
  return post
}

/** What is wrong with the records that an organizer's input names. */
export const checkOrganizer = (w: Write, input: OrganizerInput, self?: Post): Promise<Problems> =>
  checkPostInput(w, 'organizer', input, self)

/** Creates an organizer; what it names was checked. */
export const insertOrganizer = (w: Write, input: OrganizerInput): Promise<Post> => save(w, input)

/** The organizer meant by one that is given inside an event: an existing one of the same name, or a new one (D31). */
export async function inlineOrganizer(w: Write, input: OrganizerInput): Promise<number> {
  for (const post of await namesakes(w, 'organizer', input.organizer!)) {
    const [row] = await w.tx.select().from(organizers).where(eq(organizers.post_id, post.id))
    if (agrees(w, input, post, row!)) return post.id
  }
  return (await insertOrganizer(w, input)).id
}

export function openOrganizers(db: Db, site: Site) {
  return {
    ...openLinked(db, site, 'organizer'),
    async create(w: Write, input: OrganizerInput): Promise<number> {
      const problems = await checkOrganizer(w, input)
      if (Object.keys(problems).length > 0) throw invalid(problems)
      checkMayWrite(w.caller, 'create organizers')
      checkAuthor(w.caller, input.author)
      return (await insertOrganizer(w, input)).id
    },
    async update(w: Write, key: Key, input: OrganizerInput): Promise<number> {
      const problems = await checkOrganizer(w, input, await seekPost(w.tx, 'organizer', key))
      if (Object.keys(problems).length > 0) throw invalid(problems)
      const post = await editable(w, 'organizer', key)
      checkNotInTrash(post, input.status)
      checkAuthor(w.caller, input.author, post)
      const [organizer] = await w.tx.select().from(organizers).where(eq(organizers.post_id, post.id))
      return (await save(w, input, { post, organizer: organizer! })).id
    },
  }
}
