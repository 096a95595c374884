import { INHERITED_IF_MISSING, SHARED_FIELDS, SHARED_IF_CHANGED } from '../../../schemas/shared-fields.ts'
import type { Post, SeriesRow } from '../formats/records.ts'
import { canEdit, canRead } from '../rights.ts'
import type { StoredEvent } from './events.ts'
import { findById, type PostKind, seekPost } from './posts.ts'
import { findTermById, type Taxonomy, translatedTerm } from './term-keys.ts'
import type { PostInput, Reading, Write } from './write.ts'

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
