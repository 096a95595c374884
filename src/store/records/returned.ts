import { type Post, shownDateUtc } from '../../formats/records.ts'
import { canRead } from '../../rules/roles.ts'
import { findOwned } from './posts.ts'
import type { LinkKind } from './projection/links.ts'
import type { Write } from './write.ts'

/**
 * The input of an update without the members that were sent exactly as `shown`, so that they keep the stored values (R11). For
 * members shown in another form than they are read: a text whose entities would be decoded, a formatted cost, a derived text.
 */
export function withoutReturned<I extends object>({ given }: Write, input: I, shown: object): I {
  const returned = Object.entries(shown).filter(([name, value]) => given[name] === value)
  const kept = new Set(returned.map(([name]) => name))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !kept.has(name))) as I
}

/** The members of a record in responses, except its name and the members of its kind. */
export const shownOf = (post: Post) => ({
  slug: post.slug,
  description: post.description,
  excerpt: post.excerpt,
  date: post.date,
  date_utc: shownDateUtc(post),
})

/**
 * Links of one kind after a write. Links that are sent back as shown stay as they are (R11): terms are shown by name, and
 * only venues and organizers that the caller may read.
 */
export async function linksAfter(
  w: Write,
  kind: LinkKind,
  before: number[],
  after: number[],
): Promise<number[]> {
  if (kind === 'category' || kind === 'tag')
    return after.length === before.length && after.every((id) => before.includes(id)) ? before : after
  if (after.length >= before.length) return after
  const seen: number[] = []
  for (const id of before) {
    const post = (await findOwned(w.tx, kind, id))!
    if (post.status !== 'trash' && canRead(w.caller, post)) seen.push(id)
  }
  return seen.length === after.length && seen.every((id, at) => id === after[at]) ? before : after
}
