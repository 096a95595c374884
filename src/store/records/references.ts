import { and, eq, ne } from 'drizzle-orm'
import { media, posts, users } from '../../../drizzle/tables.ts'
import type { Problems } from '../../errors.ts'
import type { Post } from '../../formats/v1.ts'
import { canRead } from '../../rules/roles.ts'
import { findById, type PostKind } from './posts.ts'
import type { PostInput, Write } from './write.ts'

/** What is wrong with the records that an input names (author, image, parent, translation). */
export async function checkPostInput(
  w: Write,
  kind: PostKind,
  input: PostInput,
  self?: Post,
): Promise<Problems> {
  const problems: Problems = {}
  if (input.author) {
    const [user] = await w.tx.select({ id: users.id }).from(users).where(eq(users.id, input.author))
    if (!user) problems.author = `There is no user with ID ${input.author}.`
  }
  if (input.image && 'id' in input.image) {
    const [row] = await w.tx.select({ id: media.id }).from(media).where(eq(media.id, input.image.id))
    if (!row)
      problems.image = `There is no image with ID ${input.image.id}; upload one to /media, or send its URL.`
  }
  if (input.post_parent) {
    const parent = await findById(w.tx, 'event', input.post_parent)
    if (!parent) problems.post_parent = `There is no event with ID ${input.post_parent}.`
    else if (parent.id === self?.id) problems.post_parent = 'An event can not be its own parent.'
  }
  const language = input.i18n_language ?? self?.language ?? w.language
  if (input.translation_of) {
    const original = await findById(w.tx, kind, input.translation_of)
    if (!original || !canRead(w.caller, original))
      problems.translation_of = `There is no ${kind} with ID ${input.translation_of}.`
    else if (original.id === self?.id) problems.translation_of = `A record can not be its own translation.`
    else if (original.language === language || (await hasLanguage(w, original, language, self)))
      problems.translation_of = `This ${kind} exists in the language "${language}" already.`
  } else if (input.translation_of === undefined && self && (await hasLanguage(w, self, language, self)))
    problems.i18n_language = `A translation into "${language}" exists already.`
  return problems
}

/** Whether another translation of `post` than `self` has this language. */
async function hasLanguage(w: Write, post: Post, language: string, self?: Post): Promise<boolean> {
  if (post.translation_group === null) return false
  const others = await w.tx
    .select({ id: posts.id })
    .from(posts)
    .where(
      and(
        eq(posts.translation_group, post.translation_group),
        eq(posts.language, language),
        ne(posts.id, self?.id ?? 0),
      ),
    )
  return others.length > 0
}
