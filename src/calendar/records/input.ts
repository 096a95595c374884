import { and, eq, ne, sql } from 'drizzle-orm'
import { media, posts, users } from '../../../drizzle/tables.ts'
import { INHERITED_IF_MISSING, SHARED_FIELDS, SHARED_IF_CHANGED } from '../../../schemas/shared-fields.ts'
import type { Problems } from '../../kernel/errors.ts'
import { isDraft, type Post, type SeriesRow, shownDateUtc } from '../formats/records.ts'
import { canEdit, canRead } from '../rights.ts'
import type { StoredEvent } from './events.ts'
import { canReadPicture } from './media.ts'
import { checkExternal, findById, findOwned, type PostKind, seekPost } from './posts.ts'
import type { LinkKind } from './rows.ts'
import { findTermById, type Taxonomy, translatedTerm } from './term-keys.ts'
import type { PostInput, Reading, Write } from './write.ts'

/** Problems with the records that an input refers to (author, image, parent, translation). */
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
    if (!row || !(await canReadPicture(w.tx, input.image.id, w.caller)))
      problems.image = `There is no image with ID ${input.image.id}; upload one to /media, or send its URL.`
  }
  if (input.post_parent && input.post_parent !== self?.parent_id)
    Object.assign(problems, await checkParent(w, input.post_parent, self))
  // that of a draft may be blank (R11), which withoutReturned has taken away where it is so
  if (input.slug === '' && (self || !isDraft(input.status ?? '')))
    problems.slug = 'must contain letters or digits.'
  Object.assign(problems, await checkExternal(w, input, self))
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

/** The problem with the parent of an event: it does not exist, or is a descendant. */
async function checkParent(w: Write, parent: number, self?: Post): Promise<Problems> {
  if (!(await findById(w.tx, 'event', parent))) return { post_parent: `There is no event with ID ${parent}.` }
  if (parent === self?.id) return { post_parent: 'An event can not be its own parent.' }
  const above = await w.tx.values(
    sql`with recursive above(id) as (values(${parent}) union select parent_id from posts join above using (id) where parent_id is not null) select id from above where id = ${self?.id ?? 0}`,
  )
  return above.length === 0
    ? {}
    : { post_parent: `The event ${parent} belongs to this one already; a circle of events is not possible.` }
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

/**
 * The input of an update without the members that were sent exactly as `shown`, so that they keep the stored values (R11). For
 * members shown in another form than they are read: a text whose entities would be decoded, a formatted cost, a derived text.
 */
export function withoutReturned<I extends object>({ given }: Write, input: I, shown: object): I {
  const returned = Object.entries(shown).filter(([name, value]) => given[name] === value)
  const unchanged = new Set(returned.map(([name]) => name))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !unchanged.has(name))) as I
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

/** Fields as the input of a write has them, by their names. */
export type Fields = Record<string, unknown>

/** Some members of a record, by name. */
export const pick = (record: object, names: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(record).filter(([name, value]) => value !== undefined && names.includes(name)),
  )

/** The shared fields that records of every kind have. */
const postFields = ({ status, date, date_utc, image_id }: Post): Fields => ({
  status,
  date,
  date_utc: date_utc || undefined,
  image: image_id === null ? null : { id: image_id },
})

/** The shared fields of a venue or organizer, whose own columns these are. */
export const linkedFields = (post: Post, row: object): Fields =>
  pick({ ...row, ...postFields(post) }, [...SHARED_FIELDS[post.kind], ...SHARED_IF_CHANGED[post.kind]])

/** The shared fields of an event or a series for a record in a language: what it is linked to is that of this language where there is such. */
export async function eventFields(
  w: Reading,
  { post, event, refs }: StoredEvent,
  language: string,
  row?: Pick<SeriesRow, 'rrule' | 'rdate' | 'exdate'>,
): Promise<Fields> {
  const links = {
    venue: await linksIn(w, 'venue', refs.venue, language),
    organizer: await linksIn(w, 'organizer', refs.organizer, language),
    categories: await termsIn(w, 'category', refs.category, language),
    tags: await termsIn(w, 'tag', refs.tag, language),
  }
  // that of a date of a series is the series
  const parent =
    post.parent_id !== null && (await seekPost(w.tx, 'event', { id: post.parent_id, language }, w.caller))
  const isDate = post.parent_id !== null && !parent
  const fields = {
    ...event,
    ...postFields(post),
    ...links,
    recurrence: row && pick(row, ['rrule', 'rdate', 'exdate']),
  }
  const post_parent = isDate ? undefined : parent ? parent.id : null
  return pick({ ...fields, post_parent }, [...SHARED_FIELDS[post.kind], ...SHARED_IF_CHANGED[post.kind]])
}

/** Links to venues or organizers in a language: to those that the caller may link to. */
async function linksIn(w: Reading, kind: 'venue' | 'organizer', ids: number[], language: string) {
  const found = new Set<number>()
  for (const id of ids) {
    const post = await seekPost(w.tx, kind, { id, language }, w.caller)
    if (post && post.status !== 'trash' && canRead(w.caller, post)) found.add(post.id)
  }
  return [...found].map((id) => ({ id }))
}

/** The IDs of terms in a language. */
async function termsIn(w: Reading, taxonomy: Taxonomy, ids: number[], language: string) {
  const found = new Set<number>()
  for (const id of ids) {
    const row = (await findTermById(w.tx, taxonomy, id))!
    found.add((await translatedTerm(w.tx, row, language, w.caller)).id)
  }
  return [...found]
}

/** The input of a new record with those shared fields of its original that it does not have itself, if the caller may edit the original (R17). */
export async function withInherited<I extends PostInput>(
  w: Write,
  kind: PostKind,
  sent: I,
  read: (original: Post, language: string) => Promise<Fields>,
): Promise<I> {
  const original = sent.translation_of ? await findById(w.tx, kind, sent.translation_of) : undefined
  if (!original || !canEdit(w.caller, original)) return sent
  const { date, date_utc, status, ...fields } = await read(original, sent.i18n_language ?? w.language)
  const isDated = sent.status !== undefined || sent.date !== undefined || sent.date_utc !== undefined
  const inherited = {
    ...fields,
    ...(status !== 'trash' && status !== 'future' && { status }),
    ...(status === 'future' && !isDated && { status, date, date_utc }),
  }
  const isLacking = (name: string) => {
    const value = sent[name as keyof I]
    return value === undefined || (value === null && INHERITED_IF_MISSING.includes(name))
  }
  return { ...sent, ...Object.fromEntries(Object.entries(inherited).filter(([name]) => isLacking(name))) }
}
